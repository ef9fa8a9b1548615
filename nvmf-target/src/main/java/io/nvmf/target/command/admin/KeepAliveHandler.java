package io.nvmf.target.command.admin;

import io.nvmf.codec.Status;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.controller.KeepAlive;

/** Keep Alive (NVMe Base 2.0 s5.18). */
public final class KeepAliveHandler implements CommandHandler {
    @Override
    public long check(Command command) {
        boolean on = command.queue().controller().keepAlive().timeoutMs() != 0;
        return on ? NO_DATA : CommandHandler.refuse(Status.KEEP_ALIVE_TIMEOUT_INVALID);
    }

    @Override
    public void execute(Command command) {
        KeepAlive keepAlive = command.queue().controller().keepAlive();
        keepAlive.touch(command.queue().nanoTime());
        command.complete(Status.SUCCESS);
    }
}
