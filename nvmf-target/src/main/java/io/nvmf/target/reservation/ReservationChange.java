package io.nvmf.target.reservation;

import io.nvmf.codec.Status;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What a reservation command comes to.
 *
 * @param status of its completion, without flags
 * @param next the state when it succeeds
 * @param notices what other hosts are told
 * @param preempted hosts that are no registrants any more because another host wanted so
 */
public record ReservationChange(int status, ReservationState next, List<Notice> notices, Set<UUID> preempted) {
    /** @param type of a notification, as the log page has it */
    public record Notice(int type, Set<UUID> hosts) {}

    /** Nothing is to change. */
    public static ReservationChange refused(int status) {
        return new ReservationChange(status, null, List.of(), Set.of());
    }

    static ReservationChange conflict() {
        return refused(Status.RESERVATION_CONFLICT);
    }

    /** The state is to be another. */
    public static ReservationChange to(ReservationState next, Notice... notices) {
        return new ReservationChange(Status.SUCCESS, next, List.of(notices), Set.of());
    }
}
