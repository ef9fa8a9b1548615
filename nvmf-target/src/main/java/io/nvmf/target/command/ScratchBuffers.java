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

    private static final int COUNT = 16;

    private final MemorySlab slab = new MemorySlab((long) BYTES * COUNT);
    private final ArrayDeque<Consumer<ByteBuf>> waiting = new ArrayDeque<>();

    /** Hands over a buffer, now or when it is the caller's turn; to be given back with {@link #giveBack}. */
    public void take(Consumer<ByteBuf> taker) {
        ByteBuf buffer = slab.allocate(BYTES);
        if (buffer == null) {
            waiting.add(taker);
        } else {
            taker.accept(buffer);
        }
    }

    public void giveBack(ByteBuf buffer) {
        buffer.release();
        if (!waiting.isEmpty()) {
            take(waiting.poll());
        }
    }
}
