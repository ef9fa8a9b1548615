package io.nvmf.tools.perf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.tools.output.Json;
import io.nvmf.tools.output.Rates;
import io.nvmf.tools.output.Table;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** Outcomes for people and programs. Latencies are in microseconds. */
public final class Report {
    private static final Map<String, Double> PERCENTILES = new LinkedHashMap<>();
    /** The knee is where this part of the most requests a second is first reached. */
    private static final double KNEE = 0.9;

    static {
        PERCENTILES.put("p50", 50.0);
        PERCENTILES.put("p90", 90.0);
        PERCENTILES.put("p99", 99.0);
        PERCENTILES.put("p99.9", 99.9);
    }

    private Report() {}

    // ---- Text

    public static void print(PrintStream out, Outcome outcome) {
        Table table =
                new Table("Namespace", "Op", "IOPS", "MB/s", "avg us", "P50", "P90", "P99", "P99.9", "max", "P99/P50");
        for (Outcome.Line line : outcome.lines()) {
            Tally tally = line.tally();
            Histogram latencies = tally.latencies();
            table.row(
                    line.name(),
                    line.operation(),
                    whole(outcome.perSecond(tally)),
                    tenths(Rates.megabytesPerSecond(tally.bytes(), outcome.elapsedNs())),
                    us(latencies.getMean()),
                    us(latencies.getValueAtPercentile(50)),
                    us(latencies.getValueAtPercentile(90)),
                    us(latencies.getValueAtPercentile(99)),
                    us(latencies.getValueAtPercentile(99.9)),
                    us(latencies.getMaxValue()),
                    tenths(tail(latencies)));
        }
        table.print(out);
        out.println(format(
                "%.1f s, depth %d, %.2f us of processor time a request in this process",
                outcome.seconds(), outcome.depth(), outcome.cpuUsPerRequest()));
        outcome.rows().stream().filter(row -> !row.queues().isEmpty()).forEach(row -> printQueues(out, row));
        printChecks(out, outcome);
    }

    private static void printQueues(PrintStream out, Outcome.Row row) {
        LongSummaryStatistics p99Ns =
                row.queues().stream().mapToLong(Outcome.Queue::p99Ns).summaryStatistics();
        out.println(format(
                "%s: the slowest of %d queues had %.2f of an even share of the requests; P99 from %s to %s us",
                row.name(), row.queues().size(), row.slowestShare(), us(p99Ns.getMin()), us(p99Ns.getMax())));
    }

    private static void printChecks(PrintStream out, Outcome outcome) {
        if (outcome.checkedBlocks() + outcome.uncheckedBlocks() > 0) {
            out.println(outcome.checkedBlocks() + " blocks read had the right data, " + outcome.uncheckedBlocks()
                    + " could not be checked, for this run had not written them");
        }
    }

    /** A row for each depth, and the knee. */
    public static void printRamp(PrintStream out, List<Outcome> outcomes) {
        Table table = new Table("Depth", "IOPS", "MB/s", "avg us", "P50", "P99", "P99.9", "P99/P50", "CPU us/IO");
        for (Outcome outcome : outcomes) {
            Tally all = outcome.all();
            table.row(
                    Integer.toString(outcome.depth()),
                    whole(outcome.requestsPerSecond()),
                    tenths(Rates.megabytesPerSecond(all.bytes(), outcome.elapsedNs())),
                    us(all.latencies().getMean()),
                    us(all.latencies().getValueAtPercentile(50)),
                    us(all.latencies().getValueAtPercentile(99)),
                    us(all.latencies().getValueAtPercentile(99.9)),
                    tenths(tail(all.latencies())),
                    format("%.2f", outcome.cpuUsPerRequest()));
        }
        table.print(out);
        knee(outcomes)
                .ifPresent(knee -> out.println("knee: depth " + knee.depth() + ", the first with " + (int) (KNEE * 100)
                        + " % of the most requests a second"));
        outcomes.forEach(outcome -> printChecks(out, outcome));
    }

    static Optional<Outcome> knee(List<Outcome> outcomes) {
        double most =
                outcomes.stream().mapToDouble(Outcome::requestsPerSecond).max().orElse(0);
        return outcomes.stream()
                .filter(outcome -> most > 0 && outcome.requestsPerSecond() >= KNEE * most)
                .findFirst();
    }

    /** What several namespaces together have of what the first had alone. */
    public static void printScaling(PrintStream out, Outcome alone, Outcome together) {
        out.println(format(
                "the first alone: %.0f IOPS; all %d together: %.0f IOPS, %.2f times as many",
                alone.requestsPerSecond(),
                together.rows().size(),
                together.requestsPerSecond(),
                scaling(alone, together)));
    }

