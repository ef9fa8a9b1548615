package io.nvmf.transport.rdma;

import io.netty.channel.IoEventLoop;
import java.nio.ByteBuffer;

/**
 * A device and the one protection domain that this provider uses of it: all queue pairs and memory regions here go
 * together. Thread safe; the same object for the same device, so it may be the key of a map.
 */
public interface RdmaDevice {
    /** As the kernel calls it: {@code mlx5_0}. */
    String name();

    DeviceLimits limits();

    /**
     * Lets the device use memory: reads and writes of this end always, of a peer that has the key as said. Takes its time
     * and locks the memory in place; the region keeps the buffer alive.
     *
     * @param memory a direct buffer, all of it from 0 to capacity
     * @throws RdmaException when the device or the limit of locked memory refuses; the message says what to do
     */
    MemoryRegion register(ByteBuffer memory, RemoteAccess access) throws RdmaException;

    /**
     * Whether a peer may end the key of memory registered here by SEND WITH INVALIDATE. Memory of ibv_reg_mr it may not:
     * devices (rdma_rxe, for one) take that for fast-registered memory alone, and else break the connection.
     */
    default boolean takesInvalidation() {
        return false;
    }

    /** What a peer may do with memory whose key it has. */
    enum RemoteAccess {
        NONE,
        READ_WRITE
    }

    /**
     * Opens a channel that tells of completions on an event loop.
     *
     * @throws RdmaException when that loop cannot wait for it
     */
    CompletionChannel openCompletionChannel(IoEventLoop loop) throws RdmaException;
}
