package io.nvmf.target.command.io;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.command.CommandQueue;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.subsystem.Subsystem;
import java.util.List;

/** Flush (NVMe Base 2.0 s7.1), of one namespace or of all. */
public final class FlushHandler implements CommandHandler {
    @Override
    public long check(Command command) {
        int status = admit(command);
        return status == Status.SUCCESS ? NO_DATA : CommandHandler.refuseAs(status);
    }

    @Override
    public void execute(Command command) {
        if (command.sqe().nsid() == Sqe.NSID_ALL) {
            flushAll(command.queue(), command.queue().controller(), command.whenStored());
            return;
        }
        // The namespace may have gone since the check.
        Namespace namespace = BlockRange.namespace(command);
        BlockChannel channel = namespace == null ? null : command.queue().channel(namespace);
        if (channel == null) {
            command.whenStored().onComplete(BlockError.GONE);
        } else {
            channel.flush(command.whenStored());
        }
    }

    /** All namespaces are flushed only for a host that may flush each. */
    private static int admit(Command command) {
        if (command.sqe().nsid() != Sqe.NSID_ALL) {
            return Admission.check(command, BlockRange.namespace(command), Access.FLUSH);
        }
        for (Namespace namespace :
                command.queue().controller().subsystem().namespaces().all()) {
            int status = Admission.check(command, namespace, Access.FLUSH);
            if (status != Status.SUCCESS) {
                return status;
            }
        }
        return Status.SUCCESS;
    }

    /** Flushes every namespace of a controller, all of them even after an error. On the queue's loop. */
    public static void flushAll(CommandQueue queue, Controller controller, BlockCompletion completion) {
        flushFrom(
                queue,
                controller.subsystem(),
                controller.subsystem().namespaces().all(),
                0,
                completion);
    }

    private static void flushFrom(
            CommandQueue queue, Subsystem subsystem, List<Namespace> all, int index, BlockCompletion completion) {
        if (index == all.size()) {
            completion.onComplete(BlockError.NONE);
            return;
        }
        Namespace namespace = all.get(index);
        boolean gone = subsystem.namespaces().get(namespace.nsid()) != namespace;
        BlockChannel channel = gone ? null : queue.channel(namespace);
        if (channel == null) {
            flushFrom(queue, subsystem, all, index + 1, completion);
        } else {
            channel.flush(error -> flushFrom(
                    queue,
                    subsystem,
                    all,
                    index + 1,
                    error == BlockError.NONE ? completion : ignored -> completion.onComplete(error)));
        }
    }
}
