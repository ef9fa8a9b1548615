package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.queue.DataCounts;
import io.nvmf.target.queue.QueueReport;
import io.nvmf.target.transport.rdma.RawRdmaHost;
import io.nvmf.target.transport.rdma.RawRdmaHost.Memory;
import io.nvmf.target.transport.rdma.RawRdmaHost.Response;
import io.nvmf.transport.memory.MemoryRdma.Traffic;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Data in capsules, by RDMA READ and by RDMA WRITE. */
class RdmaDataTest extends RdmaTestBase {
    private QueueReport report() {
        return target.queues().stream()
                .filter(queue -> queue.queueId() == 1)
                .findFirst()
                .orElseThrow();
    }

    private static byte[] read(RawRdmaHost io, long startBlock, int bytes) throws IOException {
        Memory memory = io.memory(bytes);
        assertEquals(
                0,
                io.execute(RawRdmaHost.keyed(command(READ, startBlock, bytes), memory, bytes))
                        .status());
        return memory.copy(bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {512, 4096})
    void shouldTakeDataFromTheCapsuleWithoutARead(int bytes) throws IOException {
        start();
        RawRdmaHost io = io(32, 16);
        long reads = rdma.traffic().reads();
        byte[] data = random(bytes, bytes);
        Sqe write = RawRdmaHost.inCapsule(command(WRITE, 8, bytes), 0, bytes);
        assertEquals(0, io.execute(write, data).status());
        assertEquals(reads, rdma.traffic().reads());
        assertEquals(1, report().data().inCapsuleCommands());
        assertEquals(bytes, report().data().inCapsuleBytes());
        assertEquals(0, report().data().fetchedCommands());
        assertArrayEquals(data, read(io, 8, bytes));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCompareAndWriteAsOne(boolean inCapsule) throws IOException {
        start();
        RawRdmaHost io = io(32, 1);
        byte[] next = random(5, 4096);
        int[][] expected = {{0, 0}, {Status.COMPARE_FAILURE | Status.DNR, Status.FAILED_FUSED_COMMAND | Status.DNR}};
        for (int[] statuses : expected) {
            // Zeros are there at first, and then not any more.
            Sqe compare = command(Opcode.Nvm.COMPARE, 8, 4096).fuse(Sqe.FUSED_FIRST);
            Sqe write = command(WRITE, 8, 4096).fuse(Sqe.FUSED_SECOND);
            int compareId;
            int writeId;
            if (inCapsule) {
                compareId = io.submit(RawRdmaHost.inCapsule(compare, 0, 4096), new byte[4096]);
                writeId = io.submit(RawRdmaHost.inCapsule(write, 0, 4096), next);
            } else {
                compareId = io.submit(RawRdmaHost.keyed(compare, io.memory(4096), 4096));
                writeId = io.submit(RawRdmaHost.keyed(write, io.memory(next), 4096));
            }
            assertEquals(statuses[0], io.responseTo(compareId).cqe().status());
            assertEquals(statuses[1], io.responseTo(writeId).cqe().status());
        }
        assertArrayEquals(next, read(io, 8, 4096));
    }

    @Test
    void shouldTakeDataThatStandsSomewhereInTheCapsule() throws IOException {
        start();
        RawRdmaHost io = io(32, 16);
        byte[] capsule = random(3, 4096);
        Sqe write = RawRdmaHost.inCapsule(command(WRITE, 8, 1024), 1000, 1024);
        assertEquals(0, io.execute(write, capsule).status());
        assertArrayEquals(Arrays.copyOfRange(capsule, 1000, 2024), read(io, 8, 1024));
    }

    @ParameterizedTest
    @CsvSource({"0, 4096, 2048", "3585, 512, 4096", "4097, 512, 4096", "-1, 512, 4096", "0, 512, 0"})
    void shouldRefuseDataThatLiesOutsideTheCapsule(int offset, int length, int sent) throws IOException {
        start();
        RawRdmaHost io = io(32, 16);
        Sqe write = RawRdmaHost.inCapsule(command(WRITE, 8, length), offset, length);
        assertEquals(
                Status.SGL_OFFSET_INVALID | Status.DNR,
                io.execute(write, new byte[sent]).status());
    }

    @ParameterizedTest
    @ValueSource(ints = {512, 65536, 131072, 1 << 20})
    void shouldFetchAWriteWithOneReadAndSendAReadWithOneWrite(int bytes) throws IOException {
        start();
        RawRdmaHost io = io(32, 16);
        Traffic before = rdma.traffic();
        byte[] data = random(bytes, bytes);
        assertEquals(
                0,
                io.execute(RawRdmaHost.keyed(command(WRITE, 0, bytes), io.memory(data), bytes))
                        .status());
        assertEquals(before.reads() + 1, rdma.traffic().reads());
        assertEquals(before.readBytes() + bytes, rdma.traffic().readBytes());
        assertEquals(before.writes(), rdma.traffic().writes());
        assertArrayEquals(data, read(io, 0, bytes));
        assertEquals(before.writes() + 1, rdma.traffic().writes());
        assertEquals(before.writtenBytes() + bytes, rdma.traffic().writtenBytes());
        assertEquals(new DataCounts(0, 0, 1, bytes, 1, 1, bytes, 1), report().data());
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0", "1, 2097152"})
    void shouldInvalidateExactlyTheKeyThatTheHostAsksFor(int opcode, int startBlock) throws IOException {
        start();
        RawRdmaHost io = io(32, 16);
        Memory memory = io.memory(4096);
        Sqe sqe = command(opcode, startBlock, 4096);
        sqe.sgl1().setKeyed(memory.address(), 4096, memory.key(), true);
        Response response = io.responseTo(io.submit(sqe));
        // A command that is refused before its descriptor is looked at leaves the key alone.
        assertEquals(startBlock == 0, response.invalidates());
        assertEquals(startBlock == 0 ? memory.key() : 0, response.invalidatedKey());
        Memory other = io.memory(4096);
        Response plain = io.responseTo(io.submit(RawRdmaHost.keyed(command(opcode, 0, 4096), other, 4096)));
        assertFalse(plain.invalidates());
    }

    /** A list of descriptors for the capsule. */
    private static byte[] list(List<Memory> pieces, int[] lengths) {
        ByteBuffer list = Bytes.allocate(pieces.size() * SglDescriptor.BYTES);
        SglDescriptor sgl = new SglDescriptor();
        for (int i = 0; i < lengths.length; i++) {
            sgl.wrap(list, i * SglDescriptor.BYTES)
                    .setKeyed(pieces.get(i).address(), lengths[i], pieces.get(i).key(), false);
        }
        return list.array();
    }

    private static Sqe listed(Sqe sqe, int offset, int lengthBytes) {
        sqe.sgl1().set(SglDescriptor.LAST_SEGMENT_IN_CAPSULE, offset, lengthBytes);
        return sqe;
    }

    @Test
    void shouldMoveDataOfSeveralDescriptors() throws IOException {
        start();
        RawRdmaHost io = io(32, 4);
        int[] lengths = {512, 3, 0, 4096 - 3, 60928, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 502};
        byte[] data = random(5, Arrays.stream(lengths).sum());
        assertEquals(66048, data.length);
        List<Memory> pieces = new ArrayList<>();
        int at = 0;
        for (int length : lengths) {
            pieces.add(io.memory(Arrays.copyOfRange(data, at, at + Math.max(1, length))));
            at += length;
        }
        byte[] list = list(pieces, lengths);
        Traffic before = rdma.traffic();
        Sqe write = listed(command(WRITE, 0, data.length), 0, list.length);
        assertEquals(0, io.execute(write, list).status());
        assertEquals(before.reads() + 15, rdma.traffic().reads(), "a piece of no bytes is not fetched");
        assertArrayEquals(data, read(io, 0, data.length));

        pieces.forEach(piece -> piece.bytes.put(0, new byte[piece.bytes.capacity()]));
        Sqe read = listed(command(READ, 0, data.length), 0, list.length);
        assertEquals(0, io.execute(read, list).status());
        at = 0;
        for (int i = 0; i < lengths.length; i++) {
            assertArrayEquals(
                    Arrays.copyOfRange(data, at, at + lengths[i]), pieces.get(i).copy(lengths[i]), "piece " + i);
            at += lengths[i];
        }
    }

    @Test
    void shouldInvalidateTheFirstKeyOfAListThatTheHostAsksFor() throws IOException {
        start();
        RawRdmaHost io = io(32, 16);
        List<Memory> pieces = List.of(io.memory(1024), io.memory(1024), io.memory(2048));
        byte[] list = list(pieces, new int[] {1024, 1024, 2048});
        list[16 + 15] = 0x4F;
        list[32 + 15] = 0x4F;
        int commandId = io.submit(listed(command(READ, 0, 4096), 0, list.length), list);
        assertEquals(pieces.get(1).key(), io.responseTo(commandId).invalidatedKey());
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0x0D", "0, 24, 0x0D", "0, 272, 0x0E", "8, 32, 0x16", "4096, 16, 0x16", "0, 32, 0x0F"})
    void shouldRefuseAListThatIsNotRight(int offset, int lengthBytes, int status) throws IOException {
        start();
        RawRdmaHost io = io(32, 16);
        Memory memory = io.memory(4096);
        // 17 descriptors are sent where 17 are described, else two.
        int count = Math.max(2, lengthBytes / 16);
        int[] lengths = new int[count];
        Arrays.fill(lengths, 4096);
        byte[] list = list(Collections.nCopies(count, memory), lengths);
        assertEquals(
                status | Status.DNR,
                io.execute(listed(command(READ, 0, 4096), offset, lengthBytes), list)
                        .status());
    }

    @Test
    void shouldRefuseAListWithSomethingElseThanKeyedDescriptors() throws IOException {
        start();
        RawRdmaHost io = io(32, 16);
        byte[] list = list(List.of(io.memory(4096)), new int[] {4096});
        list[15] = 0x01;
        assertEquals(
                Status.SGL_TYPE_INVALID | Status.DNR,
                io.execute(listed(command(READ, 0, 4096), 0, 16), list).status());
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0x5A, 0x11", // transport data block: TCP's
        "1, 0x10, 0x11", // bit bucket
        "1, 0x20, 0x11", // segment
        "1, 0xF0, 0x11",
        "1, 0x00, 0x02", // a data block by address
        "1, 0x41, 0x02",
        "1, 0x4A, 0x02",
        "1, 0x30, 0x02",
        "2, 0x01, 0x02" // data in the capsule of a read
    })
    void shouldRefuseDescriptorsOfOtherTypes(int opcode, int identifier, int status) throws IOException {
        start();
        RawRdmaHost io = io(32, 16);
        Sqe sqe = command(opcode, 0, 4096);
        sqe.sgl1().set(identifier, 0, 4096);
        assertEquals(status | Status.DNR, io.execute(sqe, new byte[4096]).status());
        assertEquals(
                0,
                io.execute(RawRdmaHost.keyed(command(READ, 0, 512), io.memory(512), 512))
                        .status());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4095, 4097, 8192, 0xFFFFFF})
    void shouldRefuseALengthThatIsNotTheCommands(int described) throws IOException {
        start();
        RawRdmaHost io = io(32, 16);
        Sqe write = RawRdmaHost.keyed(command(WRITE, 0, 4096), io.memory(4096), described);
        assertEquals(
                Status.SGL_DATA_LENGTH_INVALID | Status.DNR, io.execute(write).status());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void shouldKeepWithinTheReadsThatTheHostAllows(int reads) throws IOException {
        start();
        RawRdmaHost io = io(64, reads);
        // So that several wait at a time: what is done is not told until all have been asked for.
        rdma.holdSendCompletions();
        byte[][] data = new byte[64][];
        List<byte[]> capsules = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            data[i] = random(i, 8192);
            Sqe write = RawRdmaHost.keyed(command(WRITE, i * 16L, 8192), io.memory(data[i]), 8192);
            capsules.add(RawRdmaHost.capsule(write.commandId(i), new byte[0]));
        }
        io.send(capsules.subList(0, 16).toArray(byte[][]::new));
        rdma.releaseSendCompletions();
        for (int i = 16; i < 64; i += 16) {
            io.send(capsules.subList(i, i + 16).toArray(byte[][]::new));
        }
        for (int i = 0; i < 64; i++) {
            assertEquals(0, io.response().cqe().status());
        }
        for (int i = 0; i < 64; i++) {
            assertArrayEquals(data[i], read(io, i * 16L, 8192));
        }
    }

    @Test
    void shouldServeEverybodyWhenBuffersAreShort() throws IOException {
        // One and a half megabytes for each loop, of which one transfer may take one.
        start(new TargetLimits(128, 4, 8192, 1 << 20, 3L << 20, 2), RdmaConfig.DEFAULT);
        RawRdmaHost admin = host();
        int controllerId = admin.connectAdmin(rdmaAddress(), NQN, 0);
        admin.enable();
        List<RawRdmaHost> queues = new ArrayList<>();
        for (int queueId = 1; queueId <= 3; queueId++) {
            queues.add(io(controllerId, queueId, 32, 4));
        }
        byte[] data = random(9, 1 << 20);
        for (RawRdmaHost io : queues) {
            Memory memory = io.memory(data);
            for (int i = 0; i < 8; i++) {
                io.submit(RawRdmaHost.keyed(command(WRITE, i * 2048L, 1 << 20), memory, 1 << 20));
                io.submit(RawRdmaHost.keyed(command(WRITE, i * 2048L, 4096), memory, 4096));
            }
        }
        for (RawRdmaHost io : queues) {
            for (int i = 0; i < 16; i++) {
                assertEquals(0, io.response().cqe().status());
            }
        }
        assertArrayEquals(data, read(queues.get(0), 7 * 2048L, 1 << 20));
    }

    @Test
    void shouldHoldCapsulesBackUntilTheDeviceHasSentEarlierResponses() throws IOException {
        start();
        RawRdmaHost io = io(8, 4);
        rdma.holdSendCompletions();
        Memory memory = io.memory(512);
        // The host has a response, and sends the next command, before the target knows that the response is sent.
        for (int i = 0; i < 16; i++) {
            assertEquals(
                    0,
                    io.execute(RawRdmaHost.keyed(command(READ, 0, 512), memory, 512))
                            .status());
        }
        for (int i = 0; i < 8; i++) {
            io.submit(RawRdmaHost.keyed(command(READ, 0, 512), memory, 512));
        }
        assertFalse(io.hasResponse());
        rdma.releaseSendCompletions();
        for (int i = 0; i < 8; i++) {
            assertEquals(0, io.response().cqe().status());
        }
    }

    @Test
    void shouldMixAllWaysAtFullDepth() throws IOException {
        start(new TargetLimits(128, 4, 8192, 1 << 20, 64L << 20, 2), new RdmaConfig(8192, 64L << 20));
        RawRdmaHost io = io(64, 8);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] blocks = new byte[64 * 65536];
        for (int round = 0; round < 30; round++) {
            // Each command has 64 KiB of the namespace to itself.
            List<byte[]> capsules = new ArrayList<>();
            Memory[] read = new Memory[64];
            int[] lengths = new int[64];
            for (int i = 0; i < 64; i++) {
                int bytes = 512 * (1 + random.nextInt(128));
                lengths[i] = bytes;
                if (random.nextBoolean()) {
                    read[i] = io.memory(bytes);
                    Sqe sqe = RawRdmaHost.keyed(command(READ, i * 128L, bytes), read[i], bytes);
                    capsules.add(RawRdmaHost.capsule(sqe.commandId(i), new byte[0]));
                    continue;
                }
                byte[] data = new byte[bytes];
                random.nextBytes(data);
                System.arraycopy(data, 0, blocks, i * 65536, bytes);
                Sqe sqe = command(WRITE, i * 128L, bytes).commandId(i);
                boolean fits = bytes <= 8192;
                capsules.add(
                        fits
                                ? RawRdmaHost.capsule(RawRdmaHost.inCapsule(sqe, 0, bytes), data)
                                : RawRdmaHost.capsule(RawRdmaHost.keyed(sqe, io.memory(data), bytes), new byte[0]));
            }
            for (int i = 0; i < 64; i += 16) {
                io.send(capsules.subList(i, i + 16).toArray(byte[][]::new));
            }
            for (int i = 0; i < 64; i++) {
                assertEquals(0, io.response().cqe().status(), "seed " + seed);
            }
            for (int i = 0; i < 64; i++) {
                if (read[i] != null) {
                    assertArrayEquals(
                            Arrays.copyOfRange(blocks, i * 65536, i * 65536 + lengths[i]),
                            read[i].copy(lengths[i]),
                            "seed " + seed + " round " + round + " command " + i);
                }
            }
        }
        assertTrue(report().data().inCapsuleCommands() > 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16, 131072})
    void shouldTakeCapsulesUpToTheirSizeAndNotAByteMore(int inCapsuleBytes) throws IOException {
        start(LIMITS, new RdmaConfig(inCapsuleBytes, 64L << 20));
        RawRdmaHost io = io(16, 4);
        if (inCapsuleBytes >= 512) {
            byte[] data = random(7, inCapsuleBytes);
            Sqe write = RawRdmaHost.inCapsule(command(WRITE, 0, inCapsuleBytes), 0, inCapsuleBytes);
            assertEquals(0, io.execute(write, data).status());
            assertArrayEquals(data, read(io, 0, inCapsuleBytes));
        }
        assertEquals(
                0,
                io.execute(RawRdmaHost.keyed(command(READ, 0, 512), io.memory(512), 512), new byte[inCapsuleBytes])
                        .status());
        io.submit(command(WRITE, 0, 512), new byte[inCapsuleBytes + 1]);
        io.awaitEnd();
    }
}
