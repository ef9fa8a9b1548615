package io.nvmf.conformance.suite;

import static io.nvmf.codec.tcp.FatalErrorStatus.INVALID_PDU_HEADER_FIELD;
import static io.nvmf.codec.tcp.FatalErrorStatus.UNSUPPORTED_PARAMETER;

import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Suite;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.PduBuilder;
import io.nvmf.initiator.raw.RawPdu;
import io.nvmf.initiator.raw.RawSocket;
import java.io.IOException;

/** How a connection begins: ICReq and ICResp. */
@SuiteName(value = "TCP.IC", over = SuiteName.Over.TCP, subsystem = false)
public final class TcpIcSuite extends Suite {
    @Check(
            says = "ICReq without wishes: an ICResp of 128 bytes with PFV 0, no digests and reserved bytes 0",
            source = "NVMe/TCP 1.0 s3.6.2.2")
    void plain() throws IOException {
        RawSocket socket = socket();
        socket.send(PduBuilder.icReq());
        RawPdu response = socket.receive(answerMs());
        expect(response != null && response.is(PduType.IC_RESP), "an ICResp", response);
        expectEquals(InitializeConnection.BYTES, response.headerLength(), "HLEN");
        expectEquals(InitializeConnection.BYTES, response.pduLength(), "PLEN");
        expectEquals(0, response.dataOffset(), "PDO");
        expectEquals(0, PduHeader.flags(response.header()), "FLAGS");
        expectEquals(0, InitializeConnection.formatVersion(response.header()), "PFV");
        expectEquals(0, InitializeConnection.digests(response.header()), "DGST");
        for (int i = 16; i < InitializeConnection.BYTES; i++) {
            expectEquals(0, response.bytes()[i], "reserved byte " + i);
        }
    }

    @Check(says = "ICReq with PFV 1: refused, no ICResp", source = "NVMe/TCP 1.0 s3.6.2.1")
    void pfvOne() throws IOException {
        RawSocket socket = socket();
        socket.send(PduBuilder.icReq().u16(InitializeConnection.PFV_OFFSET, 1));
        expectEnded(socket, INVALID_PDU_HEADER_FIELD.code(), UNSUPPORTED_PARAMETER.code());
        expectAlive();
    }
}
