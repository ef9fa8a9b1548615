package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.CmAnswer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawMemory;
import io.nvmf.initiator.raw.RawRdma;
import io.nvmf.initiator.raw.RawRdmaLoop;
import io.nvmf.initiator.raw.RdmaQueue;
import io.nvmf.initiator.raw.Trace;
import io.nvmf.transport.memory.MemoryRdma;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The raw door over RDMA: what it sends, and what it notices of what comes. */
class RawRdmaTest {
    private static final int WAIT_MS = 20_000;
    private static final int DEPTH = 8;
    private static final int BLOCKS = 8;

    private final MemoryRdma rdma = new MemoryRdma();
    private final Trace trace = new Trace();
    private final List<RawRdma> connections = new ArrayList<>();
    private ScriptedRdmaTarget target;
    private RawRdmaLoop loop;

    @BeforeEach
    void open() throws IOException {
        target = new ScriptedRdmaTarget(rdma);
        loop = new RawRdmaLoop(rdma);
    }

    @AfterEach
    void close() throws IOException {
        for (RawRdma connection : connections) {
            connection.close();
        }
        loop.close();
        target.close();
        assertEquals(List.of(), target.faults);
        assertEquals(MemoryRdma.Counts.NONE, rdma.counts());
    }

    private RawRdma connection() {
        RawRdma connection = loop.connection(target.address(), trace, "c" + connections.size());
        connections.add(connection);
        return connection;
    }

    private RdmaQueue io() throws IOException {
        RdmaQueue queue = new RdmaQueue(connection(), 1);
        assertTrue(queue.initialize(DEPTH, 4, WAIT_MS).isAccepted());
        return queue;
    }

    private Sqe command(int opcode) {
        return ReadWriteCommand.encode(Sqe.allocate(), opcode, 1, 0, BLOCKS);
    }

    private int bytes() {
        return BLOCKS << target.blockShift;
    }

    private byte[] random() {
        byte[] data = new byte[bytes()];
        new Random(5).nextBytes(data);
        return data;
    }

    private Answer write(RdmaQueue io, Payload payload) throws IOException {
        return io.execute(command(Opcode.Nvm.WRITE), payload, WAIT_MS);
    }

    private Answer read(RdmaQueue io) throws IOException {
        return io.execute(command(Opcode.Nvm.READ), Payload.in(bytes()), WAIT_MS);
    }

    // ---- the connection

    @Test
    void shouldShowWhatTheTargetAcceptsWith() throws IOException {
        target.crqsize = 5;
        RawRdma connection = connection();
        CmAnswer answer = connection.connect(RawRdma.request(0, 3, 40, 31), 7, DEPTH, WAIT_MS);
        assertEquals(5, answer.accepted().receiveQueueEntries());
        assertNull(answer.rejected());
        assertTrue(connection.isOpen());
        ScriptedRdmaTarget.ConnectRequest request = target.requests.get(0);
        assertEquals(List.of(3, 40, 31), List.of(request.u16(2), request.u16(4), request.u16(6)));
        assertEquals(7, request.initiatorDepth());
        assertTrue(trace.lines().get(0).toString().contains("RDMA_CM_REQUEST RECFMT 0 QID 3 HRQSIZE 40 HSQSIZE 31"));
        assertTrue(trace.lines().get(1).toString().contains("RDMA_CM_ACCEPT RECFMT 0 CRQSIZE 5"));
    }

    @Test
    void shouldShowWhatTheTargetRejectsWith() throws IOException {
        target.rejectData = new byte[] {0, 0, 5, 0};
        CmAnswer answer = connection().connect(RawRdma.request(0, 0, 4, 31), 4, DEPTH, WAIT_MS);
        assertEquals(CmAnswer.Kind.REJECTED, answer.kind());
        assertEquals(5, answer.rejected().status());
        assertNull(answer.accepted());
        assertEquals("RDMA_CM_REJECT RECFMT 0 STS 5 (invalid HRQSIZE)", answer.toString());
    }

    @Test
    void shouldTellSilenceFromARefusal() throws IOException {
        target.silent = true;
        CmAnswer answer = connection().connect(RawRdma.request(0, 0, 32, 31), 4, DEPTH, 50);
        assertEquals(CmAnswer.Kind.SILENCE, answer.kind());
    }

    @Test
    void shouldTakeInWhatCameBeforeTheEnd() throws IOException {
        target.script = (connection, command) -> {
            connection.response(command.commandId(), 0, 0);
            connection.close();
            return true;
        };
        RdmaQueue io = io();
        assertTrue(io.execute(command(0), Payload.NONE, WAIT_MS).isSuccess());
        assertTrue(io.rdma().awaitEnd(WAIT_MS));
        assertFalse(io.isOpen());
        Answer answer = io.execute(command(0), Payload.NONE, WAIT_MS);
        assertEquals(Answer.Kind.CONNECTION_ENDED, answer.kind());
    }

    @Test
    void shouldEndWhatWaitsWhenItIsClosedByAnother() throws Exception {
        target.script = (connection, command) -> true;
        RdmaQueue io = io();
        int commandId = io.submit(command(0), Payload.NONE);
        CountDownLatch closing = new CountDownLatch(1);
        Thread closer = new Thread(() -> {
            closing.countDown();
            io.close();
        });
        closer.start();
        closing.await();
        assertThrows(IOException.class, () -> io.await(commandId, WAIT_MS));
        closer.join();
    }

