package io.nvmf.target.command.io;

import io.nvmf.codec.Status;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.namespace.RangeLock;

/** A command on blocks of one namespace: finds it, and the channel to its device, and begins when nobody has the blocks. */
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
        // Much may have happened while the command waited; the namespace may even have gone.
        if (command.queue().isClosed()) {
            command.complete(Status.ABORT_REQUESTED);
            return;
        }
        Namespace namespace = BlockRange.namespace(command);
        BlockChannel channel = channel(command, namespace);
        if (channel == null) {
            command.complete(Status.NAMESPACE_NOT_READY | Status.DNR);
            return;
        }
        int status = Admission.check(command, namespace, access(command));
        if (status != Status.SUCCESS) {
            command.complete(status);
            return;
        }
        if (needsScratch() && command.scratch() == null) {
            command.takeScratch(() -> execute(command));
            return;
        }
        // It may have shrunk.
        long checked = check(command, namespace);
        if (checked < 0) {
            command.complete(CommandHandler.refusal(checked));
        } else {
            begin(command, namespace, channel);
        }
    }

    private void begin(Command command, Namespace namespace, BlockChannel channel) {
        RangeLock lock = conflict(command, namespace);
        if (lock == null) {
            command.beginOnBlocks(namespace.locks(), firstBlock(command), endBlock(command, namespace));
            execute(command, namespace, channel);
        } else {
            command.await(lock, () -> execute(command));
        }
    }

    /** What has the command's blocks to itself, or null. */
    private RangeLock conflict(Command command, Namespace namespace) {
        return namespace.locks().conflict(firstBlock(command), endBlock(command, namespace));
    }

    /** The way to the device of a namespace, which may have gone; else null. */
    static BlockChannel channel(Command command, Namespace namespace) {
        return namespace == null ? null : command.queue().channel(namespace);
    }

    /** As {@link #channel} when nobody has the blocks to himself and all can be read: the command may touch them at once. */
    final BlockChannel channelNow(Command command, Namespace namespace) {
        boolean free =
                namespace != null && conflict(command, namespace) == null && !BlockRange.isBad(command, namespace);
        return free ? channel(command, namespace) : null;
    }

    /** What this command wants of the namespace. */
    Access access(Command command) {
        return access;
    }

    /** Whether it looks at blocks itself, in {@link Command#scratch}. */
    boolean needsScratch() {
        return false;
    }

    /** The first block that the command touches. */
    long firstBlock(Command command) {
        return ReadWriteCommand.startBlock(command.sqe());
    }

    /** The first block behind those that it touches. */
    long endBlock(Command command, Namespace namespace) {
        return firstBlock(command) + ReadWriteCommand.blockCount(command.sqe());
    }

    /** As {@link CommandHandler#check} for a namespace that is there. */
    abstract long check(Command command, Namespace namespace);

    abstract void execute(Command command, Namespace namespace, BlockChannel channel);
}
