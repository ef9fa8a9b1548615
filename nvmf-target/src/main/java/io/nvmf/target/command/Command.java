package io.nvmf.target.command;

import io.netty.buffer.ByteBuf;
import io.nvmf.codec.Sqe;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.namespace.RangeLock;
import io.nvmf.target.namespace.RangeLocks;

/**
 * A command under way, as handlers see it. Used on its queue's event loop alone; valid until it is completed, once.
 */
public interface Command {
    /** The submission queue entry. */
    Sqe sqe();

    CommandQueue queue();

    /** Bytes of data that move, as the handler's check said. */
    int dataLength();

    /**
     * The data, in the first {@link #dataLength()} bytes from index 0: what the host sent, or room for what it will be
     * sent, which the handler must fill completely. Null for a command without data.
     */
    ByteBuf data();

    /**
     * A page-aligned buffer of {@link ScratchBuffers#BYTES} for what the handler itself looks at, until the command is
     * completed; null before {@link #takeScratch}.
     */
    ByteBuf scratch();

    /** Goes on when it has its scratch buffer, unless the command is aborted before. */
    void takeScratch(Runnable action);

    /** Goes on when a lock on blocks is released, unless the command is aborted before. */
    void await(RangeLock lock, Runnable action);

    /** It works on these blocks from now until it is completed. @param end the first block behind them */
    void beginOnBlocks(RangeLocks blocks, long start, long end);

    /** Completes the command as a backend operation ends: hand it to the backend. The same object for every command. */
    BlockCompletion whenStored();

    /** Notes a device's error: for a handler that completes the command itself, which it still has to. */
    void failed(BlockError error);

    /** @param result DW0 in the low, DW1 in the high half */
    void complete(int status, long result);

    default void complete(int status) {
        complete(status, 0);
    }
}
