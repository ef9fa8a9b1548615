package io.nvmf.conformance;

import io.nvmf.initiator.raw.Trace;
import java.util.List;
import java.util.Map;

/**
 * What came of one check.
 *
 * @param reason of a failure what went wrong, of a skipped check why, of a warning how the target differs; else empty
 * @param expected of a failure what was; empty when it came of something unforeseen
 * @param got of a failure; empty likewise
 * @param sent the last that was sent before a failure, decoded; else empty
 * @param trace what went over the check's connections
 * @param millis how long it took
 * @param files by name, what is needed to see a failure again
 */
public record Outcome(
        CheckCase check,
        Verdict verdict,
        String reason,
        String expected,
        String got,
        String sent,
        List<Trace.Line> trace,
        long millis,
        Map<String, String> files) {
    /** One that is no failure. */
    public Outcome(CheckCase check, Verdict verdict, String reason, List<Trace.Line> trace, long millis) {
        this(check, verdict, reason, "", "", "", trace, millis, Map.of());
    }

    /** What a check says of the target. */
    public enum Verdict {
        PASS,
        FAIL,
        /** It does not apply, or was not allowed. */
        SKIP,
        /** The target differs, as others do that are in use. */
        WARN
    }
}
