package io.nvmf.conformance;

import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.raw.Trace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Runs checks one after the other, and beside them those that take long because they wait. The target is asked once what it
 * is before any of them.
 */
public final class Runner {
    /** Checks that say that they take so long run beside the others. */
    private static final int LONG_SECONDS = 5;

    private static final int LONG_AT_A_TIME = 16;

    /** Closing connections takes no time; this is for the case that it does. */
    private static final int END_SECONDS = 5;

    private final TargetUnderTest target;
    private final RunOptions options;
    private final Facts facts;

    /**
     * Asks the target what it is.
     *
     * @throws IOException when it cannot be reached
     * @throws CheckFailure when it does not answer what every host asks first
     * @throws ForeignReservationException when checks may overwrite the namespace, and another host has registered with it
     */
    public Runner(TargetUnderTest target, RunOptions options) throws IOException {
        this.target = target;
        this.options = options;
        try (Bench bench = new Bench(target, null)) {
            if (target.subsystemNqn().isEmpty()) {
                bench.queue(0, Association.DEPTH);
                facts = null;
            } else {
                facts = Facts.gather(bench);
                if (options.allowed().contains(Needs.DATA_LOSS)) {
                    Registrations.requireOwn(bench, facts);
                }
            }
        }
    }

    /** What the target says of itself; null when no subsystem was named. */
    public Facts facts() {
        return facts;
    }

    /**
     * Runs them. An interrupt ends those that run, with their connections, before it is thrown; nothing is told of them.
     *
     * @param told each outcome as it comes; one thread at a time
     * @return in the order of the checks
     */
    public List<Outcome> run(List<CheckCase> checks, Consumer<Outcome> told) throws InterruptedException {
        ExecutorService beside = Executors.newFixedThreadPool(LONG_AT_A_TIME, Runner::daemon);
        ExecutorService inTurn = Executors.newSingleThreadExecutor(Runner::daemon);
        try {
            List<Future<Outcome>> futures = new ArrayList<>();
            for (CheckCase check : checks) {
                ExecutorService executor = check.check().seconds() >= LONG_SECONDS ? beside : inTurn;
                List<Future<Outcome>> before = check.name().alone() ? List.copyOf(futures) : List.of();
                futures.add(executor.submit(() -> {
                    for (Future<Outcome> other : before) {
                        other.get();
                    }
                    return tell(outcomeOf(check), told);
                }));
            }
            List<Outcome> outcomes = new ArrayList<>();
            for (Future<Outcome> future : futures) {
                outcomes.add(future.get());
            }
            return outcomes;
        } catch (ExecutionException e) {
            throw new IllegalStateException("the harness itself has failed", e.getCause());
        } finally {
            beside.shutdownNow();
            inTurn.shutdownNow();
            beside.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
            inTurn.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "conformance");
        thread.setDaemon(true);
        return thread;
    }

    private static Outcome tell(Outcome outcome, Consumer<Outcome> told) {
        synchronized (told) {
            told.accept(outcome);
        }
        return outcome;
    }

    private Outcome outcomeOf(CheckCase check) throws InterruptedException {
        String skip = skipReason(check);
        if (skip != null) {
            return new Outcome(check, Outcome.Verdict.SKIP, skip, List.of(), 0);
        }
        long start = System.nanoTime();
        Bench bench = new Bench(target, facts);
        ExecutorService thread = Executors.newSingleThreadExecutor(Runner::daemon);
        Exception thrown = null;
        try {
            Future<?> run = thread.submit(() -> {
                check.run(bench);
                return null;
            });
            run.get(options.checkMs() + TimeUnit.SECONDS.toMillis(check.check().seconds()), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            thrown = new CheckFailure("the check to end", "no end of it: what it waits for does not come");
        } catch (ExecutionException e) {
            thrown = e.getCause() instanceof Exception ? (Exception) e.getCause() : e;
        } finally {
            bench.close();
            thread.shutdownNow();
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        return judged(check, bench, thrown, millis);
    }

    private static Outcome judged(CheckCase check, Bench bench, Exception thrown, long millis) {
        List<Trace.Line> trace = bench.trace().lines();
        if (thrown instanceof CheckSkipped) {
            return new Outcome(check, Outcome.Verdict.SKIP, thrown.getMessage(), trace, millis);
        }
        if (thrown != null) {
            return failed(check, bench, thrown, millis);
        }
        if (bench.deviations().isEmpty()) {
            return new Outcome(check, Outcome.Verdict.PASS, "", trace, millis);
        }
        String how = bench.deviations().stream()
                .map(deviation -> deviation.what() + " (so does " + deviation.whoElse() + ")")
                .collect(Collectors.joining("; "));
        return new Outcome(check, Outcome.Verdict.WARN, how, trace, millis);
    }

    private static Outcome failed(CheckCase check, Bench bench, Exception thrown, long millis) {
        Trace.Line last = bench.trace().last(Trace.Direction.SENT);
        CheckFailure failure = thrown instanceof CheckFailure told ? told : null;
        return new Outcome(
                check,
                Outcome.Verdict.FAIL,
                failure == null ? unforeseen(thrown) : failure.getMessage(),
                failure == null ? "" : failure.expected(),
                failure == null ? "" : failure.got(),
                last == null ? "" : last.text(),
                bench.trace().lines(),
                millis,
                Map.copyOf(bench.attachments()));
    }

    private static String unforeseen(Exception thrown) {
        String message = thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
        return thrown instanceof IOException ? "the connection failed: " + message : "unforeseen: " + thrown;
    }

    /** Why a check is not run; null when it is. */
    private String skipReason(CheckCase check) {
        String listed = options.skipped().reasons().get(check.id());
        if (listed != null) {
            return listed;
        }
        if (check.check().level().compareTo(options.lowest()) > 0) {
            return "its level is " + check.check().level().label();
        }
        SuiteName.Over over = check.name().over();
        if (over == SuiteName.Over.TCP && target.transport() != TransportType.TCP
                || over == SuiteName.Over.RDMA && target.transport() != TransportType.RDMA) {
            return "it is about " + over;
        }
        if (check.name().subsystem() && facts == null) {
            return "the URI names no subsystem";
        }
        for (Needs needs : check.check().needs()) {
            if (!options.allowed().contains(needs)) {
                return needs.skipReason();
            }
        }
        return null;
    }
}
