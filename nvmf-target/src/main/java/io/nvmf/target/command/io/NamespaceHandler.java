package io.nvmf.target.command.io;

import io.nvmf.codec.Status;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.namespace.Namespace;

/** A command on one namespace: finds it, and the channel to its device. */
abstract class NamespaceHandler implements CommandHandler {
    @Override
    public final void execute(Command command) {
        // The namespace may have been removed while the command waited for its data.
        Namespace namespace = BlockRange.namespace(command);
        BlockChannel channel = namespace == null ? null : command.queue().channel(namespace);
        if (channel == null) {
            command.complete(Status.NAMESPACE_NOT_READY | Status.DNR);
        } else {
            execute(command, namespace, channel);
        }
    }

    abstract void execute(Command command, Namespace namespace, BlockChannel channel);
}
