package io.nvmf.target.queue;

import io.netty.buffer.ByteBuf;
import io.nvmf.transport.PageAlignedAllocator;
import java.util.ArrayDeque;

/**
 * Buffers for data that comes in capsules, all of one length, used again and again by the queues of one event loop. They
 * have a bound of their own: a capsule cannot wait, since its connection may carry data behind it for which other buffers
 * are held. Owned by the loop.
 */
final class CapsuleBuffers {
    private final PageAlignedAllocator allocator;
    private final int lengthBytes;
    private final ArrayDeque<ByteBuf> idle = new ArrayDeque<>();
    private long left;
    private boolean closed;

    CapsuleBuffers(PageAlignedAllocator allocator, int lengthBytes, long boundBytes) {
        this.allocator = allocator;
        this.lengthBytes = lengthBytes;
        this.left = Math.max(1, boundBytes / lengthBytes);
    }

    /** A buffer, or null when all are in use. */
    ByteBuf take() {
        ByteBuf buffer = idle.poll();
        if (buffer == null && left > 0) {
            buffer = allocator.allocate(lengthBytes);
            left--;
        }
        return buffer;
    }

    void giveBack(ByteBuf buffer) {
        if (closed) {
            buffer.release();
        } else {
            idle.push(buffer);
        }
    }

    /** No queue is left: releases the idle buffers now and the others when they come back. */
    void close() {
        closed = true;
        idle.forEach(ByteBuf::release);
        idle.clear();
    }
}
