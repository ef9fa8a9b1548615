package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.transport.ConnectionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Answers that no controller may give. Each ends its connection with an H2CTermReq that names the fault, and with the
 * connection the association; what was outstanding fails, nothing hangs.
 */
class HostileTargetTest extends InitiatorTest {
    private static final int LENGTH = 16384;
    private static final int INVALID_FIELD = 1;
    private static final int SEQUENCE_ERROR = 2;
    private static final int HEADER_DIGEST_ERROR = 3;
    private static final int OUT_OF_RANGE = 4;
    private static final int LIMIT_EXCEEDED = 5;
    private static final int UNSUPPORTED_PARAMETER = 6;

    /** What a hostile target does with a command of 16 KiB. */
    @FunctionalInterface
    private interface Answer {
        void give(TargetConnection target, int commandId) throws IOException;
    }

    private record Breach(String name, boolean write, int fes, int fei, Answer answer) {}

    private static final byte[] DATA = new byte[LENGTH + 4];

    private static final List<Breach> BREACHES = List.of(
            read("response to an unknown CID", INVALID_FIELD, 20, (t, cid) -> t.response(cid ^ 0x1000, 0, 0)),
            read("response to CID FFFFh", INVALID_FIELD, 20, (t, cid) -> t.response(0xFFFF, 0, 0)),
            read("second response", INVALID_FIELD, 20, (t, cid) -> {
                t.response(cid, 0x4281, 0);
                t.response(cid, 0, 0);
            }),
            read("data of an unknown CID", INVALID_FIELD, 8, (t, cid) -> t.readData(cid + 1, 0, DATA, 0, LENGTH, 0)),
            read("data that starts late", OUT_OF_RANGE, 12, (t, cid) -> t.readData(cid, 4, DATA, 0, 4, 0)),
            read("data that leaves a hole", OUT_OF_RANGE, 12, (t, cid) -> {
                t.readData(cid, 0, DATA, 0, 512, 0);
                t.readData(cid, 1024, DATA, 0, 512, 0);
            }),
            read("data that overlaps", OUT_OF_RANGE, 12, (t, cid) -> {
                t.readData(cid, 0, DATA, 0, 512, 0);
                t.readData(cid, 508, DATA, 0, 512, 0);
            }),
            read("more data than asked for", OUT_OF_RANGE, 12, (t, cid) -> t.readData(cid, 0, DATA, 0, LENGTH + 4, 4)),
            read("data beyond 4 GiB", OUT_OF_RANGE, 12, (t, cid) -> t.readData(cid, -4, DATA, 0, 4, 4)),
            read("data after the last", SEQUENCE_ERROR, 0, (t, cid) -> {
                t.readData(cid, 0, DATA, 0, 512, TargetConnection.LAST);
                t.readData(cid, 512, DATA, 0, 512, 0);
            }),
            read("success before the last", INVALID_FIELD, 1, (t, cid) -> {
                t.readData(cid, 0, DATA, 0, LENGTH, TargetConnection.SUCCESS);
            }),
            read("data length that lies", INVALID_FIELD, 16, (t, cid) -> t.readData(cid, 0, DATA, 0, 8, 12, 0)),
            read("R2T of a read", INVALID_FIELD, 8, (t, cid) -> t.r2t(cid, 1, 0, LENGTH)),
            read("second ICResp", SEQUENCE_ERROR, 0, (t, cid) -> t.icResp(0, 0, 4096)),
            read("PDU of a host", INVALID_FIELD, 0, (t, cid) -> t.raw(pdu(0x04, 0, 72, 0, 72))),
            read("PDU of no kind", INVALID_FIELD, 0, (t, cid) -> t.raw(pdu(0x0F, 0, 24, 0, 24))),
            read("wrong HLEN", INVALID_FIELD, 2, (t, cid) -> t.raw(pdu(0x05, 0, 20, 0, 24))),
            read("wrong PLEN", INVALID_FIELD, 4, (t, cid) -> t.raw(pdu(0x05, 0, 24, 0, 28))),
            read("huge PLEN", INVALID_FIELD, 4, (t, cid) -> t.raw(with(pdu(0x07, 0, 24, 24, 24), 7, 0x80))),
            read("PDO inside the header", INVALID_FIELD, 3, (t, cid) -> t.raw(pdu(0x07, 0, 24, 20, 28))),
            read("PDO behind the end", INVALID_FIELD, 3, (t, cid) -> t.raw(pdu(0x07, 0, 24, 32, 28))),
            read("digest nobody agreed on", INVALID_FIELD, 1, (t, cid) -> t.raw(pdu(0x05, 1, 24, 0, 28))),
            write("data of a write", INVALID_FIELD, 8, (t, cid) -> t.readData(cid, 0, DATA, 0, 512, 0)),
            write("R2T of an unknown CID", INVALID_FIELD, 8, (t, cid) -> t.r2t(cid + 1, 1, 0, LENGTH)),
            write("R2T of nothing", INVALID_FIELD, 16, (t, cid) -> t.r2t(cid, 1, 0, 0)),
            write("R2T beyond the end", OUT_OF_RANGE, 12, (t, cid) -> t.r2t(cid, 1, 0, LENGTH + 1)),
            write("R2T that starts late", OUT_OF_RANGE, 12, (t, cid) -> t.r2t(cid, 1, 512, 512)),
            write("R2T beyond 4 GiB", OUT_OF_RANGE, 12, (t, cid) -> t.r2t(cid, 1, -1, 2)),
            write("two R2Ts at once", LIMIT_EXCEEDED, 0, (t, cid) -> {
                byte[] first = t.r2tPdu(cid, 1, 0, 512);
                byte[] both = Arrays.copyOf(first, 2 * first.length);
                System.arraycopy(t.r2tPdu(cid, 2, 512, 512), 0, both, first.length, first.length);
                t.raw(both);
            }));

