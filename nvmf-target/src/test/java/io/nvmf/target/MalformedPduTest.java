package io.nvmf.target;

import static io.nvmf.target.HandshakeTest.assertTerminated;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.FatalErrorStatus;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What ends a connection, what ends a command only, and with which words. */
class MalformedPduTest extends TargetTestBase {
    private static final int KEEP_ALIVE = 0x18;

    private RawHost admin;
    private RawHost io;
    private int controllerId;

    @BeforeEach
    void connect() throws IOException {
        start();
        connect(0);
    }

    private void connect(int digests) throws IOException {
        closeHosts();
        admin = open();
        controllerId = admin.connectAdmin(NQN, 0);
        admin.enable();
        io = open();
        io.initialize(0, digests);
        io.connectIo(controllerId, 1, 15, NQN);
    }

    @AfterEach
    void closeHosts() throws IOException {
        if (admin != null) {
            admin.close();
            io.close();
        }
    }

    private byte[] capsule() {
        return io.capsule(Sqe.allocate().clear(KEEP_ALIVE), new byte[0]);
    }

    private static void setInt(byte[] pdu, int offset, int value) {
        ByteBuffer.wrap(pdu).order(ByteOrder.LITTLE_ENDIAN).putInt(offset, value);
    }

    private void assertInvalidField(byte[] pdu, int offset) throws IOException {
        io.send(pdu);
        assertTerminated(io, FatalErrorStatus.INVALID_PDU_HEADER_FIELD, offset);
    }

    @Test
    void shouldRefuseAPduTypeThatOnlyATargetSends() throws IOException {
        byte[] pdu = capsule();
        pdu[0] = (byte) PduType.R2T.code();
        assertInvalidField(pdu, PduHeader.TYPE_OFFSET);
    }

    @Test
    void shouldRefuseAWrongHeaderLength() throws IOException {
        byte[] pdu = capsule();
        pdu[PduHeader.HLEN_OFFSET] = 73;
        assertInvalidField(pdu, PduHeader.HLEN_OFFSET);
    }

    @Test
    void shouldRefuseAPduShorterThanItsHeader() throws IOException {
        byte[] pdu = capsule();
        setInt(pdu, PduHeader.PLEN_OFFSET, 71);
        assertInvalidField(pdu, PduHeader.PLEN_OFFSET);
    }

    @Test
    void shouldRefuseACapsuleWithMoreDataThanFitsBeforeTheDataComes() throws IOException {
        byte[] pdu = capsule();
        pdu[PduHeader.PDO_OFFSET] = 72;
        setInt(pdu, PduHeader.PLEN_OFFSET, 72 + 8193);
        assertInvalidField(pdu, PduHeader.PLEN_OFFSET);
    }

    @Test
    void shouldRefuseAHugeLength() throws IOException {
        byte[] pdu = capsule();
        pdu[PduHeader.PDO_OFFSET] = 72;
        setInt(pdu, PduHeader.PLEN_OFFSET, 0xFFFF_FFFF);
        assertInvalidField(pdu, PduHeader.PLEN_OFFSET);
    }

    @Test
    void shouldRefuseDigestsThatWereNotAgreedOn() throws IOException {
        byte[] pdu = capsule();
        pdu[PduHeader.FLAGS_OFFSET] = PduHeader.HEADER_DIGEST;
        assertInvalidField(pdu, PduHeader.FLAGS_OFFSET);
    }

    @Test
    void shouldRefuseAnUnalignedDataOffset() throws IOException {
        byte[] pdu = io.capsule(write(0, 1), new byte[512]);
        pdu[PduHeader.PDO_OFFSET] = 74;
        assertInvalidField(pdu, PduHeader.PDO_OFFSET);
    }

    @Test
    void shouldEndOnlyTheQueueWhoseHeaderDigestIsWrong() throws IOException {
        connect(3);
        byte[] pdu = capsule();
        pdu[72] ^= 1;
        io.send(pdu);
        int received = ByteBuffer.wrap(pdu).order(ByteOrder.LITTLE_ENDIAN).getInt(72);
        assertTerminated(io, FatalErrorStatus.HEADER_DIGEST_ERROR, received);
        assertEquals(4096, admin.executeRead(Sqe.allocate().clear(6).cdw(10, 1), 4096).length);
    }

