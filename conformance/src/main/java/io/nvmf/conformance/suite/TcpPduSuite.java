package io.nvmf.conformance.suite;

import static io.nvmf.codec.tcp.FatalErrorStatus.INVALID_PDU_HEADER_FIELD;
import static io.nvmf.codec.tcp.FatalErrorStatus.PDU_SEQUENCE_ERROR;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.TermReq;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.ConnectSpec;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.PduBuilder;
import io.nvmf.initiator.raw.RawPdu;
import io.nvmf.initiator.raw.RawSocket;
import io.nvmf.initiator.raw.TcpQueue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** How PDUs are cut from the stream, and what a capsule is answered with. */
@SuiteName(value = "TCP.PDU", over = SuiteName.Over.TCP)
public final class TcpPduSuite extends TcpSuite {
    private static final int SEGMENT_COMMANDS = 32;
    private static final int MAX_COPIED_BYTES = 128;

    // ---- segments

    @Check(
            says = "ICReq and Connect in one segment, without waiting for ICResp: both answered, or refused with FES 2",
            source = "NVMe/TCP 1.0 s3.1; some hosts do not wait",
            level = Level.INFO)
    void connectWithIcReq() throws IOException {
        ConnectSpec spec = connect();
        RawSocket socket = socket();
        socket.sendBytes(
                PduBuilder.icReq().followedBy(connectCapsule(spec).build().bytes()), "ICReq and Connect");
        RawPdu first = socket.receive(answerMs());
        if (first != null && first.is(PduType.IC_RESP)) {
            first = socket.receive(answerMs());
        }
        if (first == null) {
            expectEnded(socket);
        } else if (first.is(PduType.C2H_TERM_REQ)) {
            expectStatus(first, PDU_SEQUENCE_ERROR.code());
        } else {
            expectEquals(Status.SUCCESS, first.completion().status(), "status of Connect");
        }
    }

    private static PduBuilder connectCapsule(ConnectSpec spec) {
        byte[] data = spec.payload().out();
        spec.sqe().commandId(COMMAND_ID).sgl1().set(SglDescriptor.IN_CAPSULE, 0, data.length);
        return PduBuilder.capsule(PduFormat.initial(PduType.Direction.H2C), spec.sqe(), data);
    }

    @Check(says = "32 Reads in one segment: all answered", source = "TCP has no message boundaries")
    void manyInOneSegment() throws IOException {
        skipUnless(facts().maxQueueEntries() > SEGMENT_COMMANDS, "queues have no more than 32 entries");
        TcpQueue queue = io(SEGMENT_COMMANDS + 1);
        queue.socket().hold();
        List<Integer> commands = new ArrayList<>();
        for (int i = 0; i < SEGMENT_COMMANDS; i++) {
            commands.add(queue.submit(read(1), Payload.in(bytes(1))));
        }
        queue.socket().release(0);
        for (int command : commands) {
            expectSuccess(queue.await(command, answerMs()), "each Read");
        }
    }

    @Check(says = "CapsuleCmd cut in two, at each byte once: each answered", source = "TCP has no message boundaries")
    void capsuleCutInTwo() throws IOException {
        TcpQueue queue = admin();
        for (int cut = 1; cut < Capsule.COMMAND_BYTES; cut++) {
            queue.socket().hold();
            int command = queue.submit(propertyGet(), Payload.NONE);
            queue.socket().release(2, cut);
            expectSuccess(queue.await(command, answerMs()), "Property Get, cut at byte " + cut);
        }
    }

    @Check(says = "CapsuleCmd one byte at a time: answered", source = "TCP has no message boundaries")
    void capsuleByteByByte() throws IOException {
        TcpQueue queue = admin();
        queue.socket().hold();
        int command = queue.submit(propertyGet(), Payload.NONE);
        queue.socket().release(5, IntStream.range(1, Capsule.COMMAND_BYTES).toArray());
        expectSuccess(queue.await(command, answerMs()), "Property Get");
    }

