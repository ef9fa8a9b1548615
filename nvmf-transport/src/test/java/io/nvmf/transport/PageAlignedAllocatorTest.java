package io.nvmf.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageAlignedAllocatorTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldStartEveryBufferOnAPage(boolean poolAligns) {
        Assumptions.assumeTrue(!poolAligns || PooledByteBufAllocator.isDirectMemoryCacheAlignmentSupported());
        PageAlignedAllocator allocator = new PageAlignedAllocator(1, poolAligns);
        List<ByteBuf> buffers = new ArrayList<>();
        for (int length : new int[] {1, 512, 4096, 4608, 65_536, 131_072, 1 << 20, 5 << 20}) {
            for (int i = 0; i < 3; i++) {
                ByteBuf buffer = allocator.allocate(length);
                buffers.add(buffer);
                assertEquals(0, buffer.memoryAddress() % PageAlignedAllocator.PAGE_BYTES, length + " bytes");
                assertEquals(length, buffer.capacity());
                assertEquals(0, buffer.readerIndex());
                assertEquals(0, buffer.writerIndex());
                assertEquals(1, buffer.nioBufferCount());
                assertEquals(1, buffer.refCnt());
                buffer.setByte(length - 1, 7);
            }
        }
        for (ByteBuf buffer : buffers) {
            assertTrue(buffer.release());
            assertEquals(0, buffer.refCnt());
        }
    }
}
