package io.nvmf.target.command.io;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.controller.HostIdentity;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.namespace.Reservations;
import io.nvmf.target.reservation.ReservationChange;
import io.nvmf.target.reservation.ReservationState;
import io.nvmf.target.subsystem.Subsystem;
import java.nio.ByteBuffer;
import java.util.UUID;

/** A command that changes registrations or the reservation of a namespace. */
abstract class ReservationHandler implements CommandHandler {
    private static final UUID NO_HOST_ID = new UUID(0, 0);

    private final int dataBytes;

    ReservationHandler(int dataBytes) {
        this.dataBytes = dataBytes;
    }

    @Override
    public final long check(Command command) {
        Namespace namespace = BlockRange.namespace(command);
        long refusal = Admission.checkReach(command, namespace);
        if (refusal < 0) {
            return refusal;
        }
        if (host(command).hostId().equals(NO_HOST_ID)) {
            return CommandHandler.refuse(Status.HOST_ID_NOT_INITIALIZED);
        }
        return isValid(command.sqe(), namespace.reservations())
                ? dataBytes
                : CommandHandler.refuse(Status.INVALID_FIELD);
    }

    /** Whether the fields of the entry are such that the rules know them. */
    abstract boolean isValid(Sqe sqe, Reservations reservations);

    /** Linux sends 16 bytes for Release, too. */
    @Override
    public final boolean acceptsLongerData() {
        return true;
    }

    @Override
    public final void execute(Command command) {
        Namespace namespace = BlockRange.namespace(command);
        if (namespace == null) {
            command.complete(Status.NAMESPACE_NOT_READY | Status.DNR);
            return;
        }
        ByteBuffer data = Bytes.allocate(dataBytes);
        command.data().getBytes(0, data.array());
        ReservationKeys keys = keys(data);
        UUID hostId = host(command).hostId();
        namespace
                .reservations()
                .change(state -> change(state, hostId, command.sqe(), keys))
                .thenAcceptAsync(
                        change -> answer(command, namespace, change),
                        command.queue().loop());
    }

    private void answer(Command command, Namespace namespace, ReservationChange change) {
        if (Status.isSuccess(change.status())) {
            Subsystem subsystem = command.queue().controller().subsystem();
            change.notices().forEach(n -> subsystem.noticeReservation(namespace.nsid(), n.type(), n.hosts()));
            changed(command, namespace, change);
        } else {
            command.complete(change.status() | Status.DNR);
        }
    }

    ReservationKeys keys(ByteBuffer data) {
        return ReservationKeys.decode(data, 0);
    }

    /** Asks the rules. On any thread. */
    abstract ReservationChange change(ReservationState state, UUID hostId, Sqe sqe, ReservationKeys keys);

    /** The change is made. Completes the command. */
    void changed(Command command, Namespace namespace, ReservationChange change) {
        command.complete(Status.SUCCESS);
    }

    private static HostIdentity host(Command command) {
        return command.queue().controller().host();
    }
}
