package io.nvmf.target.command.io;

import io.nvmf.codec.Sqe;
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
        boolean all = command.sqe().nsid() == Sqe.NSID_ALL;
        return all ? NO_DATA : Admission.checkFirst(command, BlockRange.namespace(command), Access.FLUSH);
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
