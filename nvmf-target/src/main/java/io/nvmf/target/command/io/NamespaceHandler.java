package io.nvmf.target.command.io;

import io.nvmf.codec.Status;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.namespace.Namespace;

/** A command on one namespace: finds it, and the channel to its device. */
abstract class NamespaceHandler implements CommandHandler {
    private final Access access;

    NamespaceHandler(Access access) {
        this.access = access;
    }

    @Override
    public final long check(Command command) {
        Namespace namespace = BlockRange.namespace(command);
        long refusal = Admission.checkFirst(command, namespace, access(command));
        return refusal < 0 ? refusal : check(command, namespace);
    }

    @Override
    public final void execute(Command command) {
        // Much may have happened while the command waited for its data; the namespace may even have gone.
        Namespace namespace = BlockRange.namespace(command);
        BlockChannel channel = namespace == null ? null : command.queue().channel(namespace);
        if (channel == null) {
            command.complete(Status.NAMESPACE_NOT_READY | Status.DNR);
            return;
        }
        int status = Admission.check(command, namespace, access(command));
        if (status == Status.SUCCESS) {
            execute(command, namespace, channel);
        } else {
            command.complete(status);
        }
    }

    /** What this command wants of the namespace. */
    Access access(Command command) {
        return access;
    }

    /** As {@link CommandHandler#check} for a namespace that is there. */
    abstract long check(Command command, Namespace namespace);

    abstract void execute(Command command, Namespace namespace, BlockChannel channel);
}
