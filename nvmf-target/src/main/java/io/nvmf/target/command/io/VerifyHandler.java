package io.nvmf.target.command.io;

import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.command.Command;
import io.nvmf.target.namespace.Namespace;

/** Verify (NVM Command Set 1.0 s3.2.5): reads and keeps what it finds to itself. As much as one transfer (VSL). */
public final class VerifyHandler extends NamespaceHandler {
    public VerifyHandler() {
        super(Access.READ);
    }

    @Override
    boolean needsScratch() {
        return true;
    }

    @Override
    long check(Command command, Namespace namespace) {
        long bytes = BlockRange.checkTransfer(command, namespace);
        return bytes < 0 ? bytes : NO_DATA;
    }

    @Override
    void execute(Command command, Namespace namespace, BlockChannel channel) {
        long lengthBytes = namespace.toBytes(ReadWriteCommand.blockCount(command.sqe()));
        namespace.counters().onVerify(lengthBytes);
        if (BlockRange.isBad(command, namespace)) {
            BlockRange.unreadable(command, namespace);
            return;
        }
        long offsetBytes = BlockRange.offsetBytes(namespace, command.sqe());
        new Pieces(command, lengthBytes) {
            @Override
            void piece(long fromBytes, int pieceBytes, BlockCompletion completion) {
                channel.read(offsetBytes + fromBytes, command.scratch(), 0, pieceBytes, completion);
            }

            @Override
            void ended(BlockError error) {
                command.whenStored().onComplete(error);
            }
        }.run();
    }
}
