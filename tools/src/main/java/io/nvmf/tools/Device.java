package io.nvmf.tools;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.initiator.controller.Controller;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * A connected controller, and the namespace that was named. Its methods block and fail with the status of the command.
 *
 * @param nsid 0 when none was named
 */
record Device(Controller controller, long nsid) {
    /** A zeroed direct buffer, as passthrough commands need it. */
    static ByteBuffer buffer(int lengthBytes) {
        return ByteBuffer.allocateDirect(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The namespace that was named, else the only one there is. */
    long requiredNsid() throws CommandException {
        return nsid != 0 ? nsid : Namespaces.choose(controller, 0).nsid();
    }

    long nsidOr(long otherwise) {
        return nsid != 0 ? nsid : otherwise;
    }

    /**
     * Sends an admin command.
     *
     * @param data of {@link #buffer}, or null
     * @return DW0 in the low, DW1 in the high half
     */
    long admin(Consumer<Sqe> fill, ByteBuffer data) {
        return controller.adminPassthrough(fill, data).join();
    }

    /** As {@link #admin}, on an I/O queue. */
    long io(Consumer<Sqe> fill, ByteBuffer data) {
        return controller.ioPassthrough(fill, data).join();
    }

    /**
     * Reads a log page, in as many commands as it takes.
     *
     * @param lengthBytes a multiple of 4
     * @param more sets what is special of the page
     */
    ByteBuffer log(int logPageId, long offset, int lengthBytes, Consumer<Sqe> more) {
        ByteBuffer page = buffer(lengthBytes);
        int most = (int) Math.min(Integer.MAX_VALUE, controller.maxTransferBytes()) & ~3;
        for (int at = 0; at < lengthBytes; at += most) {
            int part = Math.min(most, lengthBytes - at);
            long from = offset + at;
            admin(
                    sqe -> {
                        GetLogPageCommand.encode(sqe, logPageId, part, from).nsid(nsidOr(Sqe.NSID_ALL));
                        more.accept(sqe);
                    },
                    page.slice(at, part));
        }
        return page;
    }
}
