package io.nvmf.target.command.io;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.target.namespace.Reservations;
import io.nvmf.target.reservation.ReservationChange;
import io.nvmf.target.reservation.ReservationRules;
import io.nvmf.target.reservation.ReservationState;
import java.nio.ByteBuffer;
import java.util.UUID;

/** Reservation Release (NVMe Base 2.0 s7.4). */
public final class ReservationReleaseHandler extends ReservationHandler {
    public ReservationReleaseHandler() {
        super(ReservationKeys.RELEASE_BYTES);
    }

    @Override
    boolean isValid(Sqe sqe, Reservations reservations) {
        int action = ReservationCommand.action(sqe);
        boolean typed = action == ReservationCommand.CLEAR || ReservationType.of(ReservationCommand.type(sqe)) != null;
        return action <= ReservationCommand.CLEAR && !ReservationCommand.ignoresExistingKey(sqe) && typed;
    }

    @Override
    ReservationKeys keys(ByteBuffer data) {
        return ReservationKeys.decodeRelease(data, 0);
    }

    @Override
    ReservationChange change(ReservationState state, UUID hostId, Sqe sqe, ReservationKeys keys) {
        return ReservationRules.release(
                state, hostId, ReservationCommand.action(sqe), ReservationType.of(ReservationCommand.type(sqe)), keys);
    }
}
