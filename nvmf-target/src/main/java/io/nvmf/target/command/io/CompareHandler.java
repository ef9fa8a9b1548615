package io.nvmf.target.command.io;

import io.nvmf.codec.Status;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.namespace.Namespace;

/** Compare (NVM Command Set 1.0 s3.2.1). SMART counts it as a read. */
public final class CompareHandler extends NamespaceHandler {
    public CompareHandler() {
        super(Access.READ);
    }

    @Override
    boolean needsScratch() {
        return true;
    }

    @Override
    long check(Command command, Namespace namespace) {
        boolean fused = command.sqe().fuse() != 0;
        int blocks = ReadWriteCommand.blockCount(command.sqe());
        return fused && blocks > command.queue().controller().limits().maxFusedBlocks()
                ? CommandHandler.refuse(Status.ATOMIC_WRITE_UNIT_EXCEEDED)
                : BlockRange.checkTransfer(command, namespace);
    }

    @Override
    void execute(Command command, Namespace namespace, BlockChannel channel) {
        namespace.counters().onRead(command.dataLength());
        if (BlockRange.isBad(command, namespace)) {
            BlockRange.unreadable(command, namespace);
            return;
        }
        long offset = BlockRange.offsetBytes(namespace, command.sqe());
        new Comparison(command, channel, offset, (error, equal) -> {
                    if (error == BlockError.NONE && !equal) {
                        command.complete(Status.COMPARE_FAILURE | Status.DNR);
                    } else {
                        command.whenStored().onComplete(error);
                    }
                })
                .run();
    }
}
