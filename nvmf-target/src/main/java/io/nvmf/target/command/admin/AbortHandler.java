package io.nvmf.target.command.admin;

import io.nvmf.codec.Status;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.controller.ControllerQueue;

/**
 * Abort (NVMe Base 2.0 s5.1). Succeeds whatever becomes of the command it names; DW0 bit 0 says truthfully whether that
 * one was aborted. A command whose data moves, or which the backend has, is left to complete.
 */
public final class AbortHandler implements CommandHandler {
    private static final long NOT_ABORTED = 1;

    @Override
    public long check(Command command) {
        return NO_DATA;
    }

    @Override
    public void execute(Command command) {
        Controller controller = command.queue().controller();
        int queueId = (int) command.sqe().cdw(10) & 0xFFFF;
        int commandId = (int) (command.sqe().cdw(10) >> 16);
        if (queueId == 0) {
            answer(command, controller.asyncEvents().abort(commandId));
            return;
        }
        ControllerQueue queue = controller.ioQueue(queueId);
        if (queue == null) {
            answer(command, false);
        } else {
            queue.abort(commandId, aborted -> command.queue().loop().execute(() -> answer(command, aborted)));
        }
    }

    private static void answer(Command command, boolean aborted) {
        command.complete(Status.SUCCESS, aborted ? 0 : NOT_ABORTED);
    }
}
