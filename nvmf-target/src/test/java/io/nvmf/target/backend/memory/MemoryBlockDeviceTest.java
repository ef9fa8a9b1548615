package io.nvmf.target.backend.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.BlockDeviceContractTest;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.backend.LoopClient;
import io.nvmf.target.backend.TestBuffers;
import io.nvmf.target.backend.memory.MemoryBlockDevice.Budget;
import io.nvmf.transport.EventLoops;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class MemoryBlockDeviceTest extends BlockDeviceContractTest {
    private static final int CHUNK = MemoryBlockDevice.CHUNK_BYTES;
    private static final int BLOCK = 4096;
    /** Of one chunk, so that who reads one is disturbed by who writes another. */
    private static final int BLOCKS = 2;

    MemoryBlockDeviceTest() {
        super(EventLoops.Kind.NIO);
    }

    @Override
    protected BlockDevice openDevice() {
        return new MemoryBlockDevice(SIZE_BYTES);
    }

    /** Writes blocks all of whose words are the same, or zeroes them, until it is told to end. */
    private static void changeBlocks(MemoryBlockDevice device, long seed, AtomicBoolean done) {
        ByteBuf from = Unpooled.directBuffer(BLOCK, BLOCK);
        Random random = new Random(seed);
        byte[] data = new byte[BLOCK];
        while (!done.get()) {
            long offset = random.nextInt(BLOCKS) * (long) BLOCK;
            if (random.nextInt(8) == 0) {
                device.zero(offset, offset + BLOCK, new MemoryBlockDevice.Effort(1 << 20));
            } else {
                Arrays.fill(data, (byte) random.nextInt());
                device.write(offset, from.setBytes(0, data), 0, BLOCK);
            }
        }
        from.release();
    }

    private static void readBlocks(MemoryBlockDevice device, long seed, int reads) {
        ByteBuf to = Unpooled.directBuffer(BLOCK, BLOCK);
        Random random = new Random(seed);
        byte[] seen = new byte[BLOCK];
        byte[] whole = new byte[BLOCK];
        try {
            for (int i = 0; i < reads; i++) {
                device.read(random.nextInt(BLOCKS) * (long) BLOCK, to, 0, BLOCK);
                to.getBytes(0, seen);
                Arrays.fill(whole, seen[0]);
                assertArrayEquals(whole, seen, "a mixed block in read " + i);
            }
        } finally {
            to.release();
        }
    }

    @Test
    void shouldNeverShowHalfABlockToAnyOfSeveralReadersAndWriters() throws Exception {
        MemoryBlockDevice device = new MemoryBlockDevice(SIZE_BYTES);
        AtomicBoolean done = new AtomicBoolean();
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            for (int i = 0; i < 2; i++) {
                int seed = i;
                writers.add(CompletableFuture.runAsync(() -> changeBlocks(device, seed, done), threads));
                readers.add(CompletableFuture.runAsync(() -> readBlocks(device, seed, 50_000), threads));
            }
            for (CompletableFuture<Void> reader : readers) {
                reader.get(60, TimeUnit.SECONDS);
            }
        } finally {
            done.set(true);
            threads.shutdown();
        }
        for (CompletableFuture<Void> writer : writers) {
            writer.get(60, TimeUnit.SECONDS);
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
    void shouldReadAndWriteAtOnceWhatItCan() throws Exception {
        MemoryBlockDevice device = new MemoryBlockDevice(16L * CHUNK, new Budget(CHUNK));
        byte[] data = TestBuffers.randomBytes(new Random(1), 512);
        ByteBuf buffer = Unpooled.buffer(1024).setBytes(512, data);
        try (EventLoops loops = EventLoops.open(EventLoops.Kind.NIO, 1, "test");
                LoopClient client = new LoopClient(device, loops.next())) {
            assertTrue(now(client, channel -> channel.writeNow(1024, buffer, 512, 512, false)));
            assertArrayEquals(data, client.read(1024, 512));
            assertTrue(now(client, channel -> channel.readNow(1024, buffer, 0, 512)));
            assertEquals(buffer.slice(512, 512), buffer.slice(0, 512));
            assertFalse(now(client, channel -> channel.writeNow(CHUNK, buffer, 0, 512, false)), "no memory is left");
            device.resize(1024);
            assertFalse(now(client, channel -> channel.writeNow(1024, buffer, 0, 512, false)), "behind the end");
            assertFalse(now(client, channel -> channel.readNow(1024, buffer, 0, 512)));
            client.loop.submit(client.channel::close).get();
            assertFalse(now(client, channel -> channel.writeNow(0, buffer, 0, 512, false)), "closed");
        }
        device.close();
    }

    private static boolean now(LoopClient client, Predicate<BlockChannel> call) throws Exception {
        return client.loop.submit(() -> call.test(client.channel)).get();
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