    // ---- data

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16})
    void shouldMoveDataByKeyedDescriptors(int pieces) throws IOException {
        RdmaQueue io = io();
        io.pieces(pieces);
        byte[] data = random();
        Answer written = write(io, Payload.fetched(data));
        assertTrue(written.isSuccess());
        assertEquals(data.length, written.fetchedBytes());
        assertEquals(pieces == 1 ? 0x40 : 0x31, target.received.get(0).sglIdentifier());
        assertArrayEquals(data, read(io).data());
        assertEquals(List.of(), io.breaches());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSendInTheCapsuleWhatItHasRoomForAndElseLetItBeFetched(boolean fits) throws IOException {
        RdmaQueue io = io();
        byte[] data = random();
        io.capsuleDataBytes(data.length - (fits ? 0 : 1));
        Answer written = write(io, Payload.inCapsule(data));
        assertTrue(written.isSuccess());
        assertEquals(fits ? 0x01 : 0x40, target.received.get(0).sglIdentifier());
        assertEquals(fits ? 0 : data.length, written.fetchedBytes());
        assertArrayEquals(data, Arrays.copyOf(bytesOf(target.medium), data.length));
    }

    private static byte[] bytesOf(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.capacity()];
        buffer.get(0, bytes);
        return bytes;
    }

    @Test
    void shouldPostCapsulesTogetherThatWereHeld() throws IOException {
        RdmaQueue io = io();
        io.holdCapsules(true);
        List<Integer> commands = new ArrayList<>();
        for (int i = 0; i < DEPTH; i++) {
            commands.add(io.submit(command(0), Payload.NONE));
        }
        assertEquals(0, rdma.traffic().sends());
        io.holdCapsules(false);
        for (int commandId : commands) {
            assertTrue(io.await(commandId, WAIT_MS).isSuccess());
        }
    }

    @Test
    void shouldEndWithAKeyThatIsWrong() throws IOException {
        RdmaQueue io = io();
        Payload wrong = Payload.fetched(random())
                .sgl(sgl -> sgl.setKeyed(sgl.address(), sgl.keyedLengthBytes(), sgl.key() + 0x5500, false));
        assertEquals(Answer.Kind.CONNECTION_ENDED, write(io, wrong).kind());
    }

    @Test
    void shouldSayAnotherLengthOfAKeyedDescriptorAndLeaveItsKey() throws IOException {
        RdmaQueue io = io();
        // The target reads as far as the descriptor says, which is not as far as the memory goes.
        Answer answer = write(io, Payload.fetched(random()).describedAs(bytes() + 1L));
        assertEquals(Answer.Kind.CONNECTION_ENDED, answer.kind());
        ReceivedCapsule sent = target.received.get(0);
        assertEquals(bytes() + 1, sent.keyed().lengthBytes());
        assertEquals(0x40, sent.sglIdentifier());
        assertTrue(sent.keyed().key() != 0);
    }

    // ---- breaches

    @Test
    void shouldTakeAnInvalidatedKeyThatWasAskedFor() throws IOException {
        target.script = invalidating();
        RdmaQueue io = io();
        io.invalidate(true);
        assertTrue(read(io).isSuccess());
        assertEquals(List.of(), io.breaches());
    }

    @Test
    void shouldNoticeAnInvalidatedKeyThatNobodyAskedFor() throws IOException {
        target.script = invalidating();
        RdmaQueue io = io();
        assertTrue(read(io).isSuccess());
        assertBreach(io, "which its descriptor does not ask for");
    }

    @Test
    void shouldNoticeAnInvalidatedKeyOfOtherMemory() throws IOException {
        RdmaQueue io = io();
        io.invalidate(true);
        RawMemory other = io.rdma().memory((byte) 1);
        target.script = (connection, command) -> {
            connection.sendInvalidating(completion(command.commandId(), 0), other.key());
            return true;
        };
        assertTrue(read(io).isSuccess());
        assertBreach(io, "which is not one of the command's");
    }

    private static ScriptedRdmaTarget.Script invalidating() {
        return (connection, command) -> {
            connection.sendInvalidating(
                    completion(command.commandId(), 0), command.keyed().key());
            return true;
        };
    }

    private static byte[] completion(int commandId, int statusField) {
        return ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort(12, (short) commandId)
                .putShort(14, (short) statusField)
                .array();
    }

    @ParameterizedTest
    @ValueSource(ints = {15, 17})
    void shouldNoticeAResponseOfAnotherLength(int lengthBytes) throws IOException {
        target.script = (connection, command) -> {
            connection.send(Arrays.copyOf(completion(command.commandId(), 0), lengthBytes));
            connection.response(command.commandId(), 0, 0);
            return true;
        };
        RdmaQueue io = io();
        assertTrue(io.execute(command(0), Payload.NONE, WAIT_MS).isSuccess());
        assertBreach(io, "a response of " + lengthBytes + " bytes");
    }

    @Test
    void shouldNoticeThePhaseTag() throws IOException {
        target.script = (connection, command) -> {
            connection.send(completion(command.commandId(), 1));
            return true;
        };
        RdmaQueue io = io();
        assertTrue(io.execute(command(0), Payload.NONE, WAIT_MS).isSuccess());
        assertBreach(io, "the phase tag is set");
    }

    private static void assertBreach(RdmaQueue io, String what) {
        assertEquals(1, io.breaches().size(), io.breaches().toString());
        assertTrue(io.breaches().get(0).contains(what), io.breaches().toString());
    }
}
