package io.nvmf.target.command.io;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationStatus;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.command.Pages;
import io.nvmf.target.namespace.Namespace;
import java.nio.ByteBuffer;

/**
 * Reservation Report (NVMe Base 2.0 s7.5). Host identifiers have 128 bits over fabrics: there is no report with short ones.
 */
public final class ReservationReportHandler implements CommandHandler {
    @Override
    public long check(Command command) {
        Sqe sqe = command.sqe();
        long refusal = Admission.checkReach(command, BlockRange.namespace(command));
        if (refusal < 0) {
            return refusal;
        }
        if (!ReservationCommand.isExtended(sqe)) {
            return CommandHandler.refuse(Status.HOST_ID_INCONSISTENT_FORMAT);
        }
        long length = ReservationCommand.lengthBytes(sqe);
        return length > command.queue().controller().limits().maxTransferBytes()
                ? CommandHandler.refuse(Status.INVALID_FIELD)
                : length;
    }

    @Override
    public void execute(Command command) {
        Namespace namespace = BlockRange.namespace(command);
        if (namespace == null) {
            command.complete(Status.NAMESPACE_NOT_READY | Status.DNR);
            return;
        }
        ReservationStatus status = namespace.reservations().state().status();
        ByteBuffer page = Bytes.allocate(status.lengthBytes());
        status.encode(page, 0);
        Pages.fill(command, page, 0);
        command.complete(Status.SUCCESS);
    }
}
