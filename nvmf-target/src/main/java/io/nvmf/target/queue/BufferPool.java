package io.nvmf.target.queue;

import io.netty.buffer.ByteBuf;
import io.nvmf.transport.PageAlignedAllocator;
import java.util.ArrayDeque;

/**
 * Memory for the data of commands on one event loop, with a bound. When it is short requests wait, in order; none fails
 * and none blocks the loop. Buffers are direct, contiguous and start on a page, so that a device may read and write them
 * in place. Owned by the loop.
 */
public final class BufferPool {
    /** Somebody who waits for a buffer. */
    interface Waiter {
        int wantedBytes();

        /** The buffer is the waiter's now, to be given back with {@link #release}. */
        void onBuffer(ByteBuf buffer);
    }

    private final PageAlignedAllocator allocator;
    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
    private long freeBytes;
    private boolean serving;

    public BufferPool(PageAlignedAllocator allocator, long capacityBytes) {
        this.allocator = allocator;
        this.freeBytes = capacityBytes;
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
        return allocator.allocate(lengthBytes);
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
                int bytes = waiters.peek().wantedBytes();
                // First what may fail: then the waiter still waits and the bound is as it was.
                ByteBuf buffer = allocator.allocate(bytes);
                freeBytes -= rounded(bytes);
                waiters.poll().onBuffer(buffer);
            }
        } finally {
            serving = false;
        }
    }

    private static long rounded(int bytes) {
        int page = PageAlignedAllocator.PAGE_BYTES;
        return (bytes + page - 1L) / page * page;
    }
}
