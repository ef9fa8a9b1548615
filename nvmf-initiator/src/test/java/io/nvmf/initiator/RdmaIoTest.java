package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import io.nvmf.initiator.ReceivedCapsule.Keyed;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.transport.ConnectionException;
import io.nvmf.initiator.transport.RegisteredMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How data travels over RDMA: in the capsule, in place, through the queue's own memory. */
class RdmaIoTest extends RdmaTest {
    /** Several buffers over the same memory. */
    private static ByteBuffer[] cut(ByteBuffer data, int... lengths) {
        ByteBuffer[] pieces = new ByteBuffer[lengths.length];
        int at = 0;
        for (int i = 0; i < lengths.length; i++) {
            pieces[i] = data.slice(at, lengths[i]);
            at += lengths[i];
        }
        return pieces;
    }

    private List<ReceivedCapsule> writes() {
        return target.commands(1, WRITE);
    }

    private List<ReceivedCapsule> reads() {
        return target.commands(1, READ);
    }

    private static void all(List<CompletableFuture<Void>> futures) {
        CompletableFuture.allOf(futures.toArray(new CompletableFuture<?>[0])).join();
    }

    // ---- In the capsule

    @ParameterizedTest
    @CsvSource({
        // IOCCSZ, ICDOFF, what fits
        "4,    0, 0",
        "260,  0, 4096",
        "516,  0, 8192",
        "292,  32, 4096",
        "291,  32, 3584",
        "30,   4, 0"
    })
    void shouldSendInTheCapsuleWhatFits(int ioccsz, int icdoff, int fitting) {
        target.ioccsz = ioccsz;
        target.icdoff = icdoff;
        try (Controller controller = connect()) {
            Namespace namespace = controller.namespace(1);
            int[] sizes = {512, 3584, 4096, 4608, 8192, 8704, 65536};
            for (int size : sizes) {
                ByteBuffer data = random(size, size);
                namespace.write(3, cut(data, 100, size - 300, 200)).join();
                assertArrayEquals(InitiatorTest.bytes(data), medium(3 * 512, size));
                ReceivedCapsule capsule = writes().get(writes().size() - 1);
                boolean fits = size <= fitting;
                assertEquals(fits ? IN_CAPSULE : KEYED, capsule.sglIdentifier(), "" + size);
                assertEquals(fits ? 64 + 16 * icdoff + size : 64, capsule.bytes().length, "" + size);
                if (fits) {
                    assertArrayEquals(InitiatorTest.bytes(data), capsule.from(64 + 16 * icdoff));
                    assertArrayEquals(new byte[16 * icdoff], Arrays.copyOfRange(capsule.bytes(), 64, 64 + 16 * icdoff));
                }
            }
        }
    }

    @Test
    void shouldSendNothingInTheCapsuleWithoutOffsetsInSgls() {
        target.sgls = 1 | 1 << 2;
        try (Controller controller = connect()) {
            controller.namespace(1).write(0, random(512, 1)).join();
        }
        assertEquals(KEYED, writes().get(0).sglIdentifier());
        assertEquals(64, writes().get(0).bytes().length);
    }

    // ---- Through memory of the queue

