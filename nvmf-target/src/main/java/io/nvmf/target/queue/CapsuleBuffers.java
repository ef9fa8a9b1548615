package io.nvmf.target.queue;

import io.nvmf.transport.MemoryBlock;
import io.nvmf.transport.MemorySlab;

/**
 * Buffers for data that comes in capsules out of a byte stream, all of one length. They have a bound of their own: a
 * capsule cannot wait, since its connection may carry data behind it for which other buffers are held. Owned by the loop.
 */
public final class CapsuleBuffers {
    private final int lengthBytes;
    private final MemorySlab slab;

    CapsuleBuffers(int lengthBytes, long boundBytes) {
        this.lengthBytes = lengthBytes;
        this.slab = new MemorySlab(Math.max(MemorySlab.roundedUp(lengthBytes), boundBytes));
    }

    /** A buffer, to be released, or null when all are in use. */
    public MemoryBlock take() {
        return slab.allocate(lengthBytes);
    }

    /** Where all of them lie. */
    public MemorySlab slab() {
        return slab;
    }
}
