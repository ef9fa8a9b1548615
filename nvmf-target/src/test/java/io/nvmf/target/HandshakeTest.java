package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.tcp.FatalErrorStatus;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.TermReq;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HandshakeTest extends TargetTestBase {
    @BeforeEach
    void startTarget() throws IOException {
        start();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void shouldAnswerWithTheDigestsThatWereAskedFor(int digests) throws IOException {
        try (RawHost host = open()) {
            RawHost.Pdu response = host.initialize(0, digests);
            assertEquals(PduType.IC_RESP, response.type());
            assertEquals(0, InitializeConnection.formatVersion(response.header()));
            assertEquals(0, InitializeConnection.alignmentZeroBased(response.header()), "CPDA, Linux takes only 0");
            assertEquals(digests, InitializeConnection.digests(response.header()));
            assertEquals(1 << 20, InitializeConnection.maxH2cDataBytes(response.header()));
        }
    }

    @Test
    void shouldRefuseAnUnknownFormatVersion() throws IOException {
        byte[] request = RawHost.icReq(0, 0);
        request[InitializeConnection.PFV_OFFSET] = 1;
        assertTerminated(request, FatalErrorStatus.UNSUPPORTED_PARAMETER, InitializeConnection.PFV_OFFSET);
    }

    @Test
    void shouldRefuseAnAlignmentThatDoesNotExist() throws IOException {
        assertTerminated(
                RawHost.icReq(32, 0), FatalErrorStatus.UNSUPPORTED_PARAMETER, InitializeConnection.ALIGNMENT_OFFSET);
    }

    @Test
    void shouldRefuseACommandBeforeTheHandshake() throws IOException {
        try (RawHost host = open()) {
            host.send(host.capsule(Sqe.allocate().clear(0x18), new byte[0]));
            assertTerminated(host, FatalErrorStatus.PDU_SEQUENCE_ERROR, 0);
        }
    }

    @Test
    void shouldRefuseASecondHandshake() throws IOException {
        try (RawHost host = open()) {
            host.initialize(0, 0);
            host.send(RawHost.icReq(0, 0));
            assertTerminated(host, FatalErrorStatus.PDU_SEQUENCE_ERROR, 0);
        }
    }

    @Test
    void shouldTakeHandshakeAndConnectSplitAtEveryByte() throws IOException {
        try (RawHost host = open()) {
            byte[] request = RawHost.icReq(0, 3);
            for (int i = 0; i < request.length; i++) {
                host.send(request, i, i + 1);
            }
            assertEquals(PduType.IC_RESP, host.read().type());
        }
        try (RawHost host = open()) {
            host.initialize(0, 3);
            Sqe connect = RawHost.connectCommand(0, 31, 0).commandId(77);
            byte[] capsule = host.capsule(connect, RawHost.connectData(0xFFFF, NQN, RawHost.HOST_NQN));
            for (int i = 0; i < capsule.length; i++) {
                host.send(capsule, i, i + 1);
            }
            Cqe cqe = host.completionOf(77);
            assertEquals(0, cqe.status());
        }
    }

    @Test
    void shouldServeOthersWhenOneConnectionIsEnded() throws IOException {
        try (RawHost good = admin();
                RawHost bad = open()) {
            bad.send(new byte[] {(byte) 0xFF, 1, 2, 3, 4, 5, 6, 7});
            assertTerminated(bad, FatalErrorStatus.INVALID_PDU_HEADER_FIELD, 0);
            Sqe identify = Sqe.allocate().clear(0x06).cdw(10, 1);
            assertEquals(4096, good.executeRead(identify, 4096).length);
        }
    }

    @Test
    void shouldCloseQuietlyWhenTheHostDoes() throws IOException {
        try (RawHost host = open()) {
            host.send(RawHost.icReq(0, 0), 0, 100);
            host.shutdownOutput();
            assertNull(host.read());
        }
    }

    private void assertTerminated(byte[] bytes, FatalErrorStatus status, int information) throws IOException {
        try (RawHost host = open()) {
            host.send(bytes);
            assertTerminated(host, status, information);
        }
    }

    static void assertTerminated(RawHost host, FatalErrorStatus status, int information) throws IOException {
        RawHost.Pdu pdu = host.read();
        assertEquals(PduType.C2H_TERM_REQ, pdu.type());
        assertEquals(status.code(), TermReq.status(pdu.header()));
        assertEquals(information, TermReq.information(pdu.header()));
        assertTrue(pdu.data().length >= 8, "the header of the refused PDU comes along");
        host.shutdownOutput();
        assertNull(host.read(), "the target closes when the host has");
    }
}
