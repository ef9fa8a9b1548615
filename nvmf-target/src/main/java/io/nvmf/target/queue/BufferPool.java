package io.nvmf.target.queue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayDeque;

/**
 * Memory for the data of commands on one event loop, with a bound. When it is short requests wait, in order; none fails
 * and none blocks the loop. Buffers are direct, contiguous and start on a page, so that a device may read and write them
 * in place. Owned by the loop.
 */
public final class BufferPool {
    /** Buffers start at multiples of this. */
    static final int ALIGNMENT_BYTES = 4096;

    private static final int PAGE_BYTES = 8192;
    private static final int CHUNK_ORDER = 9;

    /** Somebody who waits for a buffer. */
    interface Waiter {
        int wantedBytes();

        /** The buffer is the waiter's now, to be given back with {@link #release}. */
        void onBuffer(ByteBuf buffer);
    }

    private final PooledByteBufAllocator allocator;
    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
    private long freeBytes;
    private boolean serving;

    public BufferPool(PooledByteBufAllocator allocator, long capacityBytes) {
        this.allocator = allocator;
        this.freeBytes = capacityBytes;
    }

    /** An allocator whose buffers start on a page, to be shared by the pools of all loops. */
    public static PooledByteBufAllocator newAllocator(int arenas) {
        return new PooledByteBufAllocator(true, 0, arenas, PAGE_BYTES, CHUNK_ORDER, 0, 64, true, ALIGNMENT_BYTES);
    }

    /** Hands the waiter a buffer of at least the bytes it wants, now or when it is its turn. */
    void allocate(Waiter waiter) {
        waiters.add(waiter);
        serve();
    }

    /** Forgets a waiter that has not had its buffer; false when it is not waiting. */
    boolean cancel(Waiter waiter) {
        return waiters.remove(waiter);
    }

    void release(ByteBuf buffer) {
        freeBytes += rounded(buffer.capacity());
        buffer.release();
        serve();
    }

    /** A buffer that the bound does not count: for what the depth of a queue bounds already. */
    ByteBuf allocateOutsideBound(int lengthBytes) {
        return allocator.directBuffer(lengthBytes, lengthBytes);
    }

    long freeBytes() {
        return freeBytes;
    }

    /** A loop rather than a recursion: a waiter that is served may complete at once and give its buffer back. */
    private void serve() {
        if (serving) {
            return;
        }
        serving = true;
        try {
            while (!waiters.isEmpty() && rounded(waiters.peek().wantedBytes()) <= freeBytes) {
                Waiter waiter = waiters.poll();
                int bytes = waiter.wantedBytes();
                freeBytes -= rounded(bytes);
                waiter.onBuffer(allocator.directBuffer(bytes, bytes));
            }
        } finally {
            serving = false;
        }
    }

    private static long rounded(int bytes) {
        return (bytes + ALIGNMENT_BYTES - 1L) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    }
}
