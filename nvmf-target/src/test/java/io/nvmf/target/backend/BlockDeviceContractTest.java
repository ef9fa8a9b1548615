package io.nvmf.target.backend;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.nvmf.transport.EventLoops;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every backend promises, whatever it stores its blocks in and on whatever kind of event loop. */
public abstract class BlockDeviceContractTest {
    protected static final int SIZE_BYTES = 8 << 20;
    private static final int NEIGHBOURS_BYTES = 128 * 1024;
    private static final int LOOPS = 3;
    private static final int MIB = 1 << 20;

    private final EventLoops.Kind loopKind;
    private EventLoops loops;
    private BlockDevice device;
    private LoopClient client;

    protected BlockDeviceContractTest(EventLoops.Kind loopKind) {
        this.loopKind = loopKind;
    }

    /** A device of {@link #SIZE_BYTES} bytes that was never written to. */
    protected abstract BlockDevice openDevice() throws Exception;

    @BeforeEach
    void open() throws Exception {
        Assumptions.assumeTrue(loopKind.isAvailable(), loopKind + " cannot run here");
        device = openDevice();
        loops = EventLoops.open(loopKind, LOOPS, "test");
        client = new LoopClient(device, loops.next());
    }

    @AfterEach
    void close() throws Exception {
        if (client != null) {
            client.close();
            device.close();
            loops.close();
        }
    }

    /** The smallest block that the device and the protocol allow. */
    private int unit() {
        return Math.max(512, device.alignmentBytes());
    }

    @Test
    void shouldTellItsSizeAndAlignment() {
        assertEquals(SIZE_BYTES, device.sizeBytes());
        assertEquals(1, Integer.bitCount(device.alignmentBytes()));
        assertEquals(0, SIZE_BYTES % device.alignmentBytes());
        assertTrue(device.description().matches("(memory|file:).*"), device.description());
    }

    @Test
    void shouldReadZerosWhenNothingWasWritten() {
        assertArrayEquals(new byte[5 * MIB], client.read(0, 5 * MIB));
        assertArrayEquals(new byte[unit()], client.read(SIZE_BYTES - unit(), unit()));
    }

    @ParameterizedTest
    @ValueSource(ints = {512, 3584, 4608, 66_048, (1 << 20) + 512, 5 << 20})
    void shouldReadBackWhatWasWrittenAndKeepTheNeighbours(int wantedLength) {
        int unit = unit();
        int length = (wantedLength + unit - 1) / unit * unit;
        int last = SIZE_BYTES - length;
        for (int offset : new int[] {0, 3 * unit, 65_536 - unit, last}) {
            int from = Math.max(0, offset - NEIGHBOURS_BYTES);
            int to = Math.min(SIZE_BYTES, offset + length + NEIGHBOURS_BYTES);
            byte[] expected = TestBuffers.randomBytes(new Random(wantedLength), to - from);
            client.write(from, expected);
            byte[] bytes = TestBuffers.randomBytes(new Random(offset), length);
            client.write(offset, bytes);
            System.arraycopy(bytes, 0, expected, offset - from, length);
            assertArrayEquals(bytes, client.read(offset, length));
            assertArrayEquals(expected, client.read(from, to - from));
        }
    }

