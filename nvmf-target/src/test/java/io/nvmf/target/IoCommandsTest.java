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
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.DatasetRange;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.nvm.WriteZeroesCommand;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IoCommandsTest extends TargetTestBase {
    private static final int DNR = Status.DNR;
    private static final int IN_CAPSULE_BYTES = 8192;

    private RawHost admin;
    private RawHost io;
    private int controllerId;

    @BeforeEach
    void connect() throws IOException {
        start();
        admin = open();
        controllerId = admin.connectAdmin(NQN, 0);
        admin.enable();
        io = open();
    }

    @AfterEach
    void closeHosts() throws IOException {
        admin.close();
        io.close();
    }

    private void connectIo(int hpda, int digests) throws IOException {
        io.initialize(hpda, digests);
        io.connectIo(controllerId, 1, 127, NQN);
    }

    private static Sqe command(int opcode, long nsid, long startBlock, int blocks) {
        return ReadWriteCommand.encode(Sqe.allocate(), opcode, nsid, startBlock, blocks);
    }

    private static byte[] random(int bytes, long seed) {
        byte[] data = new byte[bytes];
        new Random(seed).nextBytes(data);
        return data;
    }

    private int write(long nsid, long startBlock, byte[] data, int blockSize) throws IOException {
        Sqe sqe = command(Opcode.Nvm.WRITE, nsid, startBlock, data.length / blockSize);
        if (data.length <= IN_CAPSULE_BYTES) {
            sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, data.length);
            return io.execute(sqe, data).status();
        }
        return io.executeWrite(sqe, data, 65536).status();
    }

    private byte[] read(long nsid, long startBlock, int bytes, int blockSize) throws IOException {
        return io.executeRead(command(Opcode.Nvm.READ, nsid, startBlock, bytes / blockSize), bytes);
    }

    @ParameterizedTest
    @CsvSource({"0,0", "0,1", "0,2", "0,3", "7,0", "31,3"})
    void shouldReadWhatWasWrittenInEverySizeWithEveryDigestAndAlignment(int hpda, int digests) throws IOException {
        connectIo(hpda, digests);
        int[] sizes = {512, 4096, 8192, 8704, 65536, 131072, 135168, 139776, 262144, 1 << 20};
        for (int size : sizes) {
            byte[] data = random(size, size);
            assertEquals(0, write(1, 1000, data, 512), "writing " + size);
            assertArrayEquals(data, read(1, 1000, size, 512), "reading " + size);
            if (size % 4096 == 0) {
                assertEquals(0, write(2, 77, data, 4096));
                assertArrayEquals(data, read(2, 77, size, 4096));
            }
        }
    }

    /** A device in memory takes data from where it came in when all of it is there, and from a buffer of its own when it is not. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void shouldStoreDataOfACapsuleHoweverItIsCut(int digests) throws IOException {
        connectIo(0, digests);
        int atOnce = io.capsule(command(Opcode.Nvm.WRITE, 1, 8, 8), new byte[4096]).length;
        for (int cut : new int[] {atOnce, 76, atOnce - 4096, 1000, atOnce - 4, atOnce - 1}) {
            byte[] data = random(4096, cut);
            Sqe write = command(Opcode.Nvm.WRITE, 1, 8, 8).commandId(cut);
            write.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 4096);
            byte[] capsule = io.capsule(write, data);
            io.send(capsule, 0, cut);
            // When it is answered the first part has been received.
            admin.execute(Sqe.allocate().clear(Opcode.Admin.KEEP_ALIVE));
            io.send(capsule, cut, capsule.length);
            assertEquals(0, io.completionOf(cut).status(), "cut at " + cut);
            assertArrayEquals(data, read(1, 8, 4096, 512), "cut at " + cut);
        }
    }

    /** Long data is received where it belongs, and what comes behind it is not. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void shouldTellDataApartThatComesInOneStream(int digests) throws IOException {
        connectIo(0, digests);
        int bytes = 128 * 1024;
        int writes = 4;
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        for (int i = 0; i < writes; i++) {
            Sqe write = command(Opcode.Nvm.WRITE, 1, i * 256L, 256);
            write.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, bytes);
            int commandId = io.submit(write);
            int tag = R2T.transferTag(io.read().header());
            byte[] data = random(bytes, i);
            // In pieces: of 8 KiB, of 40,000 bytes, of 64 KiB, and whole.
            int piece = new int[] {8192, 40_000, 65_536, bytes}[i];
            for (int at = 0; at < bytes; at += piece) {
                int end = Math.min(at + piece, bytes);
                stream.write(io.hostData(commandId, tag, at, Arrays.copyOfRange(data, at, end), end == bytes));
            }
            Sqe beside = command(Opcode.Nvm.WRITE, 1, 2000 + i, 1).commandId(i);
            beside.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 512);
            stream.write(io.capsule(beside, random(512, 100 + i)));
        }
        io.send(stream.toByteArray());
        for (int i = 0; i < 2 * writes; i++) {
            assertEquals(0, io.read().completion().status());
        }
        for (int i = 0; i < writes; i++) {
            assertArrayEquals(random(bytes, i), read(1, i * 256L, bytes, 512), "write " + i);
            assertArrayEquals(random(512, 100 + i), read(1, 2000 + i, 512, 512), "beside write " + i);
        }
    }

    @Test
    void shouldAlignDataAsTheHostAsks() throws IOException {
        connectIo(31, 0);
        Sqe sqe = command(Opcode.Nvm.READ, 1, 0, 1);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
        io.submit(sqe);
        RawHost.Pdu pdu = io.read();
        assertEquals(PduType.C2H_DATA, pdu.type());
        assertEquals(128, PduHeader.dataOffset(pdu.header()));
    }

    @Test
    void shouldFollowDataWithACompletionUnderFlowControl() throws IOException {
        connectIo(0, 0);
        Sqe sqe = command(Opcode.Nvm.READ, 1, 0, 1);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
        int commandId = io.submit(sqe);
        RawHost.Pdu pdu = io.read();
        assertTrue(pdu.has(PduHeader.LAST_PDU));
        assertFalse(pdu.has(PduHeader.SUCCESS));
        assertEquals(2, io.completionOf(commandId).sqhd(), "Connect was the first command, this is the second");
    }

    @Test
    void shouldSaveTheCompletionOfAReadWithoutFlowControl() throws IOException {
        io.initialize(0, 0);
        Sqe connect = Sqe.allocate();
        ConnectCommand.encode(connect, 1, 31, ConnectCommand.DISABLE_SQ_FLOW_CONTROL, 0);
        connect.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 1024);
        assertEquals(
                0xFFFF,
                io.execute(connect, RawHost.connectData(controllerId, NQN, RawHost.HOST_NQN))
                        .sqhd());
        Sqe sqe = command(Opcode.Nvm.READ, 1, 0, 1024);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512 * 1024);
        io.submit(sqe);
        int got = 0;
        while (got < 512 * 1024) {
            RawHost.Pdu pdu = io.read();
            assertEquals(got, DataPdu.offsetBytes(pdu.header()));
            got += pdu.data().length;
            boolean last = got == 512 * 1024;
            assertEquals(last, pdu.has(PduHeader.LAST_PDU));
            assertEquals(last, pdu.has(PduHeader.SUCCESS));
        }
        assertEquals(
                0, io.execute(Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(1)).status(), "no completion between");
    }

    private record Asked(int tag, long offset, int length) {}

    private Asked asked() throws IOException {
        RawHost.Pdu pdu = io.read();
        assertEquals(PduType.R2T, pdu.type());
        return new Asked(
                R2T.transferTag(pdu.header()), R2T.offsetBytes(pdu.header()), (int) R2T.lengthBytes(pdu.header()));
    }

    private void answer(int commandId, Asked asked, byte[] data) throws IOException {
        int half = asked.length / 2;
        int from = (int) asked.offset;
        io.send(io.hostData(commandId, asked.tag, from, Arrays.copyOfRange(data, from, from + half), false));
        byte[] rest = Arrays.copyOfRange(data, from + half, from + asked.length);
        io.send(io.hostData(commandId, asked.tag, from + half, rest, true));
    }

    @Test
    void shouldAskForSeveralPiecesAtATimeWhenTheHostAllows() throws IOException {
        io.initialize(0, 3, 2);
        io.connectIo(controllerId, 1, 31, NQN);
        byte[] data = random((1 << 20) - 512, 11);
        Sqe sqe = command(Opcode.Nvm.WRITE, 1, 0, data.length / 512);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, data.length);
        int commandId = io.submit(sqe);
        Deque<Asked> outstanding = new ArrayDeque<>(List.of(asked(), asked(), asked()));
        int askedFor = 3;
        long askedBytes = outstanding.stream().mapToLong(Asked::length).sum();
        while (!outstanding.isEmpty()) {
            answer(commandId, outstanding.pollLast(), data);
            if (askedBytes < data.length) {
                Asked next = asked();
                assertEquals(askedBytes, next.offset);
                askedBytes += next.length;
                askedFor++;
                outstanding.addFirst(next);
            }
        }
        assertEquals(0, io.completionOf(commandId).status());
        assertEquals(8, askedFor);
        assertEquals(data.length, askedBytes);
        assertArrayEquals(data, read(1, 0, data.length, 512));
        assertEquals(0, write(1, 0, random(65536, 12), 512), "little is asked for at once");
    }

    @Test
    void shouldRefuseDataThatWasNotAskedFor() throws IOException {
        io.initialize(0, 0, 1);
        io.connectIo(controllerId, 1, 31, NQN);
        Sqe sqe = command(Opcode.Nvm.WRITE, 1, 0, 2048);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 1 << 20);
        int commandId = io.submit(sqe);
        Asked first = asked();
        asked();
        io.send(io.hostData(commandId, first.tag, first.offset, new byte[131072 + 512], false));
        assertEquals(PduType.C2H_TERM_REQ, io.read().type(), "beyond the piece, though inside the command");
    }

    @Test
    void shouldRefuseDataOfAPieceThatIsNotAskedForYet() throws IOException {
        io.initialize(0, 0, 1);
        io.connectIo(controllerId, 1, 31, NQN);
        Sqe sqe = command(Opcode.Nvm.WRITE, 1, 0, 2048);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 1 << 20);
        int commandId = io.submit(sqe);
        int first = asked().tag;
        int second = asked().tag;
        int third = second + (second - first);
        io.send(io.hostData(commandId, third, 2 * 131072, new byte[512], false));
        assertEquals(PduType.C2H_TERM_REQ, io.read().type());
    }

    @Test
    void shouldMoveTheQueueHeadWithEachCompletion() throws IOException {
        io.initialize(0, 0);
        io.connectIo(controllerId, 1, 3, NQN);
        int[] expected = {2, 3, 0, 1, 2};
        for (int sqhd : expected) {
            assertEquals(
                    sqhd,
                    io.execute(Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(1)).sqhd());
        }
    }

    @Test
    void shouldRefuseRangesOutsideTheNamespace() throws IOException {
        connectIo(0, 0);
        long blocks = NAMESPACE_BYTES / 512;
        long[] bad = {blocks, blocks - 1, -1, Long.MAX_VALUE, Long.MIN_VALUE};
        for (long start : bad) {
            Sqe sqe = command(Opcode.Nvm.READ, 1, start, 2);
            sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 1024);
            assertEquals(Status.LBA_OUT_OF_RANGE | DNR, io.execute(sqe).status(), "start " + start);
        }
        assertArrayEquals(new byte[1024], read(1, blocks - 2, 1024, 512));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 3, 1025, 0xFFFF_FFFFL})
    void shouldRefuseNamespacesThatAreNotThere(long nsid) throws IOException {
        connectIo(0, 0);
        Sqe sqe = command(Opcode.Nvm.READ, nsid, 0, 1);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
        assertEquals(Status.INVALID_NAMESPACE_OR_FORMAT | DNR, io.execute(sqe).status());
    }

    @Test
    void shouldRefuseMoreThanOneTransferMayCarry() throws IOException {
        connectIo(0, 0);
        Sqe sqe = command(Opcode.Nvm.READ, 1, 0, 2049);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 2049 * 512);
        assertEquals(Status.INVALID_FIELD | DNR, io.execute(sqe).status());
    }

    @Test
    void shouldRefuseUnknownOpcodesFusedCommandsAndPrps() throws IOException {
        connectIo(0, 0);
        assertEquals(
                Status.INVALID_OPCODE | DNR,
                io.execute(Sqe.allocate().clear(0x7A)).status());
        Sqe fused = command(Opcode.Nvm.WRITE, 1, 0, 1).fuse(3);
        assertEquals(Status.INVALID_FIELD | DNR, io.execute(fused).status());
        Sqe prp = command(Opcode.Nvm.READ, 1, 0, 1);
        prp.buffer().put(1, (byte) 0);
        assertEquals(Status.INVALID_FIELD | DNR, io.execute(prp).status());
    }

    @Test
    void shouldWriteZeroesBeyondOneTransfer() throws IOException {
        connectIo(0, 0);
        assertEquals(0, write(1, 0, random(1 << 20, 1), 512));
        assertEquals(0, write(1, 4094, random(1024, 2), 512));
        Sqe sqe = command(Opcode.Nvm.WRITE_ZEROES, 1, 1, 4094);
        assertEquals(0, io.execute(WriteZeroesCommand.deallocate(sqe, true)).status());
        assertFalse(Arrays.equals(new byte[512], read(1, 0, 512, 512)), "the block before stays");
        assertArrayEquals(new byte[1 << 19], read(1, 1, 1 << 19, 512));
        assertArrayEquals(new byte[512], read(1, 4094, 512, 512));
        assertFalse(Arrays.equals(new byte[512], read(1, 4095, 512, 512)), "the block behind stays");
        Sqe beyond = command(Opcode.Nvm.WRITE_ZEROES, 1, NAMESPACE_BYTES / 512 - 1, 2);
        assertEquals(Status.LBA_OUT_OF_RANGE | DNR, io.execute(beyond).status());
    }

    private static byte[] ranges(long... startAndCount) {
        ByteBuffer data = Bytes.allocate(startAndCount.length / 2 * DatasetRange.BYTES);
        for (int i = 0; i < startAndCount.length; i += 2) {
            new DatasetRange().wrap(data, i / 2 * DatasetRange.BYTES).set(startAndCount[i], startAndCount[i + 1]);
        }
        return data.array();
    }

    private int manage(int attributes, int rangeCount, byte[] data) throws IOException {
        Sqe sqe = DatasetManagementCommand.encode(Sqe.allocate(), 1, rangeCount, attributes);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, data.length);
        return io.execute(sqe, data).status();
    }

    @Test
    void shouldDeallocateEveryRange() throws IOException {
        connectIo(0, 0);
        byte[] data = random(16 * 512, 3);
        assertEquals(0, write(1, 0, data, 512));
        assertEquals(0, manage(DatasetManagementCommand.DEALLOCATE, 3, ranges(1, 2, 5, 0, 8, 1)));
        Arrays.fill(data, 512, 3 * 512, (byte) 0);
        Arrays.fill(data, 8 * 512, 9 * 512, (byte) 0);
        assertArrayEquals(data, read(1, 0, 16 * 512, 512));
    }

    @Test
    void shouldTakeThePageThatLinuxSendsForAnyNumberOfRanges() throws IOException {
        connectIo(0, 0);
        assertEquals(0, write(1, 0, random(512, 4), 512));
        assertEquals(0, manage(DatasetManagementCommand.DEALLOCATE, 1, Arrays.copyOf(ranges(0, 1), 4096)));
        assertArrayEquals(new byte[512], read(1, 0, 512, 512));
    }

    @Test
    void shouldTouchNothingWhenOneRangeIsWrongOrNothingIsAsked() throws IOException {
        connectIo(0, 0);
        byte[] data = random(512, 5);
        assertEquals(0, write(1, 0, data, 512));
        assertEquals(
                Status.LBA_OUT_OF_RANGE | DNR,
                manage(DatasetManagementCommand.DEALLOCATE, 2, ranges(0, 1, NAMESPACE_BYTES / 512, 1)));
        assertEquals(0, manage(DatasetManagementCommand.INTEGRAL_READ, 1, ranges(0, 1)));
        assertArrayEquals(data, read(1, 0, 512, 512));
        assertEquals(
                Status.SGL_DATA_LENGTH_INVALID | DNR, manage(DatasetManagementCommand.DEALLOCATE, 2, ranges(0, 1)));
    }

    @Test
    void shouldFlushOneNamespaceOrAll() throws IOException {
        connectIo(0, 0);
        assertEquals(
                0, io.execute(Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(1)).status());
        assertEquals(
                0,
                io.execute(Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(Sqe.NSID_ALL))
                        .status());
        assertEquals(
                Status.INVALID_NAMESPACE_OR_FORMAT | DNR,
                io.execute(Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(9)).status());
    }

    @Test
    void shouldAnswerManyCommandsSentAtOnce() throws IOException {
        connectIo(0, 3);
        byte[] data = random(128 * 4096, 6);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 100; i++) {
                Sqe sqe = command(Opcode.Nvm.WRITE, 2, i, 1).commandId(i);
                sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 4096);
                io.send(io.capsule(sqe, Arrays.copyOfRange(data, i * 4096, (i + 1) * 4096)));
            }
            boolean[] done = new boolean[100];
            for (int i = 0; i < 100; i++) {
                RawHost.Pdu pdu = io.read();
                assertEquals(0, pdu.completion().status());
                done[pdu.completion().commandId()] = true;
            }
            for (boolean each : done) {
                assertTrue(each);
            }
        }
        assertArrayEquals(Arrays.copyOf(data, 100 * 4096), read(2, 0, 100 * 4096, 4096));
    }

    @Test
    void shouldMakeReadsWaitForBuffersWithoutFailingOne() throws IOException {
        // 8 MiB of buffers a loop, 32 MiB asked for at once.
        connectIo(0, 0);
        for (int i = 0; i < 32; i++) {
            Sqe sqe = command(Opcode.Nvm.READ, 1, i, 2048).commandId(i);
            sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 1 << 20);
            io.send(io.capsule(sqe, new byte[0]));
        }
        long bytes = 0;
        int completions = 0;
        while (completions < 32) {
            RawHost.Pdu pdu = io.read();
            bytes += pdu.data().length;
            if (pdu.type() == PduType.CAPSULE_RESP) {
                assertEquals(0, pdu.completion().status());
                completions++;
            }
        }
        assertEquals(32L << 20, bytes);
    }

    @Test
    void shouldAnswerShortReadsThatNeedNoBufferWhileOthersWaitForOne() throws IOException {
        // Every byte of the pool is held for data that the host owes.
        connectIo(0, 0);
        int writes = 0;
        for (; writes < 9; writes++) {
            Sqe write = command(Opcode.Nvm.WRITE, 1, 0, 2048).commandId(100 + writes);
            write.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 1 << 20);
            io.send(io.capsule(write, new byte[0]));
        }
        int asked = 0;
        while (asked < 6) {
            assertEquals(PduType.R2T, io.read().type());
            asked++;
        }
        Sqe read = command(Opcode.Nvm.READ, 1, 5000, 16).commandId(1);
        read.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 8192);
        io.send(io.capsule(read, new byte[0]));
        RawHost.Pdu pdu = io.read();
        assertEquals(PduType.C2H_DATA, pdu.type());
        assertArrayEquals(new byte[8192], pdu.data());
    }
}
