package io.nvmf.target.command.io;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.target.namespace.Reservations;
import io.nvmf.target.reservation.ReservationChange;
import io.nvmf.target.reservation.ReservationRules;
import io.nvmf.target.reservation.ReservationState;
import java.util.UUID;

/** Reservation Register (NVMe Base 2.0 s7.3). */
public final class ReservationRegisterHandler extends ReservationHandler {
    public ReservationRegisterHandler() {
        super(ReservationKeys.BYTES);
    }

    @Override
    boolean isValid(Sqe sqe, Reservations reservations) {
        boolean action = ReservationCommand.action(sqe) <= ReservationCommand.REPLACE;
        boolean persistence = switch (ReservationCommand.persistence(sqe)) {
            case ReservationCommand.PERSISTENCE_UNCHANGED, ReservationCommand.PERSISTENCE_OFF -> true;
            case ReservationCommand.PERSISTENCE_ON -> reservations.canPersist();
            default -> false;
        };
        return action && persistence;
    }

    @Override
    ReservationChange change(ReservationState state, UUID hostId, Sqe sqe, ReservationKeys keys) {
        return ReservationRules.register(
                state,
                hostId,
                ReservationCommand.action(sqe),
                ReservationCommand.ignoresExistingKey(sqe),
                ReservationCommand.persistence(sqe),
                keys);
    }
}
