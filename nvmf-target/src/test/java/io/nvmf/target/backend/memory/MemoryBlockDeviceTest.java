package io.nvmf.target.backend.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.BlockDeviceContractTest;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.backend.LoopClient;
import io.nvmf.target.backend.TestBuffers;
import io.nvmf.target.backend.memory.MemoryBlockDevice.Budget;
import io.nvmf.transport.EventLoops;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class MemoryBlockDeviceTest extends BlockDeviceContractTest {
    private static final int CHUNK = MemoryBlockDevice.CHUNK_BYTES;

    MemoryBlockDeviceTest() {
        super(EventLoops.Kind.NIO);
    }

    @Override
    protected BlockDevice openDevice() {
        return new MemoryBlockDevice(SIZE_BYTES);
    }

    @Test
    void shouldNeverShowHalfAWrittenBlock() throws Exception {
        MemoryBlockDevice device = new MemoryBlockDevice(SIZE_BYTES);
        byte[][] blocks = {new byte[4096], new byte[4096]};
        Arrays.fill(blocks[1], (byte) 0xFF);
        ByteBuf from = Unpooled.directBuffer(8192, 8192);
        from.setBytes(0, blocks[0]);
        from.setBytes(4096, blocks[1]);
        ByteBuf to = Unpooled.directBuffer(4096, 4096);
        AtomicBoolean done = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            for (int i = 0; !done.get(); i++) {
                device.write(4096, from, i % 2 * 4096, 4096);
            }
        });
        writer.start();
        try {
            byte[] seen = new byte[4096];
            for (int i = 0; i < 100_000; i++) {
                device.read(4096, to, 0, 4096);
                to.getBytes(0, seen);
                assertTrue(
                        Arrays.equals(seen, blocks[0]) || Arrays.equals(seen, blocks[1]), "a mixed block in read " + i);
            }
        } finally {
            done.set(true);
            writer.join();
            from.release();
            to.release();
        }
    }

    @Test
    void shouldKeepWhatIsThereWhenItGrowsAndForgetWhatIsBeyondWhenItShrinks() throws Exception {
        Budget budget = new Budget(10L * CHUNK);
        MemoryBlockDevice device = new MemoryBlockDevice(2L * CHUNK, budget);
        byte[] data = new byte[2 * CHUNK];
        new Random(1).nextBytes(data);
        try (EventLoops loops = EventLoops.open(EventLoops.Kind.NIO, 1, "test");
                LoopClient client = new LoopClient(device, loops.next())) {
            client.write(0, data);
            device.resize(3L << 30);
            assertEquals(3L << 30, device.sizeBytes());
            assertArrayEquals(data, client.read(0, data.length));
            client.write(device.sizeBytes() - 512, new byte[512]);

            device.resize(512);
            assertEquals(1L * CHUNK, device.allocatedBytes());
            assertEquals(9L * CHUNK, budget.leftBytes(), "the rest is free again");
            device.resize(2L * CHUNK);
            byte[] expected = new byte[2 * CHUNK];
            System.arraycopy(data, 0, expected, 0, 512);
            assertArrayEquals(expected, client.read(0, expected.length));
            device.resize(0);
            assertEquals(2L * CHUNK, device.sizeBytes());
            for (long wrong : new long[] {-512, 513, MemoryBlockDevice.MAX_SIZE_BYTES + 512}) {
                assertThrows(IOException.class, () -> device.resize(wrong));
            }
            assertEquals(2L * CHUNK, device.sizeBytes());
        }
    }

    @Test
    void shouldKeepNothingBeyondItsEndWhenItIsResizedUnderWrites() throws Exception {
        Budget budget = new Budget(100L * CHUNK);
        MemoryBlockDevice device = new MemoryBlockDevice(3L * CHUNK, budget);
        AtomicBoolean done = new AtomicBoolean();
        byte[] sevens = new byte[1024];
        Arrays.fill(sevens, (byte) 7);
        ByteBuf from = Unpooled.directBuffer(1024, 1024).setBytes(0, sevens);
        ByteBuf to = Unpooled.directBuffer(512, 512);
        Thread writer = new Thread(() -> {
            while (!done.get()) {
                device.write(CHUNK, from, 0, 1024);
                device.write(2L * CHUNK, from, 0, 512);
            }
        });
        writer.start();
        try {
            for (int i = 0; i < 20_000; i++) {
                device.resize(3L * CHUNK);
                device.resize(CHUNK + 512);
            }
        } finally {
            done.set(true);
            writer.join();
        }
        device.write(CHUNK, from, 0, 512);
        assertEquals(1L * CHUNK, device.allocatedBytes());
        assertEquals(99L * CHUNK, budget.leftBytes());
        device.resize(3L * CHUNK);
        device.read(CHUNK, to, 0, 512);
        assertEquals(7, to.getByte(511));
        device.read(CHUNK + 512, to, 0, 512);
        assertEquals(0, to.getByte(0), "it was beyond the end");
        from.release();
        to.release();
    }

    @Test
    void shouldAllocateOnlyWhatIsWrittenAndGiveItBack() throws Exception {
        Budget budget = new Budget(10L * CHUNK);
        MemoryBlockDevice device = new MemoryBlockDevice(MemoryBlockDevice.MAX_SIZE_BYTES, budget);
        try (EventLoops loops = EventLoops.open(EventLoops.Kind.NIO, 1, "test");
                LoopClient client = new LoopClient(device, loops.next())) {
            client.write(device.sizeBytes() - 512, new byte[512]);
            client.write(CHUNK - 512, new byte[1024]);
            assertEquals(3L * CHUNK, device.allocatedBytes());
            assertEquals(7L * CHUNK, budget.leftBytes());

            client.deallocate(0, CHUNK + 512);
            assertEquals(2L * CHUNK, device.allocatedBytes());
            client.deallocate(0, device.sizeBytes());
            assertEquals(0, device.allocatedBytes());
            assertEquals(10L * CHUNK, budget.leftBytes());
        }
    }

    @Test
    void shouldAnswerNoSpaceAndKeepWhatItHoldsWhenTheBudgetIsSpent() throws Exception {
        Budget budget = new Budget(2L * CHUNK);
        MemoryBlockDevice device = new MemoryBlockDevice(16L * CHUNK, budget);
        byte[] earlier = TestBuffers.randomBytes(new Random(1), 2 * CHUNK);
        try (EventLoops loops = EventLoops.open(EventLoops.Kind.NIO, 1, "test");
                LoopClient client = new LoopClient(device, loops.next())) {
            client.write(0, earlier);
            assertEquals(BlockError.NO_SPACE, client.write(4L * CHUNK, new byte[512], false));
            assertArrayEquals(earlier, client.read(0, 2 * CHUNK));

            client.deallocate(0, CHUNK);
            client.write(4L * CHUNK, new byte[512]);
        }
        device.close();
        assertEquals(2L * CHUNK, budget.leftBytes());
    }

    @Test
    void shouldRefuseSizesThatAreNotWholeBlocksOrTooLarge() {
        for (long size : new long[] {0, -512, 513, MemoryBlockDevice.MAX_SIZE_BYTES + 512}) {
            assertThrows(IllegalArgumentException.class, () -> new MemoryBlockDevice(size));
        }
    }
}
