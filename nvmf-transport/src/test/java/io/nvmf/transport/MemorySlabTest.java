package io.nvmf.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class MemorySlabTest {
    private static final int PAGE = MemorySlab.PAGE_BYTES;

    @Test
    void shouldHandOutBlocksOfTheWantedLengthThatStartOnAPageOfTheirChunk() {
        MemorySlab slab = new MemorySlab(MemorySlab.CHUNK_BYTES + 2 * PAGE);
        for (int length : new int[] {1, 512, 4096, 4097, 131072, 1 << 20, 2 << 20, 5000}) {
            MemoryBlock block = slab.allocate(length);
            assertEquals(length, block.capacity());
            assertEquals(length, block.maxCapacity());
            assertEquals(0, block.readableBytes());
            assertEquals(0, block.memoryAddress() % PAGE, length + " bytes");
            ByteBuffer chunk = slab.chunks().get(block.chunkIndex()).memory();
            long start = Unpooled.wrappedBuffer(chunk).memoryAddress();
            assertEquals(start + block.chunkOffset(), block.memoryAddress());
            assertTrue(block.chunkOffset() + length <= chunk.capacity());
        }
        assertEquals(PAGE * (1 + 1 + 1 + 2 + 32 + 256 + 512 + 2), slab.capacityBytes() - slab.freeBytes());
    }

    @Test
    void shouldBeThePlaceWhereItsAddressSays() {
        MemorySlab slab = new MemorySlab(MemorySlab.CHUNK_BYTES);
        slab.allocate(PAGE);
        MemoryBlock block = slab.allocate(8192);
        block.setLong(4096, 0x1122334455667788L);
        ByteBuffer chunk = slab.chunks().get(0).memory();
        assertEquals(0x1122334455667788L, chunk.getLong(PAGE + 4096));
        ByteBuf other = Unpooled.buffer().writeLong(1).writeLong(2);
        block.setBytes(0, other, 0, 16);
        assertEquals(2, chunk.getLong(PAGE + 8));
        byte[] bytes = new byte[16];
        block.getBytes(0, bytes);
        assertEquals(1, bytes[7]);
        block.setBytes(16, new byte[] {1, 2, 3, 4}, 1, 2);
        assertEquals(0x0203, chunk.getShort(PAGE + 16));
        assertThrows(IndexOutOfBoundsException.class, () -> block.getBytes(8190, bytes, 0, 3));
        ByteBuffer view = block.nioBuffer(4096, 4096);
        assertEquals(0x1122334455667788L, view.getLong(0));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> block.setBytes(8191, new byte[2]),
                "what comes behind is not its own");
    }

    @Test
    void shouldHandOutTheSameObjectAgainWithAnotherLength() {
        MemorySlab slab = new MemorySlab(MemorySlab.CHUNK_BYTES);
        MemoryBlock first = slab.allocate(PAGE);
        first.writeInt(1);
        first.release();
        assertThrows(IllegalReferenceCountException.class, first::readInt);
        MemoryBlock second = slab.allocate(3 * PAGE);
        assertSame(first, second);
        assertEquals(3 * PAGE, second.capacity());
        assertEquals(0, second.readableBytes());
        assertEquals(1, second.refCnt());
    }

    @Test
    void shouldRefuseWhatHasNoRunOfPagesAndTellWhenABlockComesBack() {
        int[] told = {0};
        MemorySlab slab = new MemorySlab(4 * PAGE, () -> told[0]++);
        List<MemoryBlock> blocks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            blocks.add(slab.allocate(PAGE));
        }
        assertNull(slab.allocate(1));
        blocks.get(0).release();
        blocks.get(2).release();
        assertEquals(2 * PAGE, slab.freeBytes());
        assertNull(slab.allocate(2 * PAGE), "they do not lie side by side");
        blocks.get(1).release();
        assertEquals(3, told[0]);
        assertNotNull(slab.allocate(3 * PAGE));
    }

    @Test
    void shouldTellOnceThatABlockIsReleasedBeforeItsMemoryIsFree() {
        MemorySlab slab = new MemorySlab(4 * PAGE);
        MemoryBlock block = slab.allocate(2 * PAGE);
        List<Long> freeThen = new ArrayList<>();
        block.whenReleased(released -> {
            assertSame(block, released);
            assertEquals(2 * PAGE, released.capacity());
            freeThen.add(slab.freeBytes());
        });
        block.retain().release();
        assertEquals(List.of(), freeThen, "one reference is left");
        block.release();
        assertSame(block, slab.allocate(PAGE));
        block.release();
        assertEquals(List.of(2L * PAGE), freeThen, "the next holder is another");
    }

    @Test
    void shouldStayAsItWasWhenAChunkCannotBeMade() {
        Assumptions.assumeTrue(
                PlatformDependent.maxDirectMemory() <= 128 << 20, "run with -XX:MaxDirectMemorySize=128m");
        MemorySlab slab = new MemorySlab(256 << 20);
        List<MemoryBlock> blocks = new ArrayList<>();
        assertThrows(OutOfMemoryError.class, () -> {
            while (true) {
                blocks.add(slab.allocate(MemorySlab.CHUNK_BYTES));
            }
        });
        assertEquals(slab.capacityBytes() - (long) blocks.size() * MemorySlab.CHUNK_BYTES, slab.freeBytes());
        blocks.get(0).release();
        assertNotNull(slab.allocate(MemorySlab.CHUNK_BYTES), "what is made and free is handed out");
    }

    @Test
    void shouldNeverHandOutAPageTwice() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        MemorySlab slab = new MemorySlab(2L * MemorySlab.CHUNK_BYTES);
        List<MemoryBlock> held = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(100) < 55) {
                MemoryBlock block = slab.allocate(1 + random.nextInt(40 * PAGE));
                if (block != null) {
                    // Its number stands in its first and its last byte for as long as it is held.
                    block.setByte(0, i).setByte(block.capacity() - 1, i).writerIndex(block.capacity());
                    held.add(block);
                }
            } else if (!held.isEmpty()) {
                MemoryBlock block = held.remove(random.nextInt(held.size()));
                assertEquals(block.getByte(0), block.getByte(block.capacity() - 1), "seed " + seed);
                block.release();
            }
        }
        held.forEach(MemoryBlock::release);
        assertEquals(slab.capacityBytes(), slab.freeBytes(), "seed " + seed);
        assertNotNull(slab.allocate(MemorySlab.CHUNK_BYTES), "all pages are in one piece again");
    }
}
