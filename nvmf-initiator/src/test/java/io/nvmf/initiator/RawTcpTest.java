package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawSocket;
import io.nvmf.initiator.raw.TcpQueue;
import io.nvmf.initiator.raw.Trace;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the raw door sends over TCP, and what it makes of the answers. */
class RawTcpTest {
    private static final int TIMEOUT_MS = 10_000;
    private static final int DATA_BYTES = 512;

    private final Trace trace = new Trace();
    private ScriptedTarget target;
    private TcpQueue queue;

    @BeforeEach
    void connect() throws IOException {
        target = new ScriptedTarget();
        target.digests = 0;
        queue = new TcpQueue(new RawSocket(target.address(), TIMEOUT_MS, trace, "c1"));
        queue.initialize(0, 0, 0, TIMEOUT_MS);
    }

    @AfterEach
    void close() throws IOException {
        queue.close();
        target.close();
    }

    @Test
    void shouldCallASuccessAfterHalfTheDataABreach() throws IOException {
        target.script = RawTcpTest::answerHalf;
        assertTrue(execute(Payload.in(DATA_BYTES)).isSuccess());
        assertEquals(2, queue.breaches().size(), queue.breaches().toString());
    }

    @Test
    void shouldTakeHalfTheDataWhenLessMayCome() throws IOException {
        target.script = RawTcpTest::answerHalf;
        Answer answer = execute(Payload.in(DATA_BYTES / 2, DATA_BYTES));
        assertTrue(answer.isSuccess());
        assertEquals(DATA_BYTES / 2, answer.dataBytes());
        assertEquals(0, queue.breaches().size(), queue.breaches().toString());
    }

    @Test
    void shouldCallLastDataThatIsNotSaidToBeTheLastABreachWhenLessMayCome() throws IOException {
        target.script = (connection, command) -> {
            connection.readData(command.commandId(), 0, new byte[DATA_BYTES], 0, DATA_BYTES, 0);
            connection.response(command.commandId(), 0, 0);
            return true;
        };
        assertTrue(execute(Payload.in(DATA_BYTES / 2, DATA_BYTES)).isSuccess());
        assertEquals(1, queue.breaches().size(), queue.breaches().toString());
    }

    @Test
    void shouldEndItsHalfWhenTheTargetEndsTheConnection() throws IOException {
        target.script = (connection, command) -> {
            connection.termReq(2, 0);
            return true;
        };
        assertEquals(
                Answer.Kind.CONNECTION_ENDED, execute(Payload.in(DATA_BYTES)).kind());
        assertEquals(24, queue.termReq().bytes().length);
        assertFalse(queue.isOpen());
    }

    @Test
    void shouldSendHeldCapsulesWhenTheyAreHeldNoMore() throws IOException {
        target.script = (connection, command) -> {
            connection.response(command.commandId(), 0, 0);
            return true;
        };
        queue.holdCapsules(true);
        int first = queue.submit(flush(), Payload.NONE);
        int second = queue.submit(flush(), Payload.NONE);
        assertTrue(trace.last(Trace.Direction.SENT).text().startsWith("ICReq"));
        queue.holdCapsules(false);
        assertTrue(queue.await(second, TIMEOUT_MS).isSuccess());
        assertTrue(queue.await(first, TIMEOUT_MS).isSuccess());
    }

    @Test
    void shouldSendAllThatWasHeldWhereverItIsCut() throws IOException {
        target.script = (connection, command) -> {
            connection.response(command.commandId(), 0, 0);
            return true;
        };
        queue.socket().hold();
        int first = queue.submit(flush(), Payload.NONE);
        int second = queue.submit(flush(), Payload.NONE);
        queue.socket().release(1, 3, 71, 80);
        assertTrue(queue.await(first, TIMEOUT_MS).isSuccess());
        assertTrue(queue.await(second, TIMEOUT_MS).isSuccess());
        assertTrue(execute(Payload.NONE).isSuccess());
    }

    @Test
    @Timeout(60)
    void shouldSeeAnAnswerWithoutWaitingForIt() throws IOException {
        target.script = (connection, command) -> {
            connection.response(command.commandId(), 0, 0);
            return true;
        };
        int id = queue.submit(flush(), Payload.NONE);
        while (!queue.isAnswered(id)) {
            Thread.onSpinWait();
        }
        assertTrue(queue.await(id, 0).isSuccess());
    }

    private static boolean answerHalf(TargetConnection connection, ReceivedPdu command) throws IOException {
        byte[] half = new byte[DATA_BYTES / 2];
        connection.readData(command.commandId(), 0, half, 0, half.length, PduHeader.LAST_PDU);
        connection.response(command.commandId(), 0, 0);
        return true;
    }

    private Answer execute(Payload payload) throws IOException {
        return queue.execute(ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 1, 0, 1), payload, TIMEOUT_MS);
    }

    private static Sqe flush() {
        return Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(1);
    }
}
