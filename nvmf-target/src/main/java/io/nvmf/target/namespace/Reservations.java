package io.nvmf.target.namespace;

import io.nvmf.codec.Status;
import io.nvmf.target.reservation.ReservationChange;
import io.nvmf.target.reservation.ReservationState;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The registrants and the reservation of one namespace, as long as the namespace lives, and longer where they are kept. Thread
 * safe: commands read one immutable {@link ReservationState}, without a lock; changes come one after the other and swap it as
 * a whole.
 */
public final class Reservations {
    private final KeptState kept;
    private volatile ReservationState state;

    Reservations(KeptState kept) {
        this.kept = kept;
        this.state = kept.atStart().reservations();
    }

    /** As it is now. Any thread. */
    public ReservationState state() {
        return state;
    }

    /** Whether registrants and reservation can outlive the target. */
    public boolean canPersist() {
        return kept.canSave();
    }

    /** As {@link ReservationState#excludes}. Any thread; allocates nothing. */
    public boolean excludes(UUID host, boolean writes) {
        return state.excludes(host, writes);
    }

    /**
     * Asks the rules what is to become of the state, and does it when they do not refuse. Any thread.
     *
     * @return ends on any thread; what it says is done, and kept if it is to persist
     */
    public CompletableFuture<ReservationChange> change(Function<ReservationState, ReservationChange> rules) {
        return kept.change(() -> changeNow(rules), ReservationChange::refused);
    }

    /** Says whether registrants and reservation are to outlive the target; see {@link #canPersist}. */
    public CompletableFuture<ReservationChange> persist(boolean persistent) {
        return change(now -> ReservationChange.to(now.persistent(persistent)));
    }

    private ReservationChange changeNow(Function<ReservationState, ReservationChange> rules) throws IOException {
        ReservationChange change = rules.apply(state);
        if (change.status() == Status.SUCCESS) {
            ReservationState next = change.next();
            kept.save(all -> all.withReservations(next.persistent() ? next : ReservationState.NONE));
            state = next;
        }
        return change;
    }
}
