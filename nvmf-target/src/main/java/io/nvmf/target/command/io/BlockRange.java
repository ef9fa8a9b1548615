package io.nvmf.target.command.io;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.state.BlockSpan;

/** What commands on a range of blocks have in common. */
final class BlockRange {
    private BlockRange() {}

    /** The namespace a command names, or null. */
    static Namespace namespace(Command command) {
        return command.queue()
                .controller()
                .subsystem()
                .namespaces()
                .get(command.sqe().nsid());
    }

    /** Checks the range; its length in bytes, or a refusal. */
    static long check(Command command, Namespace namespace) {
        Sqe sqe = command.sqe();
        int blocks = ReadWriteCommand.blockCount(sqe);
        if (!namespace.contains(ReadWriteCommand.startBlock(sqe), blocks)) {
            return CommandHandler.refuse(Status.LBA_OUT_OF_RANGE);
        }
        return namespace.toBytes(blocks);
    }

    /** As {@link #check}, and not more than one command may transfer. */
    static long checkTransfer(Command command, Namespace namespace) {
        long bytes = check(command, namespace);
        return bytes > command.queue().controller().limits().maxTransferBytes()
                ? CommandHandler.refuse(Status.INVALID_FIELD)
                : bytes;
    }

    /** Whether a host has made one of the blocks unreadable. */
    static boolean isBad(Command command, Namespace namespace) {
        long start = ReadWriteCommand.startBlock(command.sqe());
        return namespace.badBlocks().overlap(start, start + ReadWriteCommand.blockCount(command.sqe()));
    }

    /** Completes a command that finds bad blocks. */
    static void unreadable(Command command, Namespace namespace) {
        namespace.counters().onMediaError();
        command.complete(Status.UNRECOVERED_READ_ERROR | Status.DNR);
    }

    /** What completes a command that writes its blocks: those that were unreadable can be read then. */
    static BlockCompletion whenWritten(Command command, Namespace namespace, BlockChannel channel) {
        if (!isBad(command, namespace)) {
            return command.whenStored();
        }
        long start = ReadWriteCommand.startBlock(command.sqe());
        BlockSpan blocks = new BlockSpan(start, start + ReadWriteCommand.blockCount(command.sqe()));
        return error -> {
            if (error == BlockError.NONE) {
                makeReadable(command, namespace, channel, blocks, () -> command.complete(Status.SUCCESS));
            } else {
                command.whenStored().onComplete(error);
            }
        };
    }

    /**
     * Goes on when blocks that have been written, and were unreadable, can be read. What was written is made durable first: else
     * a loss of power could show what the blocks held before they became unreadable.
     */
    static void makeReadable(
            Command command, Namespace namespace, BlockChannel channel, BlockSpan blocks, Runnable then) {
        if (!namespace.badBlocks().overlap(blocks.start(), blocks.end())) {
            then.run();
            return;
        }
        channel.flush(error -> {
            if (error != BlockError.NONE) {
                command.whenStored().onComplete(error);
                return;
            }
            namespace
                    .badBlocks()
                    .clear(blocks.start(), blocks.end())
                    .thenAcceptAsync(
                            status -> {
                                if (status == Status.SUCCESS) {
                                    then.run();
                                } else {
                                    command.complete(status | Status.DNR);
                                }
                            },
                            command.queue().loop());
        });
    }

    static long offsetBytes(Namespace namespace, Sqe sqe) {
        return namespace.toBytes(ReadWriteCommand.startBlock(sqe));
    }

    /** Whether a command that changes blocks must be durable when it completes. */
    static boolean mustBeDurable(Command command) {
        return ReadWriteCommand.forceUnitAccess(command.sqe())
                || !command.queue().controller().isWriteCacheEnabled();
    }
}