    private static Breach read(String name, int fes, int fei, Answer answer) {
        return new Breach(name, false, fes, fei, answer);
    }

    private static Breach write(String name, int fes, int fei, Answer answer) {
        return new Breach(name, true, fes, fei, answer);
    }

    private static byte[] pdu(int type, int flags, int hlen, int pdo, int plen) {
        return TargetConnection.pdu(type, flags, hlen, pdo, plen).array();
    }

    private static byte[] with(byte[] bytes, int index, int value) {
        bytes[index] = (byte) value;
        return bytes;
    }

    @TestFactory
    Stream<DynamicTest> shouldEndTheConnectionWithTermReq() {
        return BREACHES.stream()
                .map(breach -> DynamicTest.dynamicTest(breach.name(), () -> {
                    target.received.clear();
                    check(breach);
                }));
    }

    private void check(Breach breach) throws Exception {
        target.script = (connection, command) -> {
            boolean hostile = connection.queueId == 1 && command.opcode() == (breach.write() ? 1 : 2);
            if (hostile) {
                breach.answer().give(connection, command.commandId());
            }
            return hostile;
        };
        Controller controller = host.connect(options().ioQueues(2));
        Namespace namespace = controller.namespace(1);
        ByteBuffer data = ByteBuffer.allocateDirect(LENGTH);
        ByteBuffer other = ByteBuffer.allocateDirect(512);
        CompletableFuture<Integer> done = new CompletableFuture<>();
        if (breach.write()) {
            namespace.submitWrite(0, 0, data, false, (status, result) -> done.complete(status));
        } else {
            namespace.submitRead(0, 0, data, (status, result) -> done.complete(status));
        }
        boolean answered = breach.name().equals("second response");
        assertEquals(answered ? 0x4281 : Status.HOST_PATHING_ERROR, done.get(20, TimeUnit.SECONDS));
        String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
        assertTrue(reason.contains("broke the protocol"), reason);
        assertEquals(Status.HOST_PATHING_ERROR, statusOf(namespace.read(0, other)));
        await(() -> target.openConnections() == 0);
        List<ReceivedPdu> terms = target.ofType(ReceivedPdu.H2C_TERM_REQ);
        assertEquals(1, terms.size());
        assertEquals(breach.fes(), terms.get(0).u16(8));
        assertEquals(breach.fei(), terms.get(0).i32(10));
        assertTrue(terms.get(0).data().length >= 8, "the refused header comes back");
    }

    @Test
    void shouldEndTheConnectionWhenAHeaderDigestIsWrong() {
        target.script = (connection, command) -> {
            if (connection.queueId == 1 && command.opcode() == 2) {
                connection.headerDigestError = 1;
                connection.response(command.commandId(), 0x4281, 0);
                return true;
            }
            return false;
        };
        Controller controller = host.connect(options().headerDigest(true));
        assertEquals(
                Status.HOST_PATHING_ERROR, statusOf(controller.namespace(1).read(0, ByteBuffer.allocateDirect(512))));
        await(() -> target.openConnections() == 0);
        assertEquals(
                HEADER_DIGEST_ERROR,
                target.ofType(ReceivedPdu.H2C_TERM_REQ).get(0).u16(8));
    }

