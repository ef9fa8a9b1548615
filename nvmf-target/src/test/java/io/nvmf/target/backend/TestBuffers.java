package io.nvmf.target.backend;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Random;

/** Buffers for backends: direct, and aligned for O_DIRECT. */
public final class TestBuffers {
    private static final int ALIGNMENT_BYTES = 4096;
    private static final ByteBufAllocator ALIGNED =
            new PooledByteBufAllocator(true, 0, 1, 8192, 9, 0, 0, true, ALIGNMENT_BYTES);

    private TestBuffers() {}

    public static ByteBuf allocate(int length) {
        return ALIGNED.directBuffer(length);
    }

    public static byte[] randomBytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
