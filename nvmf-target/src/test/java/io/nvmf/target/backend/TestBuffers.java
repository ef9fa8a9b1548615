package io.nvmf.target.backend;

import io.netty.buffer.ByteBuf;
import io.nvmf.transport.PageAlignedAllocator;
import java.util.Random;

/** Buffers for backends: direct, and aligned for O_DIRECT. */
public final class TestBuffers {
    private static final PageAlignedAllocator ALLOCATOR = new PageAlignedAllocator(1);

    private TestBuffers() {}

    public static ByteBuf allocate(int length) {
        return ALLOCATOR.allocate(length);
    }

    public static byte[] randomBytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
