package io.nvmf.tools.perf;

import io.nvmf.tools.output.Table;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import org.HdrHistogram.Histogram;

/** Measurements for people. Latencies are in microseconds. */
public final class TextReport {
    /** Two measurements of the same that differ by more make what is concluded from them doubtful. */
    private static final double LARGE_DRIFT = 0.1;

    private static final int PERCENT = 100;

    private final PrintStream out;
    private final Measured measured;

    private TextReport(PrintStream out, Measured measured) {
        this.out = out;
        this.measured = measured;
    }

    public static void print(PrintStream out, Measured measured) {
        TextReport report = new TextReport(out, measured);
        switch (measured.mode()) {
            case RUN -> measured.outcomes().forEach(report::printOutcome);
            case RAMP -> report.printRamp();
            case SCALING -> report.printScaling();
        }
    }

    private void printOutcome(Outcome outcome) {
        Table table =
                new Table("Namespace", "Op", "IOPS", "MB/s", "avg us", "P50", "P90", "P99", "P99.9", "max", "P99/P50");
        for (Outcome.Line line : outcome.lines()) {
            Tally tally = line.tally();
            Histogram latencies = tally.latencies();
            table.row(
                    line.name(),
                    line.operation(),
                    whole(outcome.perSecond(tally)),
                    tenths(outcome.megabytesPerSecond(tally)),
                    us(latencies.getMean()),
                    us(latencies.getValueAtPercentile(50)),
                    us(latencies.getValueAtPercentile(90)),
                    us(latencies.getValueAtPercentile(99)),
                    us(latencies.getValueAtPercentile(99.9)),
                    us(latencies.getMaxValue()),
                    tenths(tally.tail()));
        }
        table.print(out);
        out.println(format(
                "%.1f s, depth %d, %.2f us of processor time a request in this process",
                outcome.seconds(), outcome.depth(), outcome.cpuUsPerRequest()));
        printEnd(outcome);
        printRates(outcome);
        outcome.rowsOfSeveralQueues().forEach(this::printQueues);
        printChecks(outcome);
    }

    private void printEnd(Outcome outcome) {
        if (outcome.end().how() != Outcome.How.COMPLETE) {
            out.println("ended early by an "
                    + (outcome.end().how() == Outcome.How.FAILED ? "error" : "interrupt")
                    + ": this is of the time until then");
        }
        long errors = outcome.all().errors();
        if (errors > 0) {
            out.println("requests that failed or had no answer: " + errors
                    + "; the latencies have how long they were out, IOPS and MB/s leave them out");
        }
    }

    private void printRates(Outcome outcome) {
        outcome.lines().stream()
                .filter(line -> line.askedPerSecond() > 0)
                .forEach(line -> out.println(format(
                        "%s: asked for %d requests a second, reached %s",
                        line.name(), line.askedPerSecond(), whole(outcome.perSecond(line.tally())))));
    }

    private void printQueues(Outcome.Row row) {
        LongSummaryStatistics p99Ns =
                row.queues().stream().mapToLong(Outcome.Queue::p99Ns).summaryStatistics();
        out.println(format(
                "%s: the slowest of %d queues had %.2f of an even share of the requests; P99 from %s to %s us",
                row.name(), row.queues().size(), row.slowestShare(), us(p99Ns.getMin()), us(p99Ns.getMax())));
    }

    private void printChecks(Outcome outcome) {
        if (outcome.checkedBlocks() + outcome.uncheckedBlocks() > 0) {
            out.println(outcome.checkedBlocks() + " blocks read had the right data"
                    + (outcome.uncheckedBlocks() == 0
                            ? ""
                            : ", " + outcome.uncheckedBlocks()
                                    + " could not be checked, for this run had not written them"));
        }
    }

    /** A row for each depth, and the knee. */
    private void printRamp() {
        List<Outcome> outcomes = measured.outcomes();
        Table table = new Table("Depth", "IOPS", "MB/s", "avg us", "P50", "P99", "P99.9", "P99/P50", "CPU us/IO");
        for (Outcome outcome : outcomes) {
            Tally all = outcome.all();
            table.row(
                    Integer.toString(outcome.depth()),
                    whole(outcome.requestsPerSecond()),
                    tenths(outcome.megabytesPerSecond(all)),
                    us(all.latencies().getMean()),
                    us(all.latencies().getValueAtPercentile(50)),
                    us(all.latencies().getValueAtPercentile(99)),
                    us(all.latencies().getValueAtPercentile(99.9)),
                    tenths(all.tail()),
                    format("%.2f", outcome.cpuUsPerRequest()));
        }
        table.print(out);
        int namespaces = outcomes.get(0).rows().size();
        if (namespaces > 1) {
            out.println("the depth is for each of " + namespaces + " namespaces, all else is of all together");
        }
        if (measured.isRising()) {
            out.println("no knee: still rising at the largest depth: give a larger -q");
        }
        measured.knee()
                .ifPresent(knee -> out.println("knee: depth " + knee.depth() + ", the first with "
                        + (int) (Measured.KNEE * PERCENT) + " % of the most requests a second"));
        if (!measured.isComplete()) {
            out.println("the ramp ended early, so that no knee is known");
        }
        outcomes.forEach(this::printEnd);
        outcomes.forEach(this::printChecks);
    }

    /** A table for each phase, and what several namespaces together have of what the first has alone. */
    private void printScaling() {
        for (Measured.Phase phase : measured.phases()) {
            out.println(
                    switch (phase.name()) {
                        case Measured.ALONE_BEFORE -> "The first alone:";
                        case Measured.TOGETHER -> "All together:";
                        default -> "The first alone again:";
                    });
            printOutcome(phase.outcome());
            out.println();
        }
        measured.scaling().ifPresent(this::printScaling);
        if (!measured.isComplete()) {
            out.println("ended early, so that nothing can be compared");
        }
    }

    private void printScaling(Measured.Scaling scaling) {
        out.println(format(
                "the first alone: %s IOPS before, %s after; all %d together: %s IOPS, %.2f times the mean of these",
                whole(scaling.before()),
                whole(scaling.after()),
                measured.outcomes().get(1).rows().size(),
                whole(scaling.together()),
                scaling.times()));
        if (scaling.drift() > LARGE_DRIFT) {
            out.println(format(
                    "before and after differ by %.0f %%: something else than the load has changed; measure again with a"
                            + " longer --time and --warmup-time",
                    scaling.drift() * PERCENT));
        }
    }

    private static String us(double ns) {
        return tenths(Outcome.microseconds(ns));
    }

    private static String tenths(double value) {
        return format("%.1f", value);
    }

    private static String whole(double value) {
        return format("%.0f", value);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
