package io.nvmf.target.command;

import io.netty.buffer.ByteBuf;
import io.nvmf.transport.MemorySlab;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Buffers of one event loop for commands that look at blocks themselves: Compare, Verify, Copy. There are few; who finds none
 * waits, in order. A command takes its buffer before it begins on blocks or takes some to itself, so that those which hold
 * one always go on. Each starts on a page. Owned by the loop.
 */
public final class ScratchBuffers {
    /** The length of each. */
    public static final int BYTES = 64 * 1024;

    static final int COUNT = 16;

    private final MemorySlab slab = new MemorySlab((long) BYTES * COUNT);
    private final ArrayDeque<Consumer<ByteBuf>> waiting = new ArrayDeque<>();
    private boolean handingOut;

    /** Hands over a buffer, now or when it is the caller's turn; to be given back with {@link #giveBack}. */
    public void take(Consumer<ByteBuf> taker) {
        waiting.add(taker);
        handOut();
    }

    /** Whoever waits with this taker waits no more; without effect when it has its buffer. */
    public void cancel(Consumer<ByteBuf> taker) {
        waiting.remove(taker);
    }

    public void giveBack(ByteBuf buffer) {
        buffer.release();
        handOut();
    }

    /** A loop rather than a recursion: who is handed a buffer may give it back at once. */
    private void handOut() {
        if (handingOut) {
            return;
        }
        handingOut = true;
        try {
            while (!waiting.isEmpty() && slab.freeBytes() >= BYTES) {
                waiting.poll().accept(slab.allocate(BYTES));
            }
        } finally {
            handingOut = false;
        }
    }
}
