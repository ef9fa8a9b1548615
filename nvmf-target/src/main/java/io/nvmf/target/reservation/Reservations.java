package io.nvmf.target.reservation;

import io.nvmf.codec.Status;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registrants and the reservation of one namespace, as long as the namespace lives, and longer in a file. Thread safe:
 * commands read one immutable {@link ReservationState}, without a lock; changes come one after the other and swap it as a
 * whole. With a file, changes have a thread of their own, for they wait for the disk.
 */
public final class Reservations {
    private static final Logger LOG = LoggerFactory.getLogger(Reservations.class);
    private static final int IDLE_SECONDS = 1;
    private static final int CLOSE_SECONDS = 30;

    private final ReservationFile file;
    private final ThreadPoolExecutor writer;
    private volatile ReservationState state;

    /** @param file null when nothing is kept */
    public Reservations(ReservationFile file) {
        this.file = file;
        this.writer = file == null ? null : oneThreadWhileNeeded();
        ReservationState saved = file == null ? ReservationState.NONE : file.saved();
        this.state = saved.persistent() ? saved : ReservationState.NONE;
    }

    private static ThreadPoolExecutor oneThreadWhileNeeded() {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, "nvmf-reservations");
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** As it is now. Any thread. */
    public ReservationState state() {
        return state;
    }

    /** Whether there is a file in which registrants and reservation can outlive the target. */
    public boolean canPersist() {
        return file != null;
    }

    /** As {@link ReservationState#excludes}. Any thread; allocates nothing. */
    public boolean excludes(UUID host, boolean writes) {
        return state.excludes(host, writes);
    }

    /**
     * Asks the rules what is to become of the state, and does it when they do not refuse. Any thread.
     *
     * @return ends on any thread; what it says is done, and in the file if it is to persist
     */
    public CompletableFuture<ReservationChange> change(Function<ReservationState, ReservationChange> rules) {
        if (file == null) {
            return CompletableFuture.completedFuture(changeNow(rules));
        }
        try {
            return CompletableFuture.supplyAsync(() -> changeNow(rules), writer);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(ReservationChange.refused(Status.NAMESPACE_NOT_READY));
        }
    }

    /** Says whether registrants and reservation are to outlive the target; see {@link #canPersist}. */
    public CompletableFuture<ReservationChange> persist(boolean persistent) {
        return change(now -> ReservationChange.to(now.persistent(persistent)));
    }

    private synchronized ReservationChange changeNow(Function<ReservationState, ReservationChange> rules) {
        ReservationChange change = rules.apply(state);
        if (change.status() != Status.SUCCESS || change.next().equals(state)) {
            return change;
        }
        try {
            if (state.persistent() || change.next().persistent()) {
                file.save(change.next().persistent() ? change.next() : ReservationState.NONE);
            }
        } catch (IOException e) {
            LOG.error("a reservation cannot be kept in {}, its change is refused: {}", file.path(), e.toString());
            return ReservationChange.refused(Status.INTERNAL_ERROR);
        }
        state = change.next();
        return change;
    }

    /** Waits for changes under way; later ones are refused. Blocks. */
    public void close() {
        if (writer == null) {
            return;
        }
        writer.shutdown();
        try {
            if (!writer.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("{} is still being written", file.path());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
