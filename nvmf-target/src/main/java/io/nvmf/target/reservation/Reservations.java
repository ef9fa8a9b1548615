package io.nvmf.target.reservation;

import io.nvmf.codec.Status;
import java.util.UUID;
import java.util.function.Function;

/**
 * The registrants and the reservation of one namespace, as long as the namespace lives. Thread safe: commands read one
 * immutable {@link ReservationState}, without a lock; changes come one after the other and swap it as a whole.
 */
public final class Reservations {
    private volatile ReservationState state = ReservationState.NONE;

    /** As it is now. Any thread. */
    public ReservationState state() {
        return state;
    }

    /** As {@link ReservationState#excludes}. Any thread; allocates nothing. */
    public boolean excludes(UUID host, boolean writes) {
        return state.excludes(host, writes);
    }

    /** Asks the rules what is to become of the state, and does it when they do not refuse. Any thread. */
    public synchronized ReservationChange change(Function<ReservationState, ReservationChange> rules) {
        ReservationChange change = rules.apply(state);
        if (change.status() == Status.SUCCESS) {
            state = change.next();
        }
        return change;
    }
}