    @Check(
            says = "two CapsuleCmds cut so that the first segment ends within the second header: both answered",
            source = "TCP has no message boundaries")
    void secondHeaderCut() throws IOException {
        TcpQueue queue = admin();
        queue.socket().hold();
        int first = queue.submit(propertyGet(), Payload.NONE);
        int second = queue.submit(propertyGet(), Payload.NONE);
        queue.socket().release(20, Capsule.COMMAND_BYTES + 4);
        expectSuccess(queue.await(first, answerMs()), "the first Property Get");
        expectSuccess(queue.await(second, answerMs()), "the second Property Get");
    }

    @Check(
            says = "Write with data in the capsule, the data apart from the header and in pieces: all of it is written",
            source = "TCP has no message boundaries",
            needs = Needs.DATA_LOSS)
    void capsuleDataCut() throws IOException {
        TcpQueue queue = io();
        int blocks = blocks(facts().inCapsuleBytes());
        skipUnless(bytes(blocks) <= facts().inCapsuleBytes(), "no block fits into a capsule");
        byte[] data = pattern(blocks, 21);
        queue.socket().hold();
        int command = queue.submit(write(blocks), Payload.inCapsule(data));
        int end = Capsule.COMMAND_BYTES;
        queue.socket().release(5, end, end + 1, end + data.length / 3, end + data.length - 1);
        expectSuccess(queue.await(command, answerMs()), "the Write");
        expectStored(queue, data);
    }

    @Check(
            says = "H2CData cut within its header, behind it and within its data: all of it is written",
            source = "TCP has no message boundaries",
            needs = Needs.DATA_LOSS)
    void h2cDataCut() throws IOException {
        TcpQueue queue = io();
        queue.pieceBytes(4096);
        HeldWrite write = new HeldWrite(queue, fetchedBlocks(16 << 10), 22);
        queue.socket().hold();
        queue.answer(write.r2t, write.data);
        queue.socket().release(5, 3, 8, 23, 24, 25, 24 + 511);
        queue.holdData(false);
        expectSuccess(queue.await(write.commandId, answerMs()), "the Write");
        expectStored(queue, write.data);
    }

    // ---- answers

    @Check(
            says = "CapsuleCmd without data: a CapsuleResp with HLEN 24, PDO 0, PLEN 24 and flags 0",
            source = "NVMe/TCP 1.0 s3.6.2.5")
    void responseHeader() throws IOException {
        RawPdu response = response(admin(), COMMAND_ID);
        expect(response.is(PduType.CAPSULE_RESP), "a CapsuleResp", response);
        expectEquals(Capsule.RESPONSE_BYTES, response.headerLength(), "HLEN");
        expectEquals(0, response.dataOffset(), "PDO");
        expectEquals(Capsule.RESPONSE_BYTES, response.pduLength(), "PLEN");
        expectEquals(0, PduHeader.flags(response.header()), "FLAGS");
    }

    private RawPdu response(TcpQueue queue, int commandId) throws IOException {
        Sqe sqe = propertyGet().commandId(commandId);
        queue.socket().send(PduBuilder.capsule(queue.sent(), sqe));
        RawPdu response = queue.socket().receive(answerMs());
        expect(response != null, "a CapsuleResp", "nothing");
        return response;
    }

    @Check(
            says = "CIDs 0000h, 0FFFh, 8000h, F123h and FFFEh: each comes back with all its bits",
            source = "NVMe Base 2.0 s3.3.3.2; the Linux host keeps a generation in bits 15:12")
    void commandIdEchoed() throws IOException {
        TcpQueue queue = admin();
        for (int commandId : new int[] {0, 0x0FFF, 0x8000, COMMAND_ID, 0xFFFE}) {
            expectEquals(commandId, response(queue, commandId).completion().commandId(), "CID");
        }
    }

    @Check(
            says = "commands one after the other: SQHD goes on by one each time and wraps at the queue's depth",
            source = "NVMe Base 2.0 s3.3.3.2")
    void sqHeadAdvances() throws IOException {
        int depth = 8;
        TcpQueue queue = io(depth);
        int before = sqHeadAfterRead(queue);
        for (int i = 0; i < 2 * depth + 1; i++) {
            int after = sqHeadAfterRead(queue);
            expectEquals((before + 1) % depth, after, "SQHD behind " + before + " of a queue of 8 entries:");
            before = after;
        }
    }

