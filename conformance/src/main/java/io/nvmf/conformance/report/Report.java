package io.nvmf.conformance.report;

import io.nvmf.conformance.Facts;
import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.Outcome.Verdict;
import io.nvmf.conformance.RunOptions;
import io.nvmf.conformance.TargetUnderTest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One run, as all reports tell it. What comes from the target, and what the person gave, is here as it came; each form of
 * report escapes it.
 *
 * @param program the program that ran the checks, and its version
 * @param uri the target as the person named it
 * @param facts null when no subsystem was named
 * @param patterns which checks were asked for; empty for all
 * @param started when
 * @param millis how long it took, in ms
 * @param selected how many checks were to run
 * @param outcomes of those that did, in the order of the catalog: fewer when the run was interrupted
 */
public record Report(
        String program,
        String uri,
        TargetUnderTest target,
        Facts facts,
        RunOptions options,
        List<String> patterns,
        Instant started,
        long millis,
        int selected,
        List<Outcome> outcomes) {
    /** Whether all checks have run that were to. */
    public boolean isComplete() {
        return outcomes.size() == selected;
    }

    /** Whether no check has failed. */
    public boolean hasPassed() {
        return count(outcomes, Verdict.FAIL) == 0;
    }

    /** The outcomes of each suite, in the order of the catalog. */
    Map<String, List<Outcome>> suites() {
        Map<String, List<Outcome>> suites = new LinkedHashMap<>();
        for (Outcome outcome : outcomes) {
            suites.computeIfAbsent(outcome.check().suiteId(), name -> new ArrayList<>())
                    .add(outcome);
        }
        return suites;
    }

    /** How many of each verdict, zeroes too. */
    Map<Verdict, Long> counts() {
        Map<Verdict, Long> counts = new EnumMap<>(Verdict.class);
        for (Verdict verdict : Verdict.values()) {
            counts.put(verdict, count(outcomes, verdict));
        }
        return counts;
    }

    static long count(List<Outcome> outcomes, Verdict verdict) {
        return outcomes.stream().filter(outcome -> outcome.verdict() == verdict).count();
    }

    /** {@code 12 checks in 3.4 s: 10 passed, 1 failed, 1 deviates, 0 skipped}, and whether it is all. */
    String summary() {
        Map<Verdict, Long> counts = counts();
        return outcomes.size() + (outcomes.size() == 1 ? " check in " : " checks in ") + Words.seconds(millis) + ": "
                + counts.get(Verdict.PASS) + " passed, " + counts.get(Verdict.FAIL) + " failed, "
                + counts.get(Verdict.WARN) + " deviate, " + counts.get(Verdict.SKIP) + " skipped"
                + (isComplete() ? "" : "; interrupted before the other " + (selected - outcomes.size()));
    }

    /** What the target is, by names of the specification where it has them. */
    Map<String, String> identity() {
        Map<String, String> identity = new LinkedHashMap<>();
        identity.put("Target", uri);
        identity.put("Address", target.address().toString().replaceFirst("^.*/", ""));
        identity.put("Transport", target.transport().toString().toUpperCase(java.util.Locale.ROOT));
        if (facts != null) {
            identity.put("Model (MN)", facts.controller().modelNumber());
            identity.put("Serial number (SN)", facts.controller().serialNumber());
            identity.put("Firmware (FR)", facts.controller().firmwareRevision());
            identity.put("Subsystem (SUBNQN)", target.subsystemNqn());
            identity.put("Version (VS)", Words.version(facts.version()));
            identity.put("Capabilities (CAP)", Words.hex(facts.capabilities()));
            identity.put("Namespace", namespace());
        }
        return identity;
    }

    private String namespace() {
        return facts.nsid() == 0
                ? "none"
                : facts.nsid() + ", " + Long.toUnsignedString(facts.blocks()) + " blocks of " + facts.blockBytes()
                        + " bytes";
    }
}
