package io.nvmf.initiator.transport;

import io.netty.channel.unix.Buffer;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory of the caller that RDMA devices use in place, see {@link io.nvmf.initiator.NvmfHost#register}. Any thread may
 * call any method.
 */
public final class RegisteredMemory implements AutoCloseable {
    private static final int CLOSED = Integer.MIN_VALUE;

    private final HostRdma rdma;
    private final ByteBuffer memory;
    private final long start;
    /** How many commands use it, and {@link #CLOSED} beside them when no more may. */
    private final AtomicInteger users = new AtomicInteger();

    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** @throws IllegalArgumentException if a device cannot use the memory in place */
    RegisteredMemory(HostRdma rdma, ByteBuffer memory) {
        if (!memory.isDirect() || memory.isReadOnly() || memory.capacity() == 0) {
            throw new IllegalArgumentException(
                    "RDMA needs direct buffers that may be written and are not empty, see ByteBuffer.allocateDirect");
        }
        this.rdma = rdma;
        this.memory = memory.duplicate().clear();
        start = addressOf(memory);
    }

    /** Where a direct buffer lies in this process, whatever its position. */
    static long addressOf(ByteBuffer memory) {
        return Buffer.memoryAddress(memory);
    }

    public int lengthBytes() {
        return memory.capacity();
    }

    ByteBuffer memory() {
        return memory;
    }

    long start() {
        return start;
    }

    boolean overlaps(RegisteredMemory other) {
        return start < other.start + other.lengthBytes() && other.start < start + lengthBytes();
    }

    /** Lets a command use it until {@link #release}; false when it is closed. */
    boolean acquire() {
        while (true) {
            int before = users.get();
            if (before < 0) {
                return false;
            }
            if (users.compareAndSet(before, before + 1)) {
                return true;
            }
        }
    }

    /** The device is done with what a command used. */
    void release() {
        if (users.decrementAndGet() == CLOSED) {
            rdma.deregister(this);
        }
    }

    /** Completes when no device may touch it any more. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** No command takes it up any more; the last one that uses it ends it. */
    void beginClosing() {
        while (true) {
            int before = users.get();
            if (before < 0) {
                return;
            }
            if (users.compareAndSet(before, before | CLOSED)) {
                if (before == 0) {
                    rdma.deregister(this);
                }
                return;
            }
        }
    }

    /**
     * Ends it: when this returns no device touches the memory any more. Waits for the requests that use it, so it must not
     * be called on an event loop. May be called again.
     */
    @Override
    public void close() {
        rdma.requireNoEventLoop();
        beginClosing();
        rdma.await(ended);
    }
}