    @Test
    void shouldTouchOnlyItsPartOfTheBuffer() {
        int unit = unit();
        client.write(0, TestBuffers.randomBytes(new Random(1), unit));
        ByteBuf buffer = TestBuffers.allocate(3 * unit);
        try {
            buffer.setBytes(0, TestBuffers.randomBytes(new Random(2), 3 * unit));
            byte[] before = new byte[unit];
            byte[] after = new byte[unit];
            buffer.getBytes(0, before).getBytes(2 * unit, after);

            assertEquals(BlockError.NONE, client.call((c, done) -> c.read(0, buffer, unit, unit, done)));

            byte[] seen = new byte[3 * unit];
            buffer.getBytes(0, seen);
            assertArrayEquals(before, Arrays.copyOfRange(seen, 0, unit));
            assertArrayEquals(TestBuffers.randomBytes(new Random(1), unit), Arrays.copyOfRange(seen, unit, 2 * unit));
            assertArrayEquals(after, Arrays.copyOfRange(seen, 2 * unit, 3 * unit));
            assertEquals(0, buffer.readerIndex());
            assertEquals(0, buffer.writerIndex());
            assertEquals(1, buffer.refCnt());
        } finally {
            buffer.release();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "1, 1",
        "3, 9",
        "7, 129",
        "128, 128",
        "120, 256",
        "2047, 2049",
        "0, 6144",
        "5, 6000",
    })
    void shouldMakeARangeZeroAndKeepTheNeighbours(int wantedOffset, int wantedLength) {
        int unit = unit();
        int offset = wantedOffset / unit * unit;
        int length = (wantedLength + unit - 1) / unit * unit;
        int from = Math.max(0, offset - NEIGHBOURS_BYTES);
        int to = Math.min(SIZE_BYTES, offset + length + NEIGHBOURS_BYTES);
        byte[] data = TestBuffers.randomBytes(new Random(wantedOffset), to - from);
        byte[] expected = data.clone();
        Arrays.fill(expected, offset - from, offset - from + length, (byte) 0);

        client.write(from, data);
        client.deallocate(offset, length);
        assertArrayEquals(expected, client.read(from, to - from), "deallocate");
        for (int flags = 0; flags < 4; flags++) {
            client.write(from, data);
            client.writeZeroes(offset, length, (flags & 1) != 0, (flags & 2) != 0);
            assertArrayEquals(expected, client.read(from, to - from), "write zeroes " + flags);
        }
    }

    @Test
    void shouldTakeDataAgainWhereItWasDeallocated() {
        byte[] bytes = TestBuffers.randomBytes(new Random(3), MIB);
        client.write(MIB, bytes);
        client.deallocate(0, SIZE_BYTES);
        client.write(MIB, bytes);
        assertArrayEquals(bytes, client.read(MIB, MIB));
        assertArrayEquals(new byte[MIB], client.read(0, MIB));
    }

    @Test
    void shouldCompleteFlushesAndForcedWrites() {
        byte[] bytes = TestBuffers.randomBytes(new Random(4), 8 * unit());
        assertEquals(BlockError.NONE, client.write(unit(), bytes, true));
        client.flush();
        assertArrayEquals(bytes, client.read(unit(), bytes.length));
    }

    @Test
    void shouldHoldUnderADeepQueueOfRandomOperations() throws Exception {
        long seed = System.nanoTime();
        System.out.println(getClass().getSimpleName() + " random operations, seed " + seed);
        RandomOperations operations = new RandomOperations(client, SIZE_BYTES, unit(), seed);
        byte[] expected = operations.run(2000, 64);
        assertArrayEquals(expected, client.read(0, SIZE_BYTES), "seed " + seed);
    }

    @Test
    void shouldServeSeveralLoopsAtOnce() throws Exception {
        int unit = unit();
        int rounds = 512;
        List<LoopClient> clients = new ArrayList<>();
        for (int i = 0; i < LOOPS; i++) {
            clients.add(new LoopClient(device, loops.next()));
        }
        // Interleaved blocks: all loops meet in the same pages and chunks, when these are first touched.
        byte[] expected = TestBuffers.randomBytes(new Random(5), rounds * LOOPS * unit);
        List<ByteBuf> buffers = new ArrayList<>();
        List<CompletableFuture<BlockError>> outcomes = new ArrayList<>();
        for (int block = 0; block < rounds * LOOPS; block++) {
            int at = block * unit;
            ByteBuf buffer = TestBuffers.allocate(unit).setBytes(0, expected, at, unit);
            buffers.add(buffer);
            outcomes.add(clients.get(block % LOOPS).begin((c, done) -> c.write(at, buffer, 0, unit, false, done)));
        }
        for (CompletableFuture<BlockError> outcome : outcomes) {
            assertEquals(BlockError.NONE, LoopClient.await(outcome));
        }
        buffers.forEach(ByteBuf::release);
        for (LoopClient other : clients) {
            assertArrayEquals(expected, other.read(0, expected.length));
            other.close();
        }
    }

