package io.nvmf.conformance.suite;

import static io.nvmf.codec.tcp.FatalErrorStatus.INVALID_PDU_HEADER_FIELD;
import static io.nvmf.codec.tcp.FatalErrorStatus.PDU_SEQUENCE_ERROR;
import static io.nvmf.codec.tcp.FatalErrorStatus.UNSUPPORTED_PARAMETER;

import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.PduBuilder;
import io.nvmf.initiator.raw.RawPdu;
import io.nvmf.initiator.raw.RawSocket;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/** How a connection begins: ICReq and ICResp. */
@SuiteName(value = "TCP.IC", over = SuiteName.Over.TCP, subsystem = false)
public final class TcpIcSuite extends TcpSuite {
    private static final int MIN_H2C_DATA_BYTES = 4096;
    private static final int IDLE_SECONDS = 75;

    // ---- what ICResp says

    @Check(
            says = "ICReq without wishes: an ICResp of 128 bytes with PFV 0, no digests and reserved bytes 0",
            source = "NVMe/TCP 1.0 s3.6.2.2")
    void plain() throws IOException {
        RawPdu response = initialized(PduBuilder.icReq());
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

    private RawPdu initialized(PduBuilder request) throws IOException {
        RawSocket socket = socket();
        socket.send(request);
        return icResp(socket);
    }

    private RawPdu icResp(RawSocket socket) throws IOException {
        RawPdu response = socket.receive(answerMs());
        expect(response != null && response.is(PduType.IC_RESP), "an ICResp", response == null ? "none" : response);
        return response;
    }

    @Check(
            says = "ICReq: MAXH2CDATA of the ICResp is at least 4096 and a multiple of 4",
            source = "NVMe/TCP 1.0 s3.6.2.2; the Linux host refuses the connection")
    void maxH2cData() throws IOException {
        long most = InitializeConnection.maxH2cDataBytes(
                initialized(PduBuilder.icReq()).header());
        expect(most >= MIN_H2C_DATA_BYTES && most % 4 == 0, "MAXH2CDATA of at least 4096, a multiple of 4", most);
    }

    @Check(says = "ICReq: CPDA of the ICResp is at most 31", source = "NVMe/TCP 1.0 s3.6.2.2")
    void cpdaInRange() throws IOException {
        int cpda = InitializeConnection.alignmentZeroBased(
                initialized(PduBuilder.icReq()).header());
        expect(cpda <= PduFormat.MAX_ALIGNMENT_ZERO_BASED, "CPDA of at most 31", cpda);
    }

    @Check(
            says = "ICReq with HPDA 0: CPDA of the ICResp is 0 too",
            source = "the Linux host refuses the connection (unsupported cpda)",
            level = Level.SHOULD)
    void cpdaZero() throws IOException {
        int cpda = InitializeConnection.alignmentZeroBased(
                initialized(PduBuilder.icReq()).header());
        expectEquals(0, cpda, "CPDA");
    }

    // ---- what ICReq may ask for

    @Check(says = "ICReq with PFV 1: refused, no ICResp", source = "NVMe/TCP 1.0 s3.6.2.1")
    void pfvOne() throws IOException {
        RawSocket socket = socket();
        socket.send(PduBuilder.icReq().u16(InitializeConnection.PFV_OFFSET, 1));
        expectEnded(socket, INVALID_PDU_HEADER_FIELD.code(), UNSUPPORTED_PARAMETER.code());
        expectAlive();
    }

    @Check(
            says = "ICReq with HPDA 31, the largest: an ICResp, or an orderly refusal",
            source = "NVMe/TCP 1.0 s3.6.2.1",
            level = Level.SHOULD)
    void hpdaLargest() throws IOException {
        RawSocket socket = socket();
        socket.send(PduBuilder.icReq(PduFormat.MAX_ALIGNMENT_ZERO_BASED, 0, 0));
        RawPdu response = socket.receive(answerMs());
        if (response == null) {
            expectEnded(socket);
        } else if (!response.is(PduType.IC_RESP)) {
            expectRefusal(response);
        }
    }

    private void expectRefusal(RawPdu term) {
        expect(term.is(PduType.C2H_TERM_REQ), "an ICResp or a C2HTermReq", term);
        expectStatus(term, INVALID_PDU_HEADER_FIELD.code(), UNSUPPORTED_PARAMETER.code());
    }

    @Check(says = "ICReq with HPDA 32: refused, no ICResp", source = "NVMe/TCP 1.0 s3.6.2.1", level = Level.SHOULD)
    void hpdaTooLarge() throws IOException {
        RawSocket socket = socket();
        socket.send(PduBuilder.icReq(PduFormat.MAX_ALIGNMENT_ZERO_BASED + 1, 0, 0));
        expectEnded(socket, INVALID_PDU_HEADER_FIELD.code(), UNSUPPORTED_PARAMETER.code());
    }

    @Check(says = "ICReq that asks for HDGST: DGST of the ICResp is that or nothing", source = "NVMe/TCP 1.0 s3.6.2.2")
    void headerDigestAsked() throws IOException {
        expectNoMoreThan(HEADER);
    }

    @Check(says = "ICReq that asks for DDGST: DGST of the ICResp is that or nothing", source = "NVMe/TCP 1.0 s3.6.2.2")
    void dataDigestAsked() throws IOException {
        expectNoMoreThan(DATA);
    }

    @Check(
            says = "ICReq that asks for HDGST and DDGST: DGST of the ICResp is some of them, reserved bits are 0",
            source = "NVMe/TCP 1.0 s3.6.2.2")
    void bothDigestsAsked() throws IOException {
        expectNoMoreThan(BOTH);
    }

    private void expectNoMoreThan(int digests) throws IOException {
        int granted = InitializeConnection.digests(
                initialized(PduBuilder.icReq(0, digests, 0)).header());
        expect((granted & ~digests) == 0, "no digest but those of DGST " + digests, "DGST " + granted);
    }

    @Check(
            says = "ICReq with reserved bits of DGST set: an ICResp without them, or a refusal",
            source = "NVMe/TCP 1.0 s3.6.2.2",
            level = Level.ROBUST)
    void reservedDigestBits() throws IOException {
        RawSocket socket = socket();
        socket.send(PduBuilder.icReq(0, 0xFC, 0));
        RawPdu response = socket.receive(answerMs());
        if (response == null) {
            expectEnded(socket);
        } else if (response.is(PduType.IC_RESP)) {
            expectEquals(0, InitializeConnection.digests(response.header()), "DGST");
        } else {
            expectRefusal(response);
        }
    }

    @Check(says = "ICReq with the largest MAXR2T: an ICResp", source = "NVMe/TCP 1.0 s3.6.2.1")
    void maxR2tLargest() throws IOException {
        initialized(PduBuilder.icReq(0, 0, 0xFFFF_FFFFL));
    }

    @Check(
            says = "ICReq one byte at a time: the same ICResp",
            source = "TCP has no message boundaries; hosts behind slow links are not served")
    void byteByByte() throws IOException {
        RawSocket socket = socket();
        int[] everywhere = IntStream.range(1, InitializeConnection.BYTES).toArray();
        socket.sendSplit(PduBuilder.icReq().build(), 10, everywhere);
        icResp(socket);
    }

    // ---- what is no beginning

    @Check(says = "a second ICReq: the connection ends, with FES 2 if any", source = "NVMe/TCP 1.0 s3.6.2.1")
    void secondIcReq() throws IOException {
        RawSocket socket = tcp().socket();
        socket.send(PduBuilder.icReq());
        expectEnded(socket, PDU_SEQUENCE_ERROR.code());
        expectAlive();
    }

    @Check(says = "CapsuleCmd before ICReq: the connection ends, with FES 2 if any", source = "NVMe/TCP 1.0 s3.1")
    void capsuleFirst() throws IOException {
        RawSocket socket = socket();
        socket.send(PduBuilder.capsule(PduFormat.initial(PduType.Direction.H2C), propertyGet()));
        expectEnded(socket, PDU_SEQUENCE_ERROR.code());
        expectAlive();
    }

    @Check(says = "ICReq with PLEN 64: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.2.1")
    void plenTooSmall() throws IOException {
        expectRefused(PduBuilder.icReq().plen(64));
    }

    @Check(says = "ICReq with PLEN 129: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.2.1")
    void plenTooLarge() throws IOException {
        expectRefused(PduBuilder.icReq().plen(InitializeConnection.BYTES + 1));
    }

    @Check(says = "ICReq with HLEN 127: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.2.1")
    void hlenTooSmall() throws IOException {
        expectRefused(PduBuilder.icReq().hlen(InitializeConnection.BYTES - 1));
    }

    private void expectRefused(PduBuilder request) throws IOException {
        RawSocket socket = socket();
        socket.send(request);
        expectEnded(socket, INVALID_PDU_HEADER_FIELD.code());
    }

    @Check(says = "an HTTP request: the connection ends", source = "port scanners reach the port", level = Level.ROBUST)
    void httpRequest() throws IOException {
        String request = "GET / HTTP/1.1\r\nHost: " + bench().target().address().getHostString() + "\r\n\r\n";
        expectEndAfter(request.getBytes(StandardCharsets.US_ASCII), "an HTTP request");
    }

    @Check(
            says = "a TLS ClientHello to a port without TLS: the connection ends",
            source = "hosts set up for TLS reach the port",
            level = Level.ROBUST)
    void tlsClientHello() throws IOException {
        byte[] hello = new byte[5 + 4 + 512];
        byte[] start = {0x16, 3, 1, 2, 4, 1, 0, 2, 0, 3, 3};
        System.arraycopy(start, 0, hello, 0, start.length);
        expectEndAfter(hello, "a TLS ClientHello");
    }

    @Check(says = "random bytes: the connection ends", source = "port scanners reach the port", level = Level.ROBUST)
    void randomBytes() throws IOException {
        byte[] bytes = new byte[4096];
        new Random(bench().target().seed()).nextBytes(bytes);
        bytes[0] |= (byte) 0x80;
        expectEndAfter(bytes, "random bytes");
    }

    private void expectEndAfter(byte[] bytes, String what) throws IOException {
        RawSocket socket = socket();
        socket.sendBytes(bytes, what);
        expectEnded(socket);
        expectAlive();
    }

    // ---- hosts that go away, or do nothing

    @Check(
            says = "our half closed after ICResp: the target closes the connection",
            source = "connections of hosts that have gone are never freed",
            level = Level.ROBUST)
    void halfClosed() throws IOException {
        RawSocket socket = tcp().socket();
        socket.shutdownOutput();
        expectEnded(socket);
    }

    @Check(
            says = "1000 connections reset before ICReq, inside it and after it: new connections still work",
            source = "a target runs out of connections when hosts come and go",
            level = Level.ROBUST,
            seconds = 4)
    void resets() throws IOException {
        byte[] request = PduBuilder.icReq().build().bytes();
        int[] sent = {0, 5, 64, request.length};
        for (int i = 0; i < 1000; i++) {
            RawSocket socket = socket();
            socket.sendBytes(Arrays.copyOf(request, sent[i % sent.length]), "the start of ICReq");
            socket.reset();
        }
        expectAlive();
    }

    @Check(
            says = "a connection without ICReq: closed after a while, and others work meanwhile",
            source = "a target runs out of connections that nobody uses",
            level = Level.ROBUST,
            seconds = IDLE_SECONDS)
    void silence() throws IOException {
        expectNotKept(socket());
    }

    @Check(
            says = "a connection with ICReq and no Connect: closed after a while, and others work meanwhile",
            source = "a target runs out of connections that nobody uses",
            level = Level.ROBUST,
            seconds = IDLE_SECONDS)
    void silenceAfterIcReq() throws IOException {
        expectNotKept(tcp().socket());
    }

    private void expectNotKept(RawSocket socket) throws IOException {
        expectAlive();
        RawPdu pdu = socket.receive(IDLE_SECONDS * 1000L);
        if (pdu != null) {
            expect(pdu.is(PduType.C2H_TERM_REQ), "a C2HTermReq or the end of the connection", pdu);
            socket.shutdownOutput();
            expectEnded(socket);
        } else if (socket.state() == RawSocket.State.OPEN) {
            deviates("an idle connection is kept for more than " + IDLE_SECONDS + " s", "Linux nvmet");
        }
    }
}
