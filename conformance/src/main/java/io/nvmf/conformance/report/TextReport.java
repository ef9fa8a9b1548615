package io.nvmf.conformance.report;

import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.Outcome.Verdict;
import io.nvmf.initiator.raw.Trace;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Tells of a run while it goes on and at its end, on a terminal or in a log. */
public final class TextReport {
    /** So much of a failure's trace is shown; the other reports have all of it. */
    private static final int TRACE_LINES = 8;

    private static final String INDENT = "      ";

    private final PrintStream out;
    private final boolean isColoured;

    public TextReport(PrintStream out, boolean isColoured) {
        this.out = out;
        this.isColoured = isColoured;
    }

    /** A line for each outcome, a few more for a failure. */
    public void ended(Outcome outcome) {
        String line = outcome.check().id();
        if (outcome.verdict() == Verdict.SKIP || outcome.verdict() == Verdict.WARN) {
            line += ": " + Words.printable(outcome.reason());
        }
        out.println(verdict(outcome.verdict()) + "  " + line);
        if (outcome.verdict() == Verdict.FAIL) {
            Words.details(outcome).forEach(detail -> out.println(INDENT + detail));
            List<Trace.Line> trace = outcome.trace();
            trace.subList(Math.max(0, trace.size() - TRACE_LINES), trace.size())
                    .forEach(traced -> out.println(INDENT + Words.printable(traced.toString())));
        }
        out.flush();
    }

    private String verdict(Verdict verdict) {
        if (!isColoured) {
            return verdict.toString();
        }
        int colour = switch (verdict) {
            case PASS -> 32;
            case FAIL -> 31;
            case WARN -> 33;
            case SKIP -> 36;
        };
        return "\u001b[" + colour + "m" + verdict + "\u001b[0m";
    }

    /** What was tested, how many of each verdict in each suite, and in all. */
    public void summary(Report report) {
        out.println();
        report.identity().forEach((name, value) -> out.printf("%-20s%s%n", name, Words.printable(value)));
        out.printf("%-20s%s%n%n", "Seed", report.target().seed());
        Map<String, List<Outcome>> suites = report.suites();
        int width = suites.keySet().stream().mapToInt(String::length).max().orElse(0);
        String form = "%-" + Math.max(width, "suite".length()) + "s  %6s  %6s  %6s  %6s%n";
        out.printf(form, "suite", "PASS", "FAIL", "WARN", "SKIP");
        suites.forEach((suite, outcomes) -> out.printf(
                Locale.ROOT,
                form,
                suite,
                Report.count(outcomes, Verdict.PASS),
                Report.count(outcomes, Verdict.FAIL),
                Report.count(outcomes, Verdict.WARN),
                Report.count(outcomes, Verdict.SKIP)));
        out.println();
        out.println(report.summary());
    }
}
