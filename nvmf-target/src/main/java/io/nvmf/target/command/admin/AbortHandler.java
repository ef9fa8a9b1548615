package io.nvmf.target.command.admin;

import io.nvmf.codec.Status;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.controller.ControllerQueue;

/**
 * Abort (NVMe Base 2.0 s5.1). Succeeds whatever becomes of the command it names; DW0 bit 0 says truthfully whether that one is
 * not executed. A command that a backend has is left to complete.
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
        if (!controller.beginAbort(ControllerData.ABORT_LIMIT_ZERO_BASED + 1)) {
            command.complete(Status.ABORT_COMMAND_LIMIT_EXCEEDED);
            return;
        }
        int queueId = (int) command.sqe().cdw(10) & 0xFFFF;
        int commandId = (int) (command.sqe().cdw(10) >> 16);
        ControllerQueue queue = queueId == 0 ? controller.adminQueue() : controller.ioQueue(queueId);
        if (queueId == 0 && controller.asyncEvents().abort(commandId)) {
            answer(command, controller, true);
        } else if (queue == null) {
            answer(command, controller, false);
        } else {
            queue.abort(
                    commandId, aborted -> command.queue().loop().execute(() -> answer(command, controller, aborted)));
        }
    }

    private static void answer(Command command, Controller controller, boolean aborted) {
        controller.endAbort();
        command.complete(Status.SUCCESS, aborted ? 0 : NOT_ABORTED);
    }
}
