package io.nvmf.conformance.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.conformance.CheckCase;
import io.nvmf.conformance.Facts;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.Outcome.Verdict;
import io.nvmf.conformance.RunOptions;
import io.nvmf.conformance.TargetUnderTest;
import io.nvmf.initiator.raw.Trace;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** All of a run for programs: times in ms and us, sizes in bytes, the bytes of PDUs as hexadecimal digits. */
public final class JsonReport {
    private JsonReport() {}

    /** A whole run. */
    public static ObjectNode of(Report report) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("program", report.program())
                .put("started", report.started().toString())
                .put("millis", report.millis())
                .put("selected", report.selected())
                .put("complete", report.isComplete());
        json.set("options", options(report));
        json.set("target", target(report));
        ObjectNode counts = json.putObject("counts");
        report.counts().forEach((verdict, count) -> counts.put(verdict.toString(), count));
        ArrayNode checks = json.putArray("checks");
        report.outcomes().forEach(outcome -> checks.add(outcome(outcome)));
        return json;
    }

    /** Checks without outcomes. */
    public static ObjectNode of(List<CheckCase> checks) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("count", checks.size());
        ArrayNode array = json.putArray("checks");
        checks.forEach(check -> array.add(check(check)));
        return json;
    }

    private static ObjectNode options(Report report) {
        RunOptions options = report.options();
        TargetUnderTest target = report.target();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode patterns = json.putArray("tests");
        report.patterns().forEach(patterns::add);
        json.put("level", Words.lowest(options));
        for (Needs needs : Needs.values()) {
            json.put(needs.option(), options.allowed().contains(needs));
        }
        ObjectNode skipped = json.putObject("skip_list");
        options.skipped().reasons().forEach(skipped::put);
        return json.put("seed", target.seed())
                .put("timeout_ms", target.answerMs())
                .put("hostnqn", target.hostNqn())
                .put("hostid", target.hostId().toString());
    }

    private static ObjectNode target(Report report) {
        TargetUnderTest target = report.target();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("uri", report.uri())
                .put("address", target.address().getAddress().getHostAddress())
                .put("port", target.address().getPort())
                .put("transport", target.transport().toString())
                .put("subnqn", target.subsystemNqn());
        if (report.facts() != null) {
            addFacts(report.facts(), json);
        }
        return json;
    }

    private static void addFacts(Facts facts, ObjectNode json) {
        json.put("sn", facts.controller().serialNumber())
                .put("mn", facts.controller().modelNumber())
                .put("fr", facts.controller().firmwareRevision())
                .put("vs", Words.version(facts.version()))
                .put("cap", Words.hex(facts.capabilities()))
                .put("max_queue_entries", facts.maxQueueEntries())
                .put("mdts_bytes", facts.limitsTransfers() ? facts.maxTransferBytes() : 0)
                .put("in_capsule_bytes", facts.inCapsuleBytes())
                .put("nsid", facts.nsid());
        if (facts.nsid() != 0) {
            json.put("blocks", facts.blocks()).put("block_bytes", facts.blockBytes());
        }
    }

    private static ObjectNode check(CheckCase check) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", check.id()).put("level", check.check().level().label());
        ArrayNode needs = json.putArray("needs");
        for (Needs need : check.check().needs()) {
            needs.add(need.option());
        }
        return json.put("says", check.check().says())
                .put("source", check.check().source())
                .put("seconds", check.check().seconds());
    }

    private static ObjectNode outcome(Outcome outcome) {
        ObjectNode json = check(outcome.check());
        json.put("verdict", outcome.verdict().toString()).put("millis", outcome.millis());
        put(json, "reason", outcome.reason());
        put(json, "expected", outcome.expected());
        put(json, "got", outcome.got());
        put(json, "sent", outcome.sent());
        if (outcome.verdict() == Verdict.FAIL || outcome.verdict() == Verdict.WARN) {
            ArrayNode trace = json.putArray("trace");
            for (Trace.Line line : outcome.trace()) {
                trace.addObject()
                        .put("micros", line.micros())
                        .put("connection", line.connection())
                        .put("direction", line.direction().name().toLowerCase(Locale.ROOT))
                        .put("text", line.text())
                        .put("bytes", HexFormat.of().formatHex(line.bytes()));
            }
        }
        return json;
    }

    private static void put(ObjectNode json, String name, String value) {
        if (!value.isEmpty()) {
            json.put(name, value);
        }
    }
}