    @Test
    void shouldMoveAnySizeThroughMemoryThatIsNotRegistered() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        target.mdts = 4;
        try (Controller controller = host.connect(options().ioQueues(2))) {
            Namespace namespace = controller.namespace(1);
            for (int size : new int[] {512, 4096, 8192, 8704, 12288, 65536, 66048, 1 << 20, 3_000_320}) {
                ByteBuffer data = random(size, random.nextLong());
                int first = random.nextInt(size);
                namespace.write(1, cut(data, first, size - first)).join();
                ByteBuffer back = ByteBuffer.allocateDirect(size);
                int second = random.nextInt(size);
                namespace.read(1, cut(back, second, size - second)).join();
                assertEquals(-1, data.mismatch(back), size + " bytes, seed " + seed);
            }
        }
        // Only pages of the queue were shown to the controller.
        reads().forEach(read -> assertEquals(0, read.keyed().address() % 4096));
        assertEquals(
                1, reads().stream().map(read -> read.keyed().key()).distinct().count());
    }

    @Test
    void shouldNotTouchTheBufferWhenAReadFails() {
        target.script = (connection, command) -> {
            boolean matches = connection.queueId == 1 && command.opcode() == READ;
            if (matches) {
                connection.write(command.keyed(), new byte[4096], 0);
                connection.response(command.commandId(), Status.UNRECOVERED_READ_ERROR, 0);
            }
            return matches;
        };
        try (Controller controller = connect()) {
            ByteBuffer data = random(4096, 5);
            byte[] before = InitiatorTest.bytes(data);
            assertEquals(
                    Status.UNRECOVERED_READ_ERROR,
                    InitiatorTest.statusOf(controller.namespace(1).read(0, data)));
            assertArrayEquals(before, InitiatorTest.bytes(data));
        }
    }

    /** A controller that answers without having sent the data, or only some of it, shows nothing of other requests. */
    @ParameterizedTest
    @ValueSource(ints = {0, 512, 4096 + 512})
    void shouldReadZerosWhereTheControllerSendsNothing(int sentBytes) {
        int lengthBytes = 3 * 4096 + 512;
        try (Controller controller = connect()) {
            Namespace namespace = controller.namespace(1);
            namespace.write(0, filled(lengthBytes, 0x5A)).join();
            target.script = (connection, command) -> {
                boolean matches = connection.queueId == 1 && command.opcode() == READ;
                if (matches) {
                    if (sentBytes > 0) {
                        ReceivedCapsule.Keyed to = command.keyed();
                        connection.write(
                                new ReceivedCapsule.Keyed(to.address(), sentBytes, to.key(), KEYED),
                                bytes(filled(sentBytes, 7), 0, sentBytes),
                                0);
                    }
                    connection.response(command.commandId(), 0, 0);
                }
                return matches;
            };
            ByteBuffer read = filled(lengthBytes, 1);
            namespace.read(0, read).join();
            assertEquals(-1, filled(sentBytes, 7).mismatch(read.slice(0, sentBytes)));
            assertArrayEquals(new byte[lengthBytes - sentBytes], bytes(read, sentBytes, lengthBytes - sentBytes));
        }
    }

    private static ByteBuffer filled(int lengthBytes, int value) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(lengthBytes);
        for (int i = 0; i < lengthBytes; i++) {
            buffer.put(i, (byte) value);
        }
        return buffer;
    }

    @Test
    void shouldLetRequestsWaitInOrderWhenTheQueuesMemoryIsShort() {
        List<Integer> held = new ArrayList<>();
        target.script = (connection, command) -> {
            boolean matches = connection.queueId == 1 && command.opcode() == READ;
            if (matches) {
                held.add(command.commandId());
            }
            return matches;
        };
        try (Controller controller = host.connect(options().bufferBytes(1 << 16))) {
            Namespace namespace = controller.namespace(1);
            assertEquals(1 << 16, controller.maxTransferBytes());
            List<CompletableFuture<Void>> done = new ArrayList<>();
            int[] blocks = {80, 40, 8, 1, 128, 120, 9, 8};
            for (int i = 0; i < blocks.length; i++) {
                done.add(namespace.read(i, ByteBuffer.allocateDirect(512 * blocks[i])));
            }
            // 10, 5 and 1 pages are taken; the fourth needs one that is not there, and the rest wait behind it.
            InitiatorTest.await(() -> reads().size() == 3);
            namespace.flush().join();
            assertEquals(3, reads().size());
            for (int i = 0; i < blocks.length; i++) {
                int n = i;
                InitiatorTest.await(() -> reads().size() > n);
                target.onLoop(() -> target.connection(1).response(held.get(n), 0, 0));
                done.get(i).join();
            }
            assertEquals(
                    IntStream.range(0, blocks.length).boxed().toList(),
                    reads().stream().map(read -> read.cdw(10)).toList());
        }
    }

    // ---- In place

    @Test
    void shouldReadAndWriteRegisteredMemoryInPlace() {
        ByteBuffer buffer = random(1 << 20, 9);
        try (Controller controller = connect();
                RegisteredMemory memory = host.register(buffer)) {
            Namespace namespace = controller.namespace(1);
            namespace.write(0, buffer.slice(4096, 65536)).join();
            namespace
                    .write(200, buffer.duplicate().position(8192 + 512).limit(8192 + 512 + 16384))
                    .join();
            Keyed first = writes().get(0).keyed();
            Keyed second = writes().get(1).keyed();
            assertEquals(first.key(), second.key());
            assertEquals(8192 + 512 - 4096, second.address() - first.address());
            assertEquals(65536, first.lengthBytes());
            assertArrayEquals(bytes(buffer, 4096, 65536), medium(0, 65536));
            assertArrayEquals(bytes(buffer, 8192 + 512, 16384), medium(200 * 512, 16384));

            // What the controller writes is there before it answers.
            AtomicInteger held = new AtomicInteger(-1);
            target.script = (connection, command) -> {
                boolean matches = connection.queueId == 1 && command.opcode() == READ;
                if (matches) {
                    byte[] sevens = new byte[command.keyed().lengthBytes()];
                    Arrays.fill(sevens, (byte) 7);
                    connection.write(command.keyed(), sevens, 0);
                    connection.post();
                    held.set(command.commandId());
                }
                return matches;
            };
            CompletableFuture<Void> read = namespace.read(0, buffer.slice(512, 1024));
            InitiatorTest.await(() -> held.get() >= 0);
            assertEquals(7, buffer.get(512));
            assertEquals(7, buffer.get(1535));
            assertNotEquals(first.address(), reads().get(0).keyed().address());
            assertFalse(read.isDone());
            target.onLoop(() -> target.connection(1).response(held.get(), 0, 0));
            read.join();
            assertEquals(1 << 20, memory.lengthBytes());
        }
    }

    @Test
    void shouldSendRegisteredMemoryInTheCapsuleWithoutCopyingIt() {
        ByteBuffer buffer = random(65536, 9);
        try (RegisteredMemory memory = host.register(buffer);
                Controller controller = connect()) {
            assertEquals(65536, memory.lengthBytes());
            Namespace namespace = controller.namespace(1);
            CompletableFuture<Integer> done = new CompletableFuture<>();
            namespace.submitFlush(0, (status, result) -> {
                namespace.submitWrite(
                        0, 0, buffer.slice(512, 4096), false, (written, nothing) -> done.complete(written));
                // Changed after it was submitted and before it leaves: a caller must not, but so a copy shows.
                buffer.put(512, (byte) ~buffer.get(512));
            });
            assertEquals(Status.SUCCESS, done.join());
            ReceivedCapsule capsule = writes().get(0);
            assertEquals(IN_CAPSULE, capsule.sglIdentifier());
            assertArrayEquals(bytes(buffer, 512, 4096), capsule.from(64));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldDescribeAsManyPiecesAsTheControllerTakes(int msdbd) {
        target.msdbd = msdbd;
        target.icdoff = 2;
        ByteBuffer one = random(1 << 17, 1);
        ByteBuffer other = random(1 << 17, 2);
        try (Controller controller = connect();
                RegisteredMemory first = host.register(one);
                RegisteredMemory second = host.register(other)) {
            Namespace namespace = controller.namespace(1);
            ByteBuffer[] four = {
                one.slice(1000, 10_000), other.slice(0, 20_000), one.slice(50_000, 5_000), other.slice(30_000, 5_960)
            };
            check(namespace, four, msdbd == 4 ? 4 : 0);
            // Neighbours in memory are one piece.
            check(namespace, cut(one.slice(512, 40_960), 5000, 10_000, 20_000, 5_960), 1);
            ByteBuffer[] five = {four[0], four[1], four[2], four[3], other.slice(60_000, 512)};
            check(namespace, five, 0);
            // One that is not registered, and all are copied.
            check(namespace, new ByteBuffer[] {four[0], random(10_480, 3)}, 0);
            assertEquals(first.lengthBytes(), second.lengthBytes());
        }
    }

    /** @param pieces how many descriptors there must be; 0 for one of the queue's own memory */
    private void check(Namespace namespace, ByteBuffer[] buffers, int pieces) {
        ByteBuffer whole = ByteBuffer.allocateDirect(
                Arrays.stream(buffers).mapToInt(ByteBuffer::remaining).sum());
        Arrays.stream(buffers).forEach(buffer -> whole.put(buffer.duplicate()));
        namespace.write(0, buffers).join();
        assertArrayEquals(InitiatorTest.bytes(whole.flip()), medium(0, whole.limit()));
        Arrays.stream(buffers).forEach(buffer -> buffer.put(0, new byte[buffer.capacity()]));
        namespace.read(0, buffers).join();
        ByteBuffer back = ByteBuffer.allocateDirect(whole.limit());
        Arrays.stream(buffers).forEach(buffer -> back.put(buffer.duplicate()));
        assertEquals(-1, whole.mismatch(back.flip()));
        for (ReceivedCapsule capsule : List.of(last(writes()), last(reads()))) {
            assertEquals(pieces > 1 ? 0x31 : KEYED, capsule.sglIdentifier());
            if (pieces > 1) {
                assertEquals(64 + 32 + 16 * pieces, capsule.bytes().length);
                assertEquals(0, capsule.i64(24));
                assertEquals(16 * pieces, capsule.i32(32));
                for (int i = 0; i < pieces; i++) {
                    Keyed keyed = capsule.keyedAt(96 + 16 * i);
                    assertEquals(KEYED, keyed.identifier());
                    assertEquals(buffers[i].remaining(), keyed.lengthBytes());
                }
            } else {
                assertEquals(64, capsule.bytes().length);
                assertEquals(whole.limit(), capsule.keyed().lengthBytes());
                assertEquals(pieces == 0, capsule.keyed().address() % 4096 == 0);
            }
        }
    }

    private static <T> T last(List<T> list) {
        return list.get(list.size() - 1);
    }

    @Test
    void shouldNotUseMemoryInPlaceThatEndsBeforeTheBufferDoes() {
        ByteBuffer whole = random(1 << 17, 4);
        try (Controller controller = connect();
                RegisteredMemory half = host.register(whole.slice(0, 1 << 16))) {
            Namespace namespace = controller.namespace(1);
            namespace.write(0, whole.slice((1 << 16) - 8192, 16384)).join();
            assertArrayEquals(bytes(whole, (1 << 16) - 8192, 16384), medium(0, 16384));
            namespace.write(0, whole.slice((1 << 16) - 16384, 16384)).join();
            assertNotEquals(
                    writes().get(0).keyed().key(), writes().get(1).keyed().key());
            assertEquals(1 << 16, half.lengthBytes());
        }
    }

    @Test
    void shouldEndRegisteredMemoryOnlyWhenNoRequestUsesIt() throws Exception {
        ByteBuffer buffer = ByteBuffer.allocateDirect(65536);
        AtomicInteger held = new AtomicInteger(-1);
        target.script = (connection, command) -> {
            boolean matches = connection.queueId == 1 && command.opcode() == READ && held.get() < 0;
            if (matches) {
                held.set(command.commandId());
            }
            return matches;
        };
        try (Controller controller = connect()) {
            int regions = rdma.counts().memoryRegions();
            RegisteredMemory memory = host.register(buffer);
            assertEquals(regions + 1, rdma.counts().memoryRegions());
            Namespace namespace = controller.namespace(1);
            CompletableFuture<Void> read = namespace.read(0, buffer);
            InitiatorTest.await(() -> held.get() >= 0);
            CompletableFuture<Void> closed = CompletableFuture.runAsync(memory::close);
            // Ever since, new requests go another way; the old one keeps the memory.
            InitiatorTest.await(() -> {
                namespace.read(0, buffer.duplicate()).join();
                return !last(reads()).keyed().equals(reads().get(0).keyed());
            });
            assertFalse(closed.isDone());
            assertEquals(regions + 1, rdma.counts().memoryRegions());
            target.onLoop(() -> target.connection(1).response(held.get(), 0, 0));
            read.join();
            closed.join();
            assertEquals(regions, rdma.counts().memoryRegions());
            memory.close();
        }
    }

    @Test
    void shouldRefuseMemoryThatCannotBeRegistered() {
        assertThrows(IllegalArgumentException.class, () -> host.register(ByteBuffer.allocate(4096)));
        assertThrows(IllegalArgumentException.class, () -> host.register(ByteBuffer.allocateDirect(0)));
        ByteBuffer buffer = ByteBuffer.allocateDirect(8192);
        assertThrows(IllegalArgumentException.class, () -> host.register(buffer.asReadOnlyBuffer()));
        try (Controller controller = connect()) {
            rdma.failNextRegistration();
            assertEquals(
                    "RDMA device memory: cannot register 8192 bytes of memory: raise the limit of locked memory"
                            + " (ulimit -l, LimitMEMLOCK=)",
                    assertThrows(ConnectionException.class, () -> host.register(buffer))
                            .getMessage());
            RegisteredMemory memory = host.register(buffer);
            assertThrows(IllegalArgumentException.class, () -> host.register(buffer.slice(4096, 100)));
            controller.namespace(1).write(0, buffer).join();
            memory.close();
            host.register(buffer.slice(4096, 100)).close();
        }
    }

    @Test
    void shouldCopyWhenADeviceDoesNotTakeRegisteredMemory() {
        ByteBuffer buffer = random(65536, 4);
        try (RegisteredMemory memory = host.register(buffer)) {
            rdma.failNextRegistration();
            try (Controller controller = connect()) {
                controller.namespace(1).write(0, buffer).join();
                assertArrayEquals(InitiatorTest.bytes(buffer), medium(0, memory.lengthBytes()));
            }
        }
    }

    // ---- How many at a time

    @ParameterizedTest
    @CsvSource({"4, 128", "128, 5", "3, 3"})
    void shouldHaveNoMoreOutstandingThanBothEndsTake(int crqsize, int depth) {
        target.crqsize = crqsize;
        int most = Math.min(crqsize, depth - 1);
        List<Integer> held = new ArrayList<>();
        target.script = (connection, command) -> {
            boolean matches = connection.queueId == 1 && command.opcode() == FLUSH;
            if (matches) {
                held.add(command.commandId());
            }
            return matches;
        };
        try (Controller controller = host.connect(options().queueDepth(depth))) {
            Namespace namespace = controller.namespace(1);
            List<CompletableFuture<Void>> done = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                done.add(namespace.flush());
            }
            for (int i = 0; i < 50; i++) {
                int sent = Math.min(50, i + most);
                InitiatorTest.await(() -> target.commands(1, FLUSH).size() >= sent);
                controller.identifyController();
                assertEquals(sent, target.commands(1, FLUSH).size());
                target.onLoop(() -> target.connection(1).response(held.remove(0), 0, 0));
            }
            all(done);
        }
    }

    @Test
    void shouldKeepEveryRequestApartWhenManyAreOut() {
        long seed = System.nanoTime();
        System.out.println("RdmaIoTest seed " + seed);
        Random random = new Random(seed);
        target.msdbd = 3;
        ByteBuffer registered = ByteBuffer.allocateDirect(4 << 20);
        try (Controller controller =
                        host.connect(options().ioQueues(2).queueDepth(20).bufferBytes(1 << 18));
                RegisteredMemory memory = host.register(registered)) {
            assertEquals(4 << 20, memory.lengthBytes());
            Namespace namespace = controller.namespace(1);
            for (int round = 0; round < 10; round++) {
                List<ByteBuffer> written = new ArrayList<>();
                List<ByteBuffer> read = new ArrayList<>();
                List<CompletableFuture<Void>> done = new ArrayList<>();
                for (int i = 0; i < 60; i++) {
                    int size = 512 * (1 + random.nextInt(128));
                    ByteBuffer data =
                            random.nextBoolean() ? registered.slice(i << 16, size) : ByteBuffer.allocateDirect(size);
                    data.put(0, InitiatorTest.bytes(random(size, random.nextLong())));
                    written.add(data);
                    done.add(namespace.write(i * 128, cut(data, size / 3, size - size / 3)));
                }
                all(done);
                done.clear();
                for (int i = 0; i < 60; i++) {
                    ByteBuffer data = ByteBuffer.allocateDirect(written.get(i).capacity());
                    read.add(data);
                    done.add(namespace.read(i * 128, data));
                }
                all(done);
                for (int i = 0; i < 60; i++) {
                    assertEquals(-1, written.get(i).mismatch(read.get(i)), "request " + i + ", seed " + seed);
                }
            }
            assertTrue(controller.isLive());
        }
    }

    private static byte[] bytes(ByteBuffer buffer, int offset, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        buffer.get(offset, bytes);
        return bytes;
    }

    // ---- Fused pairs

    @Test
    void shouldSendFusedCommandsNextToEachOtherThoughTheyWaitForPages() {
        int length = 16384;
        target.script = (connection, command) -> {
            boolean matches = connection.queueId == 1 && command.opcode() == 0x05;
            if (matches) {
                connection.fetch(command, length, data -> connection.response(command.commandId(), 0, 0));
            }
            return matches;
        };
        ByteBuffer memory = ByteBuffer.allocateDirect(length);
        RegisteredMemory registered = host.register(memory);
        try (Controller controller = host.connect(options().bufferBytes(1 << 16))) {
            Namespace namespace = controller.namespace(1);
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                all.add(namespace.read(i, ByteBuffer.allocateDirect(length)));
                all.add(namespace
                        .compareAndWrite(i, random(length, i), random(length, i + 1))
                        .thenAccept(swapped -> assertTrue(swapped)));
                all.add(namespace.write(1000, memory.duplicate())); // needs no pages
                all.add(namespace.flush());
            }
            all(all);
        }
        registered.close();
        List<ReceivedCapsule> commands = target.received.stream()
                .filter(capsule -> capsule.queueId() == 1)
                .toList();
        int pairs = 0;
        for (int i = 0; i < commands.size(); i++) {
            int fuse = commands.get(i).u8(1) & 3;
            if (fuse == 1) {
                pairs++;
                assertEquals(2, commands.get(i + 1).u8(1) & 3);
                assertEquals(commands.get(i).i64(40), commands.get(i + 1).i64(40));
            } else if (fuse == 2) {
                assertEquals(1, commands.get(i - 1).u8(1) & 3);
            }
        }
        assertEquals(100, pairs);
    }
}
