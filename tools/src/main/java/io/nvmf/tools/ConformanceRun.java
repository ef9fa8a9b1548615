package io.nvmf.tools;

import io.nvmf.conformance.CheckCase;
import io.nvmf.conformance.CheckFailure;
import io.nvmf.conformance.CheckSkipped;
import io.nvmf.conformance.ForeignReservationException;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.Outcome.Verdict;
import io.nvmf.conformance.Runner;
import io.nvmf.conformance.TargetUnderTest;
import io.nvmf.conformance.report.JsonReport;
import io.nvmf.conformance.report.Report;
import io.nvmf.conformance.report.TextReport;
import io.nvmf.tools.output.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One run of {@code nvmf conformance}, told while it goes on and however it ends. */
final class ConformanceRun {
    /** Exit status when there was no target to test. */
    static final int UNREACHABLE = 3;

    private static final int BAR_WIDTH = 30;

    private final ConformanceOptions options;
    private final OutputFormat format;
    private final ConformanceFiles files;
    private final String uri;
    private final TargetUnderTest target;
    private final Console console;
    private final TextReport text;
    private final List<Outcome> outcomes = new ArrayList<>();
    private boolean interrupted;

    /** @param uri names the target in the reports */
    ConformanceRun(
            ConformanceOptions options,
            OutputFormat format,
            ConformanceFiles files,
            String uri,
            TargetUnderTest target,
            Console console) {
        this.options = options;
        this.format = format;
        this.files = files;
        this.uri = uri;
        this.target = target;
        this.console = console;
        text = new TextReport(console.out(), console.outIsTerminal());
    }

    /**
     * Runs the checks until all are done or the thread is interrupted.
     *
     * @return the exit status, which the one of a signal takes the place of
     */
    int run() throws CommandException {
        SignalInterrupt signals = SignalInterrupt.register();
        try {
            Runner runner = new Runner(target, options.runOptions());
            requireNamespace(runner);
            return run(runner);
        } catch (ForeignReservationException e) {
            throw new UsageException(e.getMessage() + "; take another namespace, or leave out --"
                    + Needs.DATA_LOSS.option() + ", or see nvmf resv-report and nvmf resv-release");
        } catch (CheckFailure | CheckSkipped e) {
            return unreachable("cannot be tested: " + e.getMessage()
                    + "; see nvmf discover for the subsystems there are, and --hostnqn for a host that may connect");
        } catch (IOException e) {
            return Thread.interrupted() ? sayInterrupted() : unreachable("cannot be reached: " + Failures.sentence(e));
        } finally {
            signals.close();
        }
    }

    private int unreachable(String what) {
        say(uri + " " + what);
        return UNREACHABLE;
    }

    /** The URI may name a namespace that is not there. */
    private void requireNamespace(Runner runner) throws UsageException {
        if (target.nsid() != 0 && runner.facts().blocks() == 0) {
            throw new UsageException("the subsystem has no namespace " + target.nsid() + "; see nvmf list");
        }
    }

    private int run(Runner runner) throws CommandException {
        Instant started = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        long startNs = System.nanoTime();
        showProgress();
        try {
            runner.run(options.checks(), this::ended);
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            showLine("");
        }
        List<String> order = options.checks().stream().map(CheckCase::id).toList();
        outcomes.sort(
                Comparator.comparingInt(outcome -> order.indexOf(outcome.check().id())));
        Report report = new Report(
                Version.text(),
                uri,
                target,
                runner.facts(),
                options.runOptions(),
                options.patterns(),
                started,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs),
                order.size(),
                outcomes);
        return tell(report);
    }

    private int tell(Report report) throws CommandException {
        if (format == OutputFormat.JSON) {
            Json.print(console.out(), JsonReport.of(report));
        } else {
            text.summary(report);
        }
        console.out().flush();
        files.write(report);
        if (interrupted) {
            return sayInterrupted();
        }
        return report.hasPassed() ? Nvmf.SUCCESS : Nvmf.FAILURE;
    }

    /** Told here, for after a signal the process may end as soon as that is closed. */
    private int sayInterrupted() {
        say(
                outcomes.isEmpty()
                        ? "interrupted before a check had ended"
                        : "interrupted; the result is of the checks that had ended");
        return Nvmf.FAILURE;
    }

    private void say(String sentence) {
        console.err().println("nvmf conformance: " + sentence);
    }

    private void ended(Outcome outcome) {
        outcomes.add(outcome);
        if (format == OutputFormat.NORMAL) {
            showLine("");
            text.ended(outcome);
        }
        for (Path kept : files.ended(outcome)) {
            showLine("");
            say(outcome.check().id() + ": the case is in " + kept + ": see it again with --replay " + kept);
        }
        showProgress();
    }

    private void showProgress() {
        int all = options.checks().size();
        int filled = outcomes.size() * BAR_WIDTH / all;
        long failed = outcomes.stream()
                .filter(outcome -> outcome.verdict() == Verdict.FAIL)
                .count();
        showLine("[" + "#".repeat(filled) + "-".repeat(BAR_WIDTH - filled) + "] " + outcomes.size() + " of " + all
                + (failed == 0 ? "" : ", " + failed + " failed"));
    }

    private void showLine(String line) {
        if (console.errIsTerminal()) {
            console.err().print("\r\u001b[K" + line);
            console.err().flush();
        }
    }
}
