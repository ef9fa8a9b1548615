package io.nvmf.target.queue;

import io.nvmf.transport.MemoryBlock;
import io.nvmf.transport.MemorySlab;
import java.util.ArrayDeque;

/**
 * Memory for the data of commands on one event loop, with a bound. When it is short requests wait; none fails and none
 * blocks the loop. Queues take turns, each in the order of its requests, and a quarter of the memory is kept for queues
 * that hold none: no queue keeps the others waiting by what it holds or by how much it asks for. Buffers are direct,
 * contiguous and start on a page, so that a device may read and write them in place.
 *
 * <p>When enough is free for the request whose turn it is, but not in one piece, nobody overtakes it: what is held comes
 * back in bounded time, until there is such a piece. Owned by the loop.
 */
public final class BufferPool {
    /** Somebody who waits for a buffer. */
    interface Waiter {
        int wantedBytes();

        /** Another that is to have its buffer at the same time; it is not handed to the pool itself. */
        default Waiter companion() {
            return null;
        }

        /** The buffer is the waiter's now, to be given back with {@link Share#release}, or announced by {@link Share#onReleased}. */
        void onBuffer(MemoryBlock buffer);
    }

    private enum Outcome {
        SERVED,
        /** More than the queue may have now. */
        PASSED,
        /** It may have it, and there is no piece of memory so large. */
        STUCK
    }

    /** One queue's dealings with the pool. */
    final class Share {
        private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
        private long heldBytes;
        private boolean inTurn;

        /** Hands the waiter a buffer of at least the bytes it wants, now or when it is its turn. */
        void allocate(Waiter waiter) {
            waiters.add(waiter);
            if (isServed && !inTurn) {
                serveNew(this);
            } else {
                takeTurn();
                if (!isServed) {
                    serve();
                }
            }
        }

        /** Forgets a waiter that has not had its buffer; false when it is not waiting. Then comes {@link #cancelled}. */
        boolean cancel(Waiter waiter) {
            return waiters.remove(waiter);
        }

        /** Forgets all that wait. Buffers already handed out must still come back. Then comes {@link #cancelled}. */
        void cancelAll() {
            waiters.clear();
        }

        /** Those forgotten keep nobody waiting any more, of this queue or another. */
        void cancelled() {
            if (inTurn) {
                serve();
            }
        }

        void release(MemoryBlock buffer) {
            onReleased(buffer);
            buffer.release();
        }

        /** A buffer is being released, by whom it was handed to. */
        void onReleased(MemoryBlock buffer) {
            heldBytes -= MemorySlab.roundedUp(buffer.capacity());
        }

        private void takeTurn() {
            if (!inTurn && !waiters.isEmpty()) {
                inTurn = true;
                turns.add(this);
            }
        }

        private boolean mayHave(long bytes) {
            long freeBytes = slab.freeBytes();
            return bytes <= (heldBytes == 0 ? freeBytes : freeBytes - reserveBytes);
        }

        private void handToFirst(MemoryBlock buffer, MemoryBlock companionsBuffer) {
            Waiter first = waiters.poll();
            heldBytes += MemorySlab.roundedUp(buffer.capacity());
            if (companionsBuffer != null) {
                heldBytes += MemorySlab.roundedUp(companionsBuffer.capacity());
                first.companion().onBuffer(companionsBuffer);
            }
            first.onBuffer(buffer);
        }
    }

    private final MemorySlab slab;
    private final CapsuleBuffers capsuleBuffers;
    private final long reserveBytes;
    private final ArrayDeque<Share> turns = new ArrayDeque<>();
    private boolean serving;
    /** Something came back, or somebody came to wait, while one was being served. */
    private boolean hasMore;
    /** None of those in turn can have a buffer before another comes back. */
    private boolean isServed = true;
    /** There is no piece large enough for the request whose turn it is. */
    private boolean isStuck;

    /**
     * @param capacityBytes for data that is fetched from or sent to hosts, at least one maximum transfer
     * @param maxTransferBytes the most one command may want
     * @param capsuleDataBytes the most data a capsule of a byte stream may carry
     */
    public BufferPool(long capacityBytes, int maxTransferBytes, int capsuleDataBytes) {
        this.slab = new MemorySlab(capacityBytes, this::serve);
        this.capsuleBuffers = new CapsuleBuffers(capsuleDataBytes, capacityBytes);
        // A queue that holds memory must still get the largest buffer when all the rest is free.
        this.reserveBytes = Math.min(capacityBytes / 4, capacityBytes - MemorySlab.roundedUp(maxTransferBytes));
    }

    Share share() {
        return new Share();
    }

    /** Buffers for data that comes in capsules out of a byte stream. */
    public CapsuleBuffers capsuleBuffers() {
        return capsuleBuffers;
    }

    /** Where all buffers but those for capsules lie, to be registered with a device. */
    public MemorySlab slab() {
        return slab;
    }

    /** Of all who wait this one alone can have a buffer, unless its request is served and gives something back. */
    private void serveNew(Share share) {
        if (isStuck) {
            share.takeTurn();
            return;
        }
        isServed = false;
        hasMore = false;
        serving = true;
        try {
            isStuck = serveFirst(share) == Outcome.STUCK;
        } finally {
            serving = false;
        }
        if (hasMore) {
            serve();
        } else {
            isServed = true;
        }
    }

    /**
     * Gives one buffer to each queue in turn until none can have one. A loop rather than a recursion: a waiter that is
     * served may complete at once and give its buffer back.
     */
    private void serve() {
        if (serving) {
            hasMore = true;
            return;
        }
        isServed = false;
        isStuck = false;
        serving = true;
        try {
            int passed = 0;
            while (passed < turns.size() && !isStuck) {
                Share share = turns.poll();
                share.inTurn = false;
                if (!share.waiters.isEmpty()) {
                    Outcome outcome = serveFirst(share);
                    isStuck = outcome == Outcome.STUCK;
                    passed = outcome == Outcome.SERVED ? 0 : passed + 1;
                }
            }
        } finally {
            serving = false;
        }
        isServed = true;
    }

    private Outcome serveFirst(Share share) {
        Waiter first = share.waiters.peek();
        if (!share.mayHave(bytesFor(first))) {
            share.takeTurn();
            return Outcome.PASSED;
        }
        MemoryBlock buffer = allocate(share, first);
        if (buffer == null) {
            return Outcome.STUCK;
        }
        MemoryBlock companionsBuffer = null;
        if (first.companion() != null) {
            try {
                companionsBuffer = allocate(share, first.companion());
            } finally {
                if (companionsBuffer == null) {
                    buffer.release();
                }
            }
            if (companionsBuffer == null) {
                return Outcome.STUCK;
            }
        }
        try {
            share.handToFirst(buffer, companionsBuffer);
        } finally {
            share.takeTurn();
        }
        return Outcome.SERVED;
    }

    private static long bytesFor(Waiter waiter) {
        Waiter companion = waiter.companion();
        long companionsBytes = companion == null ? 0 : MemorySlab.roundedUp(companion.wantedBytes());
        return MemorySlab.roundedUp(waiter.wantedBytes()) + companionsBytes;
    }

    /** Without a buffer, for want of memory in one piece or of memory of the machine, the queue keeps its turn. */
    private MemoryBlock allocate(Share share, Waiter waiter) {
        MemoryBlock buffer = null;
        try {
            buffer = slab.allocate(waiter.wantedBytes());
        } finally {
            if (buffer == null) {
                share.inTurn = true;
                turns.addFirst(share);
            }
        }
        return buffer;
    }
}
