package io.nvmf.tools.perf;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** Measurements for programs, a line each; the columns are the same for all. Latencies are in microseconds. */
public final class CsvReport {
    private CsvReport() {}

    public static void print(PrintStream out, Measured measured) {
        String percentiles =
                Tally.PERCENTILES.keySet().stream().map(name -> name + "_us").collect(Collectors.joining(","));
        out.println("phase,depth,num_qpairs,name,op,ios,errors,bytes,seconds,asked_iops,iops,mb_per_s,mean_us,"
                + percentiles + ",max_us,p99_by_p50,cpu_us_per_io,checked_blocks,unchecked_blocks,ended,knee");
        Optional<Outcome> knee = measured.knee();
        for (Measured.Phase phase : measured.phases()) {
            Outcome outcome = phase.outcome();
            String isKnee = knee.map(that -> that == outcome ? "1" : "0").orElse("");
            for (Outcome.Line line : outcome.lines()) {
                out.println(phase.name() + "," + figures(outcome, line) + ","
                        + outcome.end().how() + "," + isKnee);
            }
        }
    }

    private static String figures(Outcome outcome, Outcome.Line line) {
        Tally tally = line.tally();
        Histogram latencies = tally.latencies();
        String percentiles = Tally.PERCENTILES.values().stream()
                .map(percent -> us(latencies.getValueAtPercentile(percent)))
                .collect(Collectors.joining(","));
        return format(
                        "%d,%d,%s,%s,%d,%d,%d,%.3f,%s,%.1f,%.2f,",
                        outcome.depth(),
                        line.queues(),
                        cell(line.name()),
                        line.operation(),
                        tally.requests(),
                        tally.errors(),
                        tally.bytes(),
                        outcome.seconds(),
                        line.askedPerSecond() > 0 ? Long.toString(line.askedPerSecond()) : "",
                        outcome.perSecond(tally),
                        outcome.megabytesPerSecond(tally))
                + us(latencies.getMean()) + "," + percentiles + "," + us(latencies.getMaxValue())
                + format(",%.2f,%.3f,", tally.tail(), outcome.cpuUsPerRequest())
                + (outcome.checks() == null ? "," : outcome.checkedBlocks() + "," + outcome.uncheckedBlocks());
    }

    /** An NQN may have commas. */
    private static String cell(String text) {
        return text.contains(",") || text.contains("\"") ? "\"" + text.replace("\"", "\"\"") + "\"" : text;
    }

    private static String us(double ns) {
        return format("%.2f", Outcome.microseconds(ns));
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
