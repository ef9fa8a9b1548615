package io.nvmf.target.command.admin;

import io.nvmf.codec.Status;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;

/** Asynchronous Event Request (NVMe Base 2.0 s5.2): waits, without end, for something to report. */
public final class AsyncEventRequestHandler implements CommandHandler {
    @Override
    public long check(Command command) {
        return NO_DATA;
    }

    @Override
    public void execute(Command command) {
        boolean parked = command.queue()
                .controller()
                .asyncEvents()
                .park(
                        command.sqe().commandId(),
                        dw0 -> command.complete(Status.SUCCESS, dw0),
                        () -> command.complete(Status.ABORT_REQUESTED));
        if (!parked) {
            command.complete(Status.ASYNC_EVENT_REQUEST_LIMIT_EXCEEDED | Status.DNR);
        }
    }
}