    @ParameterizedTest
    @CsvSource({
        // PFV, CPDA, DGST, MAXH2CDATA, FES, FEI
        "1, 0,  0, 4096, 6, 8",
        "0, 32, 0, 4096, 1, 10",
        "0, 0,  1, 4096, 6, 11",
        "0, 0,  4, 4096, 6, 11",
        "0, 0,  0, 4092, 1, 12",
        "0, 0,  0, 4098, 1, 12",
        "0, 0,  0, 0,    1, 12"
    })
    void shouldRefuseAnIcRespThatCannotBe(int pfv, int cpda, int digests, int maxH2cData, int fes, int fei) {
        target.initializeScript = (connection, request) -> {
            byte[] response = pdu(0x01, 0, 128, 0, 128);
            ByteBuffer.wrap(response)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putShort(8, (short) pfv)
                    .put(10, (byte) cpda)
                    .put(11, (byte) digests)
                    .putInt(12, maxH2cData);
            connection.raw(response);
            return true;
        };
        assertThrows(ConnectionException.class, this::connect);
        await(() -> !target.ofType(ReceivedPdu.H2C_TERM_REQ).isEmpty());
        ReceivedPdu term = target.ofType(ReceivedPdu.H2C_TERM_REQ).get(0);
        assertEquals(fes, term.u16(8));
        assertEquals(fei, term.i32(10));
    }

    @Test
    void shouldRefuseAControllerThatLeavesADigestOut() {
        target.digests = 2;
        ConnectionException failure = assertThrows(
                ConnectionException.class,
                () -> host.connect(options().headerDigest(true).dataDigest(true)));
        assertTrue(failure.getMessage().contains("digests 2 where 3 were asked for"), failure.getMessage());
        await(() -> !target.ofType(ReceivedPdu.H2C_TERM_REQ).isEmpty());
        assertEquals(
                UNSUPPORTED_PARAMETER,
                target.ofType(ReceivedPdu.H2C_TERM_REQ).get(0).u16(8));
    }

    @Test
    void shouldRefuseAnythingBeforeIcResp() {
        target.initializeScript = (connection, request) -> {
            connection.response(0, 0, 0);
            return true;
        };
        assertThrows(ConnectionException.class, this::connect);
        await(() -> !target.ofType(ReceivedPdu.H2C_TERM_REQ).isEmpty());
        assertEquals(
                SEQUENCE_ERROR, target.ofType(ReceivedPdu.H2C_TERM_REQ).get(0).u16(8));
    }

    @Test
    void shouldSayWhatTheControllerEndedTheConnectionFor() throws Exception {
        target.script = (connection, command) -> {
            if (connection.queueId == 1 && command.opcode() == 2) {
                connection.termReq(4, 0x1234);
                return true;
            }
            return false;
        };
        Controller controller = connect();
        assertEquals(
                Status.HOST_PATHING_ERROR, statusOf(controller.namespace(1).read(0, ByteBuffer.allocateDirect(512))));
        String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
        assertTrue(reason.contains("data transfer out of range (FES 4, FEI 1234h)"), reason);
        assertEquals(0, target.ofType(ReceivedPdu.H2C_TERM_REQ).size());
    }

    @Test
    void shouldNotTakeSuccessForDataThatWasNeverAskedFor() {
        target.script = (connection, command) -> {
            boolean hostile = connection.queueId == 1 && command.opcode() == 1;
            if (hostile) {
                connection.response(command.commandId(), 0, 0);
            }
            return hostile;
        };
        try (Controller controller = connect()) {
            assertEquals(
                    Status.DATA_TRANSFER_ERROR,
                    statusOf(controller.namespace(1).write(0, ByteBuffer.allocateDirect(LENGTH))));
        }
    }

    @Test
    void shouldCloseInBoundedTimeWhenTheOtherEndIgnoresTermReq() {
        target.script = (connection, command) -> {
            if (connection.queueId == 1 && command.opcode() == 2) {
                connection.raw(pdu(0x0F, 0, 24, 0, 24));
                connection.receive(); // the TermReq, ignored
                connection.raw(new byte[1000]);
                connection.receive(); // until the host closes
            }
            return false;
        };
        Controller controller = connect();
        assertEquals(
                Status.HOST_PATHING_ERROR, statusOf(controller.namespace(1).read(0, ByteBuffer.allocateDirect(512))));
        await(() -> target.openConnections() == 0);
    }
}
