package io.nvmf.target.command.io;

import io.netty.buffer.ByteBuf;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.command.Command;

/** Compares blocks with the data of a command, piece by piece. */
final class Comparison extends Pieces {
    /** How it ended. Called once. */
    interface Result {
        /** @param equal meaningful when there was no error */
        void onResult(BlockError error, boolean equal);
    }

    private final BlockChannel channel;
    private final long offsetBytes;
    private final Result result;

    /** @param command its scratch buffer is used */
    Comparison(Command command, BlockChannel channel, long offsetBytes, Result result) {
        super(command, command.dataLength());
        this.channel = channel;
        this.offsetBytes = offsetBytes;
        this.result = result;
    }

    @Override
    void piece(long fromBytes, int pieceBytes, BlockCompletion completion) {
        ByteBuf stored = command.scratch();
        channel.read(offsetBytes + fromBytes, stored, 0, pieceBytes, error -> {
            boolean differs = error == BlockError.NONE && !isEqual(stored, command.data(), (int) fromBytes, pieceBytes);
            if (differs) {
                result.onResult(BlockError.NONE, false);
            } else {
                completion.onComplete(error);
            }
        });
    }

    private static boolean isEqual(ByteBuf stored, ByteBuf data, int from, int lengthBytes) {
        return stored.nioBuffer(0, lengthBytes).mismatch(data.nioBuffer(from, lengthBytes)) < 0;
    }

    @Override
    void ended(BlockError error) {
        result.onResult(error, true);
    }
}
