package io.nvmf.target.command;

import io.netty.buffer.ByteBuf;
import io.nvmf.codec.Sqe;
import io.nvmf.target.backend.BlockCompletion;

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

    /** Completes the command as a backend operation ends: hand it to the backend. The same object for every command. */
    BlockCompletion whenStored();

    /** @param result DW0 in the low, DW1 in the high half */
    void complete(int status, long result);

    default void complete(int status) {
        complete(status, 0);
    }
}
