package io.nvmf.target.reservation;

import static io.nvmf.codec.log.ReservationNotification.TYPE_REGISTRATION_PREEMPTED;
import static io.nvmf.codec.log.ReservationNotification.TYPE_RESERVATION_PREEMPTED;
import static io.nvmf.codec.log.ReservationNotification.TYPE_RESERVATION_RELEASED;

import io.nvmf.codec.Status;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.target.reservation.ReservationChange.Notice;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What the reservation commands do (NVMe Base 2.0 s8.19): from a state, a host and a command to a {@link ReservationChange}.
 * Fields of the command have been checked before.
 */
public final class ReservationRules {
    /** More hosts than this cannot register with one namespace. */
    public static final int MAX_REGISTRANTS = 256;

    private ReservationRules() {}

    /**
     * Reservation Register.
     *
     * @param action RREGA
     * @param ignoreKey IEKEY
     * @param persistence CPTPL
     */
    public static ReservationChange register(
            ReservationState state, UUID host, int action, boolean ignoreKey, int persistence, ReservationKeys keys) {
        boolean unregister = action == ReservationCommand.UNREGISTER;
        if (!unregister && keys.other() == 0) {
            return ReservationChange.refused(Status.INVALID_FIELD);
        }
        Long registered = state.keys().get(host);
        boolean allowed = switch (action) {
            case ReservationCommand.REGISTER -> registered == null || registered == keys.other();
            case ReservationCommand.REPLACE -> ignoreKey || state.isRegistered(host, keys.current());
            default -> registered != null && (ignoreKey || registered == keys.current());
        };
        if (!allowed) {
            return ReservationChange.conflict();
        }
        if (registered == null && state.keys().size() == MAX_REGISTRANTS) {
            return ReservationChange.refused(Status.INTERNAL_ERROR);
        }
        ReservationState next = unregister ? state.unregistered(List.of(host)) : state.registered(host, keys.other());
        if (persistence != ReservationCommand.PERSISTENCE_UNCHANGED) {
            next = next.persistent(persistence == ReservationCommand.PERSISTENCE_ON);
        }
        boolean tells =
                state.type() != null && next.type() == null && state.type().letsRegistrantsIn();
        return tells
                ? ReservationChange.to(next.counted(), notice(TYPE_RESERVATION_RELEASED, next, host))
                : ReservationChange.to(next.counted());
    }

    /**
     * Reservation Acquire.
     *
     * @param action RACQA
     * @param type null only for a preempt, which may be about registrations alone
     */
    public static ReservationChange acquire(
            ReservationState state, UUID host, int action, ReservationType type, ReservationKeys keys) {
        if (!state.isRegistered(host, keys.current())) {
            return ReservationChange.conflict();
        }
        if (action != ReservationCommand.ACQUIRE) {
            return preempt(state, host, type, keys.other());
        }
        if (state.type() == null) {
            return ReservationChange.to(state.reserved(type, host));
        }
        return state.isHeldBy(host) && state.type() == type
                ? ReservationChange.to(state)
                : ReservationChange.conflict();
    }

    /**
     * Unregisters whoever has the key. The key of the holder, or 0 where every registrant is one, gives the reservation to
     * the host, which then stays registered whatever its own key is.
     */
    private static ReservationChange preempt(ReservationState state, UUID host, ReservationType type, long victimKey) {
        boolean heldByAll = state.type() != null && state.type().isHeldByAllRegistrants();
        boolean takesFromAll = heldByAll && victimKey == 0;
        boolean takes = takesFromAll || state.holder() != null && state.isRegistered(state.holder(), victimKey);
        if (takes ? type == null : victimKey == 0) {
            return ReservationChange.refused(Status.INVALID_FIELD);
        }
        Set<UUID> victims = new LinkedHashSet<>();
        for (Map.Entry<UUID, Long> registrant : state.keys().entrySet()) {
            if (takesFromAll || registrant.getValue() == victimKey) {
                victims.add(registrant.getKey());
            }
        }
        if (takes) {
            victims.remove(host);
        } else if (victims.isEmpty()) {
            return ReservationChange.conflict();
        }
        ReservationState left = state.unregistered(victims);
        ReservationState next = (takes ? left.reserved(type, host) : left).counted();
        victims.remove(host);
        Notice preempted = new Notice(TYPE_REGISTRATION_PREEMPTED, Set.copyOf(victims));
        boolean tells = takes && state.type() != type;
        List<Notice> notices =
                tells ? List.of(preempted, notice(TYPE_RESERVATION_RELEASED, next, host)) : List.of(preempted);
        return new ReservationChange(Status.SUCCESS, next, notices, Set.copyOf(victims));
    }

    /**
     * Reservation Release. Whoever holds nothing releases nothing, and succeeds.
     *
     * @param action RRELA
     * @param type of the reservation, not looked at when it is cleared
     */
    public static ReservationChange release(
            ReservationState state, UUID host, int action, ReservationType type, ReservationKeys keys) {
        if (!state.isRegistered(host, keys.current())) {
            return ReservationChange.conflict();
        }
        if (action == ReservationCommand.CLEAR) {
            ReservationState cleared = state.unregistered(state.keys().keySet()).counted();
            return ReservationChange.to(cleared, notice(TYPE_RESERVATION_PREEMPTED, state, host));
        }
        if (!state.isHeldBy(host)) {
            return ReservationChange.to(state);
        }
        if (state.type() != type) {
            return ReservationChange.refused(Status.INVALID_FIELD);
        }
        return type.letsRegistrantsIn()
                ? ReservationChange.to(state.released(), notice(TYPE_RESERVATION_RELEASED, state, host))
                : ReservationChange.to(state.released());
    }

    /** For all registrants of a state but the one who caused it. */
    private static Notice notice(int type, ReservationState registrants, UUID but) {
        Set<UUID> others = new LinkedHashSet<>(registrants.keys().keySet());
        others.remove(but);
        return new Notice(type, Set.copyOf(others));
    }
}
