package io.nvmf.target.queue;

import io.netty.buffer.ByteBuf;
import io.nvmf.transport.PageAlignedAllocator;
import java.util.ArrayDeque;

/**
 * Memory for the data of commands on one event loop, with a bound. When it is short requests wait; none fails and none
 * blocks the loop. Queues take turns, each in the order of its requests, and a quarter of the memory is kept for queues
 * that hold none: no queue keeps the others waiting by what it holds or by how much it asks for. Buffers are direct,
 * contiguous and start on a page, so that a device may read and write them in place. Owned by the loop.
 */
public final class BufferPool {
    /** Somebody who waits for a buffer. */
    interface Waiter {
        int wantedBytes();

        /** The buffer is the waiter's now, to be given back with {@link Share#release}. */
        void onBuffer(ByteBuf buffer);
    }

    /** One queue's dealings with the pool. */
    final class Share {
        private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
        private long heldBytes;
        private boolean inTurn;

        /** Hands the waiter a buffer of at least the bytes it wants, now or when it is its turn. */
        void allocate(Waiter waiter) {
            waiters.add(waiter);
            takeTurn();
            serve();
        }

        /** Forgets a waiter that has not had its buffer; false when it is not waiting. */
        boolean cancel(Waiter waiter) {
            return waiters.remove(waiter);
        }

        /** Forgets all that wait. Buffers already handed out must still come back. */
        void cancelAll() {
            waiters.clear();
        }

        void release(ByteBuf buffer) {
            long bytes = rounded(buffer.capacity());
            buffer.release();
            heldBytes -= bytes;
            freeBytes += bytes;
            serve();
        }

        private void takeTurn() {
            if (!inTurn && !waiters.isEmpty()) {
                inTurn = true;
                turns.add(this);
            }
        }

        private boolean mayHave(long bytes) {
            return bytes <= (heldBytes == 0 ? freeBytes : freeBytes - reserveBytes);
        }

        /** Hands the first waiter its buffer; whatever fails here leaves the bound as it was. */
        private void serveFirst() {
            int bytes = waiters.peek().wantedBytes();
            ByteBuf buffer = allocator.allocate(bytes);
            freeBytes -= rounded(bytes);
            heldBytes += rounded(bytes);
            waiters.poll().onBuffer(buffer);
        }
    }

    private final PageAlignedAllocator allocator;
    private final CapsuleBuffers capsuleBuffers;
    private final long reserveBytes;
    private final ArrayDeque<Share> turns = new ArrayDeque<>();
    private long freeBytes;
    private boolean serving;

    /**
     * @param capacityBytes for data that is fetched from or sent to hosts, at least one maximum transfer
     * @param maxTransferBytes the most one command may want
     * @param capsuleDataBytes the most data a capsule may carry
     */
    public BufferPool(PageAlignedAllocator allocator, long capacityBytes, int maxTransferBytes, int capsuleDataBytes) {
        this.allocator = allocator;
        this.capsuleBuffers = new CapsuleBuffers(allocator, capsuleDataBytes, capacityBytes);
        this.freeBytes = capacityBytes;
        // A queue that holds memory must still get the largest buffer when all the rest is free.
        this.reserveBytes = Math.min(capacityBytes / 4, capacityBytes - rounded(maxTransferBytes));
    }

    Share share() {
        return new Share();
    }

    /** Buffers for data that comes in capsules. */
    CapsuleBuffers capsuleBuffers() {
        return capsuleBuffers;
    }

    /** No queue is left that would take a buffer. */
    public void close() {
        capsuleBuffers.close();
    }

    long freeBytes() {
        return freeBytes;
    }

    /**
     * Gives one buffer to each queue in turn until none can have one. A loop rather than a recursion: a waiter that is
     * served may complete at once and give its buffer back.
     */
    private void serve() {
        if (serving) {
            return;
        }
        serving = true;
        try {
            int passed = 0;
            while (passed < turns.size()) {
                Share share = turns.poll();
                share.inTurn = false;
                if (share.waiters.isEmpty()) {
                    continue;
                }
                if (share.mayHave(rounded(share.waiters.peek().wantedBytes()))) {
                    passed = 0;
                    try {
                        share.serveFirst();
                    } finally {
                        share.takeTurn();
                    }
                } else {
                    passed++;
                    share.takeTurn();
                }
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