    private int sqHeadAfterRead(TcpQueue queue) throws IOException {
        // A Flush has no data that could say SUCCESS instead of a completion.
        Answer answer = execute(queue, flush());
        expect(answer.completion() != null, "a CapsuleResp", answer);
        return answer.completion().sqhd();
    }

    @Check(
            says = "a completion: SQID is 0 or the queue's, as it is reserved over fabrics",
            source = "NVMe Base 2.0 s3.3.3.2",
            level = Level.INFO)
    void sqIdReserved() throws IOException {
        RawPdu response = exchange(io(), flush(), 0).get(0);
        int sqId = response.u16(Capsule.ENTRY_OFFSET + Cqe.SQID_OFFSET);
        expect(sqId <= 1, "SQID 0 or 1", sqId);
    }

    // ---- headers that are wrong

    @Check(says = "CapsuleCmd with HLEN 71: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.1")
    void hlenTooSmall() throws IOException {
        expectRefused(command().hlen(Capsule.COMMAND_BYTES - 1));
    }

    @Check(says = "CapsuleCmd with HLEN 73: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.1")
    void hlenTooLarge() throws IOException {
        expectRefused(command().hlen(Capsule.COMMAND_BYTES + 1));
    }

    @Check(says = "CapsuleCmd with HLEN 24: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.1")
    void hlenOfOtherType() throws IOException {
        expectRefused(command().hlen(24));
    }

    private static PduBuilder command() {
        return PduBuilder.capsule(
                PduFormat.initial(PduType.Direction.H2C), propertyGet().commandId(COMMAND_ID));
    }

    private void expectRefused(PduBuilder wrong) throws IOException {
        RawSocket socket = admin().socket();
        socket.send(wrong);
        expectEnded(socket, INVALID_PDU_HEADER_FIELD.code());
        expectAlive();
    }

    @Check(says = "CapsuleCmd with PLEN 71: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.1")
    void plenBelowHlen() throws IOException {
        expectPlenRefused(Capsule.COMMAND_BYTES - 1);
    }

    @Check(says = "CapsuleCmd with PLEN 0: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.1")
    void plenZero() throws IOException {
        expectPlenRefused(0);
    }

    @Check(
            says = "CapsuleCmd with PLEN FFFFFFFFh: the connection ends, with FES 1 if any",
            source = "NVMe/TCP 1.0 s3.6.1")
    void plenHuge() throws IOException {
        expectPlenRefused(0xFFFF_FFFFL);
    }

    private void expectPlenRefused(long plen) throws IOException {
        RawSocket socket = admin().socket();
        socket.send(command().plen(plen));
        expectEndedUnless("Linux nvmet", socket, "PLEN", INVALID_PDU_HEADER_FIELD.code());
        expectAlive();
    }

    @Check(
            says = "data in a capsule with a PDO inside the header: the connection ends, with FES 1 if any",
            source = "NVMe/TCP 1.0 s3.6.1")
    void pdoInsideHeader() throws IOException {
        expectPdoRefused(connectCapsule(connect()).pdo(Capsule.COMMAND_BYTES - 4));
    }

    @Check(
            says = "data in a capsule with a PDO that is no multiple of 4: the connection ends, with FES 1 if any",
            source = "NVMe/TCP 1.0 s3.6.1")
    void pdoNotAligned() throws IOException {
        expectPdoRefused(connectCapsule(connect()).pdo(Capsule.COMMAND_BYTES + 1));
    }