    @Test
    void shouldFailOnlyTheCommandWhoseDataDigestIsWrong() throws IOException {
        connect(3);
        Sqe sqe = write(8, 1);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 512);
        byte[] pdu = io.capsule(sqe.commandId(5), new byte[512]);
        pdu[pdu.length - 1] ^= 1;
        io.send(pdu);
        assertEquals(Status.TRANSIENT_TRANSPORT_ERROR, io.completionOf(5).status());
        byte[] zeros = io.executeRead(read(8, 1), 512);
        assertArrayEquals(new byte[512], zeros, "nothing was written");
    }

    @Test
    void shouldFailOnlyTheCommandWhenOneOfItsDataPdusIsDamaged() throws IOException {
        connect(2);
        R2tPending pending = startWrite(16, 32);
        byte[] first = io.hostData(pending.commandId, pending.tag, 0, new byte[8192], false);
        first[first.length - 1] ^= 1;
        io.send(first);
        io.send(io.hostData(pending.commandId, pending.tag, 8192, new byte[8192], true));
        assertEquals(
                Status.TRANSIENT_TRANSPORT_ERROR,
                io.completionOf(pending.commandId).status());
    }

    private record R2tPending(int commandId, int tag) {}

    private R2tPending startWrite(long startBlock, int blocks) throws IOException {
        Sqe sqe = write(startBlock, blocks);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, blocks * 512L);
        int commandId = io.submit(sqe);
        RawHost.Pdu r2t = io.read();
        assertEquals(PduType.R2T, r2t.type());
        assertEquals(commandId, R2T.commandId(r2t.header()));
        assertEquals(0, R2T.offsetBytes(r2t.header()));
        assertEquals(blocks * 512L, R2T.lengthBytes(r2t.header()));
        return new R2tPending(commandId, R2T.transferTag(r2t.header()));
    }

    @Test
    void shouldRefuseDataForATagNobodyGave() throws IOException {
        io.send(io.hostData(1, 3, 0, new byte[512], true));
        assertTerminated(io, FatalErrorStatus.INVALID_PDU_HEADER_FIELD, DataPdu.TRANSFER_TAG_OFFSET);
    }

    @Test
    void shouldRefuseDataForAnotherCommandThanTheTags() throws IOException {
        R2tPending pending = startWrite(0, 32);
        io.send(io.hostData(pending.commandId + 1, pending.tag, 0, new byte[512], false));
        assertTerminated(io, FatalErrorStatus.INVALID_PDU_HEADER_FIELD, DataPdu.COMMAND_ID_OFFSET);
    }

    @Test
    void shouldRefuseDataOutOfOrder() throws IOException {
        R2tPending pending = startWrite(0, 32);
        io.send(io.hostData(pending.commandId, pending.tag, 512, new byte[512], false));
        assertTerminated(io, FatalErrorStatus.DATA_TRANSFER_OUT_OF_RANGE, 0);
    }

    @Test
    void shouldRefuseMoreDataThanTheR2tAskedFor() throws IOException {
        R2tPending pending = startWrite(0, 32);
        io.send(io.hostData(pending.commandId, pending.tag, 0, new byte[32 * 512 + 4], true));
        assertTerminated(io, FatalErrorStatus.DATA_TRANSFER_OUT_OF_RANGE, 0);
    }

    @Test
    void shouldRefuseALastPduBeforeAllDataHasCome() throws IOException {
        R2tPending pending = startWrite(0, 32);
        io.send(io.hostData(pending.commandId, pending.tag, 0, new byte[512], true));
        assertTerminated(io, FatalErrorStatus.INVALID_PDU_HEADER_FIELD, PduHeader.FLAGS_OFFSET);
    }

    @Test
    void shouldRefuseADataLengthThatDiffersFromThePdus() throws IOException {
        R2tPending pending = startWrite(0, 32);
        byte[] pdu = io.hostData(pending.commandId, pending.tag, 0, new byte[1024], false);
        setInt(pdu, DataPdu.DATA_LENGTH_OFFSET, 512);
        assertInvalidField(pdu, DataPdu.DATA_LENGTH_OFFSET);
    }

    @Test
    void shouldRefuseMoreCommandsThanTheQueueHasEntries() throws IOException {
        for (int i = 0; i < 16; i++) {
            startWrite(i * 32L, 32);
        }
        io.send(io.capsule(read(0, 1).commandId(99), new byte[0]));
        assertTerminated(io, FatalErrorStatus.PDU_SEQUENCE_ERROR, 0);
    }

    @Test
    void shouldLeaveNothingHeldWhenAConnectionEndsInTheMiddleOfWrites() throws IOException {
        // Sixteen megabytes of buffers over two loops: a leak of one connection's buffers would soon stop all writes.
        for (int round = 0; round < 40; round++) {
            connect(0);
            startWrite(0, 2048);
            startWrite(0, 2048);
        }
        connect(0);
        assertEquals(
                0, io.executeWrite(write(0, 2048), new byte[1 << 20], 1 << 20).status());
    }

    @Test
    void shouldTakeNothingThatComesBehindTheEndOfAConnection() throws IOException {
        ByteBuffer term = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
        term.put(0, (byte) PduType.H2C_TERM_REQ.code())
                .put(2, (byte) 24)
                .putInt(4, 24)
                .putShort(8, (short) 1);
        Sqe write = write(0, 2048);
        write.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 1 << 20);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(term.array());
        all.write(RawHost.icReq(0, 0));
        for (int i = 0; i < 8; i++) {
            all.write(io.capsule(write.commandId(i), new byte[0]));
        }
        for (int i = 2; i <= 4; i++) {
            try (RawHost host = open()) {
                host.initialize(0, 0);
                host.connectIo(controllerId, i, 31, NQN);
                host.send(all.toByteArray());
                assertNull(host.read());
            }
        }
        assertEquals(
                0, io.executeWrite(write(0, 2048), new byte[1 << 20], 1 << 20).status());
    }

    @Test
    void shouldSurviveRandomBytes() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            try (RawHost host = open()) {
                if (random.nextBoolean()) {
                    host.initialize(0, random.nextInt(4));
                }
                byte[] noise = new byte[random.nextInt(300)];
                random.nextBytes(noise);
                if (noise.length > 8 && random.nextInt(4) != 0) {
                    // Plausible headers get further.
                    noise[0] = (byte) random.nextInt(8);
                    noise[2] = (byte) PduType.of(noise[0]).headerBytes();
                    setInt(noise, 4, random.nextInt(400));
                }
                host.send(noise);
            } catch (IOException e) {
                // The target may close while we send.
            }
        }
        assertEquals(0, io.executeWrite(write(0, 64), new byte[64 * 512], 4096).status(), "seed " + seed);
        assertArrayEquals(new byte[64 * 512], io.executeRead(read(0, 64), 64 * 512), "seed " + seed);
    }

    @Test
    void shouldFailACommandWhoseDataIsDescribedWrongly() throws IOException {
        Sqe tooShort = read(0, 2);
        tooShort.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
        assertEquals(
                Status.SGL_DATA_LENGTH_INVALID | Status.DNR,
                io.execute(tooShort).status());
        Sqe keyed = read(0, 1);
        keyed.sgl1().set(SglDescriptor.KEYED, 0, 512);
        assertEquals(Status.SGL_TYPE_INVALID | Status.DNR, io.execute(keyed).status());
        Sqe readInCapsule = read(0, 1);
        readInCapsule.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 512);
        assertEquals(
                Status.INVALID_FIELD | Status.DNR, io.execute(readInCapsule).status());
        Sqe beyond = write(0, 2);
        beyond.sgl1().set(SglDescriptor.IN_CAPSULE, 512, 1024);
        assertEquals(
                Status.SGL_OFFSET_INVALID | Status.DNR,
                io.execute(beyond, new byte[1024]).status());
        Sqe negative = write(0, 1);
        negative.sgl1().set(SglDescriptor.IN_CAPSULE, -512, 512);
        assertEquals(
                Status.SGL_OFFSET_INVALID | Status.DNR,
                io.execute(negative, new byte[512]).status());
    }

    @Test
    void shouldTakeDataAtAnOffsetInTheCapsule() throws IOException {
        byte[] capsule = new byte[1536];
        Arrays.fill(capsule, 512, 1024, (byte) 7);
        Sqe sqe = write(40, 1);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 512, 512);
        assertEquals(0, io.execute(sqe, capsule).status());
        byte[] expected = new byte[512];
        Arrays.fill(expected, (byte) 7);
        assertArrayEquals(expected, io.executeRead(read(40, 1), 512));
    }

    private static Sqe write(long startBlock, int blocks) {
        return ReadWriteCommand.encode(Sqe.allocate(), 1, 1, startBlock, blocks);
    }

    private static Sqe read(long startBlock, int blocks) {
        return ReadWriteCommand.encode(Sqe.allocate(), 2, 1, startBlock, blocks);
    }
}
