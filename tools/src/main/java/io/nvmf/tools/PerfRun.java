package io.nvmf.tools;

import io.nvmf.tools.output.Json;
import io.nvmf.tools.output.Rates;
import io.nvmf.tools.perf.CsvReport;
import io.nvmf.tools.perf.JsonReport;
import io.nvmf.tools.perf.Load;
import io.nvmf.tools.perf.Measured;
import io.nvmf.tools.perf.Outcome;
import io.nvmf.tools.perf.TextReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The measurements of one {@code nvmf perf}, one after the other, and what is told of them however they end. */
final class PerfRun {
    private final PerfOptions options;
    private final Console console;
    private final List<Load.Place> places;
    private final boolean showsProgress;
    private final List<Measured.Phase> phases = new ArrayList<>();
    private boolean interrupted;
    /** Of the last measurement. */
    private long unanswered;
    /** Null without one. */
    private String failure;

    PerfRun(PerfOptions options, Console console, List<Load.Place> places) {
        this.options = options;
        this.console = console;
        this.places = places;
        showsProgress = console.errIsTerminal();
    }

    /**
     * Measures until all is done, something fails, or the thread is interrupted.
     *
     * @return the exit status, which the one of a signal takes the place of
     */
    int run() {
        SignalInterrupt signals = SignalInterrupt.register();
        try {
            measureAll();
            if (!phases.isEmpty()) {
                report(new Measured(options.mode(), phases, failure == null && !interrupted));
            }
            if (failure != null) {
                // Told here, for after a signal the process may end as soon as it is closed.
                say(Failures.sentence(new CommandException(failure)));
                return Nvmf.FAILURE;
            }
            if (interrupted) {
                say(
                        phases.isEmpty()
                                ? "interrupted before there was a result"
                                : "interrupted; the result is of the time until then"
                                        + (unanswered > 0 ? ", without answers to " + unanswered + " requests" : ""));
            }
            return interrupted ? Nvmf.FAILURE : Nvmf.SUCCESS;
        } finally {
            signals.close();
        }
    }

    private void measureAll() {
        switch (options.mode()) {
            case RUN -> measure("run", places, options.depth());
            case RAMP -> ramp();
            case SCALING -> scale();
        }
    }

    private void ramp() {
        for (int at = 1; measure("ramp", places, at) && at < options.depth(); ) {
            at = Math.min(at * 2, options.depth());
        }
    }

    /** The first alone again at the end: what has changed meanwhile, in this process or elsewhere, shows. */
    private void scale() {
        List<Load.Place> first = places.subList(0, 1);
        if (measure(Measured.ALONE_BEFORE, first, options.depth())
                && measure(Measured.TOGETHER, places, options.depth())) {
            measure(Measured.ALONE_AFTER, first, options.depth());
        }
    }

    /** Returns whether all went well, so that the next may follow. */
    private boolean measure(String phase, List<Load.Place> of, int depth) {
        Load.Extent extent =
                new Load.Extent(depth, options.warmUpMs(phases.isEmpty()), options.timeMs(), options.patienceMs());
        String label = switch (options.mode()) {
            case RUN -> "";
            case RAMP -> "depth " + depth + ", ";
            case SCALING -> phase.replace('_', ' ') + ", ";
        };
        Load.Progress progress = second -> {
            // Nobody's line takes no time from a host that has one processor for everything.
            if (showsProgress) {
                showLine(label + progress(second));
            }
        };
        try {
            Outcome outcome = new Load(of, options.workload(), extent, progress).run();
            phases.add(new Measured.Phase(phase, outcome));
            failure = outcome.end().failure();
            interrupted = outcome.end().how() == Outcome.How.INTERRUPTED;
            unanswered = outcome.end().unanswered();
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (CommandException e) {
            failure = e.getMessage();
        } finally {
            showLine("");
        }
        return failure == null && !interrupted;
    }

    private void report(Measured measured) {
        switch (options.format()) {
            case "json" -> Json.print(console.out(), JsonReport.toJson(measured, options.toJson()));
            case "csv" -> CsvReport.print(console.out(), measured);
            default -> TextReport.print(console.out(), measured);
        }
        console.out().flush();
        if (failure == null && measured.isMostlyUnchecked()) {
            say("most of the blocks read could not be checked, for this run had not written them: to check all, write"
                    + " them first with -w write --" + PerfOptions.VERIFY + ", then read them with -w read or randread,"
                    + " --" + PerfOptions.VERIFY + " and the same --" + PerfOptions.SEED);
        }
    }

    private void say(String sentence) {
        console.err().println("nvmf perf: " + sentence);
    }

    /** Rates of the last second alone: a target that stalls does not look as if it went on. */
    private static String progress(Load.Second second) {
        double elapsedS = second.elapsedNs() / 1e9;
        return second.isMeasuring()
                ? String.format(
                        Locale.ROOT,
                        "%.0f s: %.0f IOPS, %s",
                        elapsedS,
                        second.requests() * 1e9 / second.lengthNs(),
                        Rates.format(second.bytes(), second.lengthNs()))
                : String.format(Locale.ROOT, "%.0f s of warm-up", elapsedS);
    }

    private void showLine(String line) {
        if (showsProgress) {
            console.err().print("\r\u001b[K" + line);
            console.err().flush();
        }
    }
}