    @Check(
            says = "data in a capsule with a PDO behind the PDU's end: the connection ends, with FES 1 if any",
            source = "NVMe/TCP 1.0 s3.6.1")
    void pdoBehindEnd() throws IOException {
        Sqe sqe = connect().sqe().commandId(COMMAND_ID);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 16);
        expectPdoRefused(PduBuilder.capsule(PduFormat.initial(PduType.Direction.H2C), sqe, new byte[16])
                .pdo(200));
    }

    private void expectPdoRefused(PduBuilder wrong) throws IOException {
        RawSocket socket = tcp().socket();
        socket.send(wrong);
        expectEndedUnless("Linux nvmet", socket, "PDO", INVALID_PDU_HEADER_FIELD.code());
        expectAlive();
    }

    @Check(says = "PDU of type 08h: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.1")
    void type08h() throws IOException {
        expectRefused(PduBuilder.header(0x08, 24));
    }

    @Check(says = "PDU of type 0Ah: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.1")
    void type0Ah() throws IOException {
        expectRefused(PduBuilder.header(0x0A, 24));
    }

    @Check(says = "PDU of type FFh: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.1")
    void typeFfh() throws IOException {
        expectRefused(PduBuilder.header(0xFF, 24));
    }

    @Check(says = "CapsuleResp from the host: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.1")
    void capsuleRespFromHost() throws IOException {
        expectRefused(PduBuilder.header(PduType.CAPSULE_RESP.code(), 24));
    }

    @Check(says = "C2HData from the host: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.1")
    void c2hDataFromHost() throws IOException {
        expectRefused(PduBuilder.header(PduType.C2H_DATA.code(), 24));
    }

    @Check(says = "R2T from the host: the connection ends, with FES 1 if any", source = "NVMe/TCP 1.0 s3.6.1")
    void r2tFromHost() throws IOException {
        expectRefused(PduBuilder.header(PduType.R2T.code(), 24));
    }

    @Check(
            says = "a second ICReq on a connected queue: the connection ends, with FES 2 if any",
            source = "NVMe/TCP 1.0 s3.6.2.1")
    void icReqOnLiveQueue() throws IOException {
        RawSocket socket = admin().socket();
        socket.send(PduBuilder.icReq());
        expectEnded(socket, PDU_SEQUENCE_ERROR.code());
        expectAlive();
    }

    @Check(
            says = "half a CapsuleCmd, then a reset, 100 times: new connections still work",
            source = "a target keeps what belongs to hosts that have gone",
            level = Level.ROBUST)
    void resetInsideCapsule() throws IOException {
        byte[] start = Arrays.copyOf(command().build().bytes(), Capsule.COMMAND_BYTES / 2);
        for (int i = 0; i < 100; i++) {
            RawSocket socket = tcp().socket();
            socket.sendBytes(start, "half a CapsuleCmd");
            socket.reset();
        }
        expectAlive();
    }

    // ---- TermReq

    @Check(
            says = "H2CTermReq without a copied header: the connection ends at once, without a C2HTermReq",
            source = "NVMe/TCP 1.0 s3.6.2.3")
    void termReqEmpty() throws IOException {
        expectQuietEnd(0);
    }

    @Check(
            says = "H2CTermReq with one byte of a header: the connection ends at once, without a C2HTermReq",
            source = "NVMe/TCP 1.0 s3.6.2.3")
    void termReqOneByte() throws IOException {
        expectQuietEnd(1);
    }

    @Check(
            says = "H2CTermReq with 128 bytes of a header: the connection ends at once, without a C2HTermReq",
            source = "NVMe/TCP 1.0 s3.6.2.3")
    void termReqLongest() throws IOException {
        expectQuietEnd(MAX_COPIED_BYTES);
    }

    private void expectQuietEnd(int copiedBytes) throws IOException {
        RawSocket socket = admin().socket();
        socket.sendBytes(termReq(copiedBytes), "H2CTermReq with " + copiedBytes + " bytes behind its header");
        RawPdu pdu = socket.receive(answerMs());
        if (pdu != null && pdu.is(PduType.C2H_TERM_REQ) && copiedBytes == 0) {
            deviates("an H2CTermReq of 24 bytes is answered with " + pdu, "SPDK");
            return;
        }
        expect(
                pdu == null && socket.state() != RawSocket.State.OPEN,
                "the end of the connection within " + answerMs() + " ms",
                pdu == null ? "nothing" : pdu);
        expectAlive();
    }

    private static byte[] termReq(int copiedBytes) {
        return PduBuilder.header(PduType.H2C_TERM_REQ.code(), TermReq.BYTES)
                .plen(TermReq.BYTES + copiedBytes)
                .u16(TermReq.STATUS_OFFSET, INVALID_PDU_HEADER_FIELD.code())
                .followedBy(new byte[copiedBytes]);
    }

    @Check(
            says = "H2CTermReq with 129 bytes of a header, one too many: the connection ends",
            source = "NVMe/TCP 1.0 s3.6.2.3",
            level = Level.ROBUST)
    void termReqTooLong() throws IOException {
        RawSocket socket = admin().socket();
        socket.sendBytes(termReq(MAX_COPIED_BYTES + 1), "H2CTermReq with 129 bytes behind its header");
        expectEnded(socket);
        expectAlive();
    }

    @Check(
            says = "a wrong HLEN: the C2HTermReq, if any, has HLEN 24, PDO 0, flags 0 and reserved bytes 0",
            source = "NVMe/TCP 1.0 s3.6.2.3",
            level = Level.SHOULD)
    void c2hTermReqHeader() throws IOException {
        RawPdu term = provoked();
        expectEquals(TermReq.BYTES, term.headerLength(), "HLEN");
        expectEquals(0, term.dataOffset(), "PDO");
        expectEquals(0, PduHeader.flags(term.header()), "FLAGS");
        for (int i = 14; i < TermReq.BYTES; i++) {
            expectEquals(0, term.bytes()[i], "reserved byte " + i);
        }
    }

    @Check(
            says = "a wrong HLEN: FEI of the C2HTermReq, if any, is 2, where HLEN is",
            source = "NVMe/TCP 1.0 s3.6.2.3",
            level = Level.SHOULD)
    void c2hTermReqNamesField() throws IOException {
        expectEquals(PduHeader.HLEN_OFFSET, TermReq.information(provoked().header()), "FEI");
    }

    @Check(
            says = "a wrong HLEN: the C2HTermReq, if any, carries the header that was wrong, PLEN is 32 to 152",
            source = "NVMe/TCP 1.0 s3.6.2.3",
            level = Level.SHOULD)
    void c2hTermReqCopiesHeader() throws IOException {
        RawPdu term = provoked();
        byte[] copied = term.data();
        expect(
                copied.length >= PduHeader.BYTES && copied.length <= MAX_COPIED_BYTES,
                "PLEN of 32 to 152",
                term.pduLength());
        byte[] sent = Arrays.copyOf(wrongHlen().build().bytes(), copied.length);
        int at = Arrays.mismatch(sent, copied);
        expect(at < 0, "the bytes of the header that was wrong", "others from byte " + at + " on");
    }

    private static PduBuilder wrongHlen() {
        return command().hlen(Capsule.COMMAND_BYTES + 1);
    }

    /** A C2HTermReq; skips the check when the target just closes. */
    private RawPdu provoked() throws IOException {
        RawSocket socket = admin().socket();
        socket.send(wrongHlen());
        RawPdu term = expectEnded(socket, INVALID_PDU_HEADER_FIELD.code());
        skipUnless(term != null, "the target closes the connection without a C2HTermReq");
        return term;
    }

    @Check(
            says = "a wrong PDU and a good command in one segment: the command is not answered",
            source = "NVMe/TCP 1.0 s3.5.1")
    void nothingAfterError() throws IOException {
        RawSocket socket = admin().socket();
        byte[] wrong = PduBuilder.header(0x08, 24).build().bytes();
        socket.hold();
        socket.sendBytes(wrong, "a PDU of type 08h");
        socket.send(command());
        socket.release(0);
        expectEnded(socket, INVALID_PDU_HEADER_FIELD.code());
    }

    @Check(
            says = "a wrong PDU, and the host does not close: the target does within 30 s",
            source = "NVMe/TCP 1.0 s3.5.1",
            seconds = 35)
    void closesItself() throws IOException {
        RawSocket socket = admin().socket();
        socket.send(wrongHlen());
        RawPdu term = socket.receive(endMs());
        if (term != null) {
            expect(term.is(PduType.C2H_TERM_REQ), "a C2HTermReq or the end of the connection", term);
            RawPdu more = socket.receive(endMs());
            expect(more == null, "nothing after a C2HTermReq", more);
        }
        expect(socket.state() != RawSocket.State.OPEN, "the end of the connection within 30 s", "none");
    }
}