    @Test
    void shouldStoreWhatIsUnderWayAndGiveUpWhatWaitsWhenClosed() throws Exception {
        int count = 1000;
        int unit = unit();
        LoopClient other = new LoopClient(device, loops.next());
        ByteBuf buffer = TestBuffers.allocate(unit);
        buffer.setBytes(0, TestBuffers.randomBytes(new Random(6), unit));
        List<CompletableFuture<BlockError>> outcomes = new ArrayList<>();
        CompletableFuture<BlockError> late = new CompletableFuture<>();
        other.loop
                .submit(() -> {
                    for (int i = 0; i < count; i++) {
                        CompletableFuture<BlockError> outcome = new CompletableFuture<>();
                        outcomes.add(outcome);
                        other.channel.write((long) i * unit, buffer, 0, unit, false, outcome::complete);
                    }
                    other.channel.close();
                    other.channel.read(0, buffer, 0, unit, late::complete);
                })
                .sync();

        assertEquals(BlockError.GONE, LoopClient.await(late));
        byte[] block = new byte[unit];
        buffer.getBytes(0, block);
        for (int i = 0; i < count; i++) {
            BlockError error = LoopClient.await(outcomes.get(i));
            assertTrue(error == BlockError.NONE || error == BlockError.GONE && i > 0, i + ": " + error);
            byte[] expected = error == BlockError.NONE ? block : new byte[unit];
            assertArrayEquals(expected, client.read((long) i * unit, unit), i + ": " + error);
        }
        other.close();
        buffer.release();
    }

    @Test
    void shouldAnswerGoneToEveryOperationWhenClosed() throws Exception {
        LoopClient other = new LoopClient(device, loops.next());
        other.close();
        ByteBuf buffer = TestBuffers.allocate(unit());
        int unit = unit();
        assertEquals(BlockError.GONE, other.call((c, done) -> c.read(0, buffer, 0, unit, done)));
        assertEquals(BlockError.GONE, other.call((c, done) -> c.write(0, buffer, 0, unit, false, done)));
        assertEquals(BlockError.GONE, other.call((c, done) -> c.flush(done)));
        assertEquals(BlockError.GONE, other.call((c, done) -> c.deallocate(0, unit, done)));
        assertEquals(BlockError.GONE, other.call((c, done) -> c.writeZeroes(0, unit, true, true, done)));
        buffer.release();
    }

    @Test
    void shouldLeaveAnEmptyRangeAlone() {
        byte[] bytes = TestBuffers.randomBytes(new Random(7), unit());
        client.write(0, bytes);
        client.deallocate(0, 0);
        client.writeZeroes(0, 0, false, true);
        client.write(0, new byte[0]);
        assertEquals(0, client.read(SIZE_BYTES, 0).length);
        assertArrayEquals(bytes, client.read(0, unit()));
    }

    @Test
    void shouldRefuseRangesOutsideTheDeviceOrTheBuffer() {
        int unit = unit();
        ByteBuf buffer = TestBuffers.allocate(2 * unit);
        try {
            for (long offset : new long[] {-unit, SIZE_BYTES, SIZE_BYTES - unit, Long.MAX_VALUE - unit + 1}) {
                assertEquals(
                        BlockError.OUT_OF_RANGE, client.call((c, done) -> c.read(offset, buffer, 0, 2 * unit, done)));
                assertEquals(
                        BlockError.OUT_OF_RANGE,
                        client.call((c, done) -> c.write(offset, buffer, 0, 2 * unit, false, done)));
                assertEquals(BlockError.OUT_OF_RANGE, client.call((c, done) -> c.deallocate(offset, 2L * unit, done)));
            }
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> client.call((c, done) -> c.read(0, buffer, unit, 2 * unit, done)));
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> client.call((c, done) -> c.write(0, buffer, -unit, unit, false, done)));
        } finally {
            buffer.release();
        }
        assertArrayEquals(new byte[SIZE_BYTES], client.read(0, SIZE_BYTES));
    }
}