    private static double scaling(Outcome alone, Outcome together) {
        return alone.requestsPerSecond() == 0 ? 0 : together.requestsPerSecond() / alone.requestsPerSecond();
    }

    // ---- JSON

    public static ObjectNode toJson(Outcome outcome) {
        ObjectNode json = Json.object()
                .put("depth", outcome.depth())
                .put("seconds", outcome.seconds())
                .put("cpu_us_per_io", outcome.cpuUsPerRequest());
        ArrayNode lines = json.putArray("results");
        for (Outcome.Line line : outcome.lines()) {
            Tally tally = line.tally();
            ObjectNode one = lines.addObject()
                    .put("name", line.name())
                    .put("op", line.operation())
                    .put("ios", tally.requests())
                    .put("bytes", tally.bytes())
                    .put("iops", outcome.perSecond(tally))
                    .put("mb_per_s", Rates.megabytesPerSecond(tally.bytes(), outcome.elapsedNs()));
            addLatencies(one.putObject("latency_us"), tally.latencies());
        }
        addQueues(json, outcome);
        if (outcome.checkedBlocks() + outcome.uncheckedBlocks() > 0) {
            json.putObject("verify")
                    .put("checked_blocks", outcome.checkedBlocks())
                    .put("unchecked_blocks", outcome.uncheckedBlocks());
        }
        return json;
    }

    private static void addQueues(ObjectNode json, Outcome outcome) {
        ArrayNode queues = Json.object().putArray("queues");
        for (Outcome.Row row : outcome.rows()) {
            for (int i = 0; i < row.queues().size(); i++) {
                Outcome.Queue queue = row.queues().get(i);
                queues.addObject()
                        .put("name", row.name())
                        .put("queue", i + 1)
                        .put("ios", queue.requests())
                        .put("p99_us", Outcome.microseconds(queue.p99Ns()));
            }
        }
        if (!queues.isEmpty()) {
            json.set("queues", queues);
        }
    }

    private static void addLatencies(ObjectNode json, Histogram latencies) {
        json.put("mean", Outcome.microseconds(latencies.getMean()));
        PERCENTILES.forEach(
                (name, percent) -> json.put(name, Outcome.microseconds(latencies.getValueAtPercentile(percent))));
        json.put("max", Outcome.microseconds(latencies.getMaxValue())).put("p99_by_p50", tail(latencies));
    }

    public static ObjectNode rampToJson(List<Outcome> outcomes) {
        ObjectNode json = Json.object();
        ArrayNode ramp = json.putArray("ramp");
        outcomes.forEach(outcome -> ramp.add(toJson(outcome)));
        knee(outcomes).ifPresent(knee -> json.put("knee", knee.depth()));
        return json;
    }

    public static ObjectNode scalingToJson(Outcome alone, Outcome together) {
        ObjectNode json = Json.object();
        json.set("alone", toJson(alone));
        json.set("together", toJson(together));
        return json.put("scaling", scaling(alone, together));
    }

    // ---- CSV

    public static void printCsv(PrintStream out, List<Outcome> outcomes) {
        out.println("depth,name,op,ios,bytes,seconds,iops,mb_per_s,mean_us,p50_us,p90_us,p99_us,p99.9_us,max_us,"
                + "p99_by_p50,cpu_us_per_io");
        for (Outcome outcome : outcomes) {
            for (Outcome.Line line : outcome.lines()) {
                Tally tally = line.tally();
                Histogram latencies = tally.latencies();
                StringBuilder row = new StringBuilder(format(
                        "%d,%s,%s,%d,%d,%.3f,%.1f,%.2f,%.2f",
                        outcome.depth(),
                        line.name(),
                        line.operation(),
                        tally.requests(),
                        tally.bytes(),
                        outcome.seconds(),
                        outcome.perSecond(tally),
                        Rates.megabytesPerSecond(tally.bytes(), outcome.elapsedNs()),
                        Outcome.microseconds(latencies.getMean())));
                PERCENTILES
                        .values()
                        .forEach(percent -> row.append(
                                format(",%.2f", Outcome.microseconds(latencies.getValueAtPercentile(percent)))));
                row.append(format(
                        ",%.2f,%.2f,%.3f",
                        Outcome.microseconds(latencies.getMaxValue()), tail(latencies), outcome.cpuUsPerRequest()));
                out.println(row);
            }
        }
    }

    // ---- Numbers

    private static double tail(Histogram latencies) {
        long median = latencies.getValueAtPercentile(50);
        return median == 0 ? 0 : (double) latencies.getValueAtPercentile(99) / median;
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
