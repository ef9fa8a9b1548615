package io.nvmf.target.command.io;

import io.nvmf.codec.Status;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.command.Command;
import io.nvmf.target.namespace.Namespace;

/**
 * Write Uncorrectable (NVM Command Set 1.0 s3.2.7): the blocks cannot be read until they are written. What they held stays on
 * the device.
 */
public final class WriteUncorrectableHandler extends NamespaceHandler {
    public WriteUncorrectableHandler() {
        super(Access.WRITE);
    }

    @Override
    long check(Command command, Namespace namespace) {
        long bytes = BlockRange.check(command, namespace);
        return bytes < 0 ? bytes : NO_DATA;
    }

    @Override
    void execute(Command command, Namespace namespace, BlockChannel channel) {
        long start = ReadWriteCommand.startBlock(command.sqe());
        namespace
                .badBlocks()
                .mark(start, start + ReadWriteCommand.blockCount(command.sqe()))
                .thenAcceptAsync(
                        status -> command.complete(status == Status.SUCCESS ? status : status | Status.DNR),
                        command.queue().loop());
    }
}
