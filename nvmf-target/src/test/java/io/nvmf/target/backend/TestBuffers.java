package io.nvmf.target.backend;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nvmf.transport.MemorySlab;
import java.nio.ByteBuffer;
import java.util.Random;

/** Buffers for backends: direct, and aligned for O_DIRECT. */
public final class TestBuffers {
    private TestBuffers() {}

    public static ByteBuf allocate(int length) {
        int page = MemorySlab.PAGE_BYTES;
        ByteBuffer aligned = ByteBuffer.allocateDirect((int) MemorySlab.roundedUp(length) + page)
                .alignedSlice(page);
        return Unpooled.wrappedBuffer(aligned).slice(0, length).clear();
    }

    public static byte[] randomBytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
