package io.nvmf.tools.perf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.tools.output.Json;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.HdrHistogram.Histogram;

/** Measurements for programs, with all that tells what was measured. Latencies are in microseconds. */
public final class JsonReport {
    private JsonReport() {}

    /** @param options what was asked for */
    public static ObjectNode toJson(Measured measured, ObjectNode options) {
        ObjectNode json = Json.object();
        json.set("options", options);
        switch (measured.mode()) {
            case RUN -> measured.outcomes().forEach(outcome -> addOutcome(json, outcome));
            case RAMP -> addRamp(json, measured);
            case SCALING -> addScaling(json, measured);
        }
        return json;
    }

    private static void addRamp(ObjectNode json, Measured measured) {
        json.put("complete", measured.isComplete()).put("rising", measured.isRising());
        ArrayNode ramp = json.putArray("ramp");
        measured.outcomes().forEach(outcome -> addOutcome(ramp.addObject(), outcome));
        measured.knee().ifPresent(knee -> json.put("knee", knee.depth()));
    }

    private static void addScaling(ObjectNode json, Measured measured) {
        json.put("complete", measured.isComplete());
        measured.phases().forEach(phase -> addOutcome(json.putObject(phase.name()), phase.outcome()));
        measured.scaling()
                .ifPresent(scaling -> json.put("alone_iops", round(scaling.alone(), 1))
                        .put("together_iops", round(scaling.together(), 1))
                        .put("scaling", round(scaling.times(), 3))
                        .put("alone_drift", round(scaling.drift(), 3)));
    }

    private static void addOutcome(ObjectNode json, Outcome outcome) {
        json.put("depth", outcome.depth())
                .put("seconds", round(outcome.seconds(), 3))
                .put("cpu_us_per_io", round(outcome.cpuUsPerRequest(), 3))
                .put("ended", outcome.end().how().toString());
        if (outcome.end().failure() != null) {
            json.put("error", outcome.end().failure());
        }
        ArrayNode lines = json.putArray("results");
        for (Outcome.Line line : outcome.lines()) {
            Tally tally = line.tally();
            ObjectNode one = lines.addObject()
                    .put("name", line.name())
                    .put("op", line.operation())
                    .put("num_qpairs", line.queues())
                    .put("ios", tally.requests())
                    .put("errors", tally.errors())
                    .put("bytes", tally.bytes());
            if (line.askedPerSecond() > 0) {
                one.put("asked_iops", line.askedPerSecond());
            }
            one.put("iops", round(outcome.perSecond(tally), 1))
                    .put("mb_per_s", round(outcome.megabytesPerSecond(tally), 2));
            addLatencies(one.putObject("latency_us"), tally);
        }
        addQueues(json, outcome);
        if (outcome.checks() != null) {
            json.putObject("verify")
                    .put("checked_blocks", outcome.checkedBlocks())
                    .put("unchecked_blocks", outcome.uncheckedBlocks());
        }
    }

    private static void addLatencies(ObjectNode json, Tally tally) {
        Histogram latencies = tally.latencies();
        json.put("mean", us(latencies.getMean()));
        Tally.PERCENTILES.forEach((name, percent) -> json.put(name, us(latencies.getValueAtPercentile(percent))));
        json.put("max", us(latencies.getMaxValue())).put("p99_by_p50", round(tally.tail(), 2));
    }

    private static void addQueues(ObjectNode json, Outcome outcome) {
        ArrayNode queues = Json.object().putArray("queues");
        for (Outcome.Row row : outcome.rowsOfSeveralQueues()) {
            for (int i = 0; i < row.queues().size(); i++) {
                Outcome.Queue queue = row.queues().get(i);
                queues.addObject()
                        .put("name", row.name())
                        .put("queue", i + 1)
                        .put("ios", queue.requests())
                        .put("p99_us", us(queue.p99Ns()));
            }
        }
        if (!queues.isEmpty()) {
            json.set("queues", queues);
        }
    }

    private static double us(double ns) {
        return round(Outcome.microseconds(ns), 2);
    }

    private static double round(double value, int decimals) {
        return BigDecimal.valueOf(value)
                .setScale(decimals, RoundingMode.HALF_UP)
                .doubleValue();
    }
}
