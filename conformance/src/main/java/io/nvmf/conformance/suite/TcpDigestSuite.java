package io.nvmf.conformance.suite;

import static io.nvmf.codec.tcp.FatalErrorStatus.HEADER_DIGEST_ERROR;
import static io.nvmf.codec.tcp.FatalErrorStatus.INVALID_PDU_HEADER_FIELD;

import io.nvmf.codec.Crc32c;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.tcp.Capsule;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.codec.tcp.TermReq;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
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
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** Header digests and data digests: where they stand, and what becomes of wrong ones. */
@SuiteName(value = "TCP.DIGEST", over = SuiteName.Over.TCP)
public final class TcpDigestSuite extends TcpSuite {
    // ---- where they stand

    @Check(
            says = "HDGST agreed: a CapsuleResp has HDGSTF, PLEN 28 and the right digest",
            source = "NVMe/TCP 1.0 s3.6.1")
    void hdgstOfCapsuleResp() throws IOException {
        RawPdu response = exchange(io(0, HEADER, 0), flush(), 0).get(0);
        expect(response.is(PduType.CAPSULE_RESP), "a CapsuleResp", response);
        expectEquals(Capsule.RESPONSE_BYTES + Crc32c.BYTES, response.pduLength(), "PLEN");
        expectHeaderDigest(response);
    }

    private void expectHeaderDigest(RawPdu pdu) {
        expect(pdu.has(PduHeader.HEADER_DIGEST), "HDGSTF", pdu);
        expect(pdu.headerDigestValid(), "the right HDGST", pdu);
    }

    @Check(
            says = "HDGST agreed: each C2HData has HDGSTF, a PDO behind the right digest, and no DDGSTF",
            source = "NVMe/TCP 1.0 s3.6.1")
    void hdgstOfC2hData() throws IOException {
        for (RawPdu pdu : exchange(io(0, HEADER, 0), read(manyBlocks()), bytes(manyBlocks()))) {
            expectHeaderDigest(pdu);
            if (pdu.is(PduType.C2H_DATA)) {
                expect(pdu.dataOffset() >= DataPdu.BYTES + Crc32c.BYTES, "PDO of at least 28", pdu);
                expect(!pdu.has(PduHeader.DATA_DIGEST), "no DDGSTF", pdu);
            }
        }
    }

    @Check(
            says = "HDGST agreed: an R2T has HDGSTF, PLEN 28 and the right digest",
            source = "NVMe/TCP 1.0 s3.6.1",
            needs = Needs.DATA_LOSS)
    void hdgstOfR2t() throws IOException {
        HeldWrite write = new HeldWrite(io(0, HEADER, 0), fetchedBlocks(16 << 10), 54);
        expectEquals(R2T.BYTES + Crc32c.BYTES, write.r2t.pduLength(), "PLEN");
        expectHeaderDigest(write.r2t);
        expectSuccess(write.finish(), "the Write");
        expectStored(write.queue, write.data);
    }

    @Check(
            says = "ICReq that asks for both digests: the ICResp itself has no digest, PLEN 128 and flags 0",
            source = "NVMe/TCP 1.0 s3.6.2.2")
    void noneOnIcResp() throws IOException {
        RawSocket socket = socket();
        socket.send(PduBuilder.icReq(0, BOTH, 0));
        RawPdu response = socket.receive(answerMs());
        expect(response != null && response.is(PduType.IC_RESP), "an ICResp", response);
        expectEquals(InitializeConnection.BYTES, response.pduLength(), "PLEN");
        expectEquals(0, PduHeader.flags(response.header()), "FLAGS");
    }

    @Check(
            says = "HDGST agreed and a wrong PDU: the C2HTermReq, if any, has no digest",
            source = "NVMe/TCP 1.0 s3.6.2.3")
    void noneOnTermReq() throws IOException {
        RawSocket socket = io(0, BOTH, 0).socket();
        socket.send(PduBuilder.header(0x08, 24));
        RawPdu term = expectEnded(socket, INVALID_PDU_HEADER_FIELD.code());
        skipUnless(term != null, "the target closes the connection without a C2HTermReq");
        expectEquals(0, PduHeader.flags(term.header()), "FLAGS");
        expectEquals(term.bytes().length, term.pduLength(), "PLEN");
    }

    @Check(
            says = "DDGST agreed: C2HData has DDGSTF and the right digest behind its data, no HDGSTF",
            source = "NVMe/TCP 1.0 s3.6.1")
    void ddgstOfC2hData() throws IOException {
        for (RawPdu pdu : exchange(io(0, DATA, 0), read(manyBlocks()), bytes(manyBlocks()))) {
            expect(!pdu.has(PduHeader.HEADER_DIGEST), "no HDGSTF", pdu);
            if (pdu.is(PduType.C2H_DATA)) {
                expect(pdu.has(PduHeader.DATA_DIGEST), "DDGSTF", pdu);
                expect(pdu.dataDigestValid(), "the right DDGST", pdu);
                expectEquals(pdu.data().length, DataPdu.lengthBytes(pdu.header()), "DATAL");
            }
        }
    }

    @Check(
            says = "DDGST agreed: a CapsuleResp, which has no data, has no DDGST and PLEN 24",
            source = "NVMe/TCP 1.0 s3.6.1")
    void noDdgstWithoutData() throws IOException {
        RawPdu response = exchange(io(0, DATA, 0), flush(), 0).get(0);
        expectEquals(Capsule.RESPONSE_BYTES, response.pduLength(), "PLEN");
    }

    // ---- data with digests

    @Check(
            says = "HDGST agreed: Writes and Reads of one block up to 1 MiB: the data is right",
            source = "NVMe/TCP 1.0 s3.6.1",
            needs = Needs.DATA_LOSS)
    void headerDigestAllSizes() throws IOException {
        expectAllSizes(io(0, HEADER, 0));
    }

    @Check(
            says = "DDGST agreed: Writes and Reads of one block up to 1 MiB: the data is right",
            source = "NVMe/TCP 1.0 s3.6.1",
            needs = Needs.DATA_LOSS)
    void dataDigestAllSizes() throws IOException {
        expectAllSizes(io(0, DATA, 0));
    }

    @Check(
            says = "both digests agreed: Writes and Reads of one block up to 1 MiB: the data is right",
            source = "NVMe/TCP 1.0 s3.6.1",
            needs = Needs.DATA_LOSS)
    void bothDigestsAllSizes() throws IOException {
        expectAllSizes(io(0, BOTH, 0));
    }

    private void expectAllSizes(TcpQueue queue) throws IOException {
        for (int wanted : new int[] {512, 4096, 20 << 10, 64 << 10, 256 << 10, 1 << 20}) {
            byte[] data = pattern(blocks(wanted), wanted);
            expectSuccess(execute(queue, write(blocks(wanted)), out(data)), "a Write");
            expectStored(queue, data);
        }
    }

    @Check(
            says = "both digests agreed, Write with data in the capsule: the data is right",
            source = "NVMe/TCP 1.0 s3.6.1",
            needs = Needs.DATA_LOSS)
    void inCapsule() throws IOException {
        TcpQueue queue = io(0, BOTH, 0);
        byte[] data = capsuleData(55);
        expectSuccess(execute(queue, write(data.length / facts().blockBytes()), Payload.inCapsule(data)), "a Write");
        expectStored(queue, data);
    }

    /** One block, which fits into a capsule, or the check is skipped. */
    private byte[] capsuleData(int salt) {
        skipUnless(bytes(1) <= facts().inCapsuleBytes(), "no block fits into a capsule");
        return pattern(1, salt);
    }

    @Check(
            says = "both digests agreed, a capsule with data cut within HDGST and within DDGST: the data is right",
            source = "TCP has no message boundaries",
            needs = Needs.DATA_LOSS)
    void capsuleDigestsCut() throws IOException {
        TcpQueue queue = io(0, BOTH, 0);
        byte[] data = capsuleData(56);
        queue.socket().hold();
        int command = queue.submit(write(1), Payload.inCapsule(data));
        int dataAt = queue.sent().dataOffset(PduType.CAPSULE_CMD);
        queue.socket()
                .release(
                        5,
                        Capsule.COMMAND_BYTES,
                        Capsule.COMMAND_BYTES + 2,
                        dataAt + data.length,
                        dataAt + data.length + 3);
        expectSuccess(queue.await(command, answerMs()), "the Write");
        expectStored(queue, data);
    }

    @Check(
            says = "both digests agreed, H2CData cut within HDGST and within DDGST: the data is right",
            source = "TCP has no message boundaries",
            needs = Needs.DATA_LOSS)
    void h2cDataDigestsCut() throws IOException {
        HeldWrite write = new HeldWrite(io(0, BOTH, 0), fetchedBlocks(16 << 10), 57);
        write.queue.pieceBytes(write.data.length);
        int end = write.queue.sent().dataOffset(PduType.H2C_DATA) + write.asked();
        write.queue.socket().hold();
        write.queue.answer(write.r2t, write.data);
        write.queue.socket().release(5, DataPdu.BYTES + 1, end, end + 1);
        write.queue.holdData(false);
        expectSuccess(write.queue.await(write.commandId, answerMs()), "the Write");
        expectStored(write.queue, write.data);
    }

    @Check(
            says = "both digests and HPDA 31: padding is neither counted nor digested, the data is right",
            source = "NVMe/TCP 1.0 s3.6.1",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void withPadding() throws IOException {
        expectAllSizes(io(PduFormat.MAX_ALIGNMENT_ZERO_BASED, BOTH, 0));
    }

    @Check(
            says = "both digests and data in a capsule behind padding of 52 bytes: the data is right",
            source = "NVMe/TCP 1.0 s3.6.1",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void morePaddingThanAskedFor() throws IOException {
        TcpQueue queue = io(0, BOTH, 0);
        byte[] data = capsuleData(63);
        PduFormat padded = new PduFormat(PduType.Direction.H2C, true, true, 128);
        queue.socket().send(PduBuilder.capsule(padded, inCapsule(data), data));
        RawPdu response = queue.socket().receive(answerMs());
        if (response == null || response.is(PduType.C2H_TERM_REQ)) {
            deviates("a PDO of 128 with CPDA 0 is refused", "Linux nvmet");
            return;
        }
        expectEquals(Status.SUCCESS, response.completion().status(), "status of the Write");
        expectStored(io(), data);
    }

    private Sqe inCapsule(byte[] data) {
        Sqe sqe = write(data.length / facts().blockBytes()).commandId(COMMAND_ID);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, data.length);
        return sqe;
    }

    @Check(
            says = "an admin queue with both digests and an I/O queue without: both work",
            source = "NVMe/TCP 1.0 s3.6.2.1",
            level = Level.SHOULD)
    void adminQueueAlone() throws IOException {
        requireNamespace();
        requireGranted(0, BOTH);
        Association association =
                bench().associate(bench().tcp(0, BOTH), connect()).enable();
        TcpQueue queue = (TcpQueue) association.io();
        expectSuccess(readBlocks(queue, 1), "a Read");
        expectSuccess(association.admin(propertyGet()), "Property Get");
    }

    @Check(
            says = "an admin queue without digests and I/O queues with one, the other and both: all work",
            source = "NVMe/TCP 1.0 s3.6.2.1",
            level = Level.SHOULD)
    void queuesDiffer() throws IOException {
        requireNamespace();
        requireGranted(0, BOTH);
        Association association = associate();
        for (int digests = HEADER; digests <= BOTH; digests++) {
            TcpQueue queue = bench().tcp(0, digests);
            expectSuccess(bench().connect(queue, association.ioSpec(digests)), "Connect of I/O queue " + digests);
            expectSuccess(readBlocks(queue, 1), "a Read");
        }
        expectSuccess(association.admin(propertyGet()), "Property Get");
    }

    // ---- wrong digests

    @Check(
            says = "CapsuleCmd with a wrong HDGST: the connection ends, with FES 3 if any",
            source = "NVMe/TCP 1.0 s3.5.1")
    void wrongHdgst() throws IOException {
        RawSocket socket = io(0, HEADER, 0).socket();
        socket.send(wrongRead());
        expectEnded(socket, HEADER_DIGEST_ERROR.code());
        expectAlive();
    }

    private PduBuilder wrongRead() {
        PduFormat format = new PduFormat(PduType.Direction.H2C, true, false, 4);
        return PduBuilder.capsule(format, described(read(1), bytes(1))).wrongHeaderDigest();
    }

    @Check(
            says = "CapsuleCmd with a wrong HDGST: FEI of the C2HTermReq, if any, is the HDGST that was received",
            source = "NVMe/TCP 1.0 s3.6.2.3",
            level = Level.SHOULD)
    void wrongHdgstInTermReq() throws IOException {
        RawSocket socket = io(0, HEADER, 0).socket();
        RawPdu wrong = wrongRead().build();
        socket.send(wrong);
        RawPdu term = expectEnded(socket, HEADER_DIGEST_ERROR.code());
        skipUnless(term != null, "the target closes the connection without a C2HTermReq");
        int sent = ByteBuffer.wrap(wrong.bytes()).order(ByteOrder.LITTLE_ENDIAN).getInt(Capsule.COMMAND_BYTES);
        expectEquals(Integer.toHexString(sent), Integer.toHexString(TermReq.information(term.header())), "FEI");
    }

    @Check(
            says = "Write with a wrong HDGST: nothing is written",
            source = "NVMe/TCP 1.0 s3.5.1",
            needs = Needs.DATA_LOSS)
    void wrongHdgstNotExecuted() throws IOException {
        TcpQueue queue = io(0, HEADER, 0);
        byte[] old = stored(queue, 570);
        byte[] data = capsuleData(571);
        queue.socket()
                .send(PduBuilder.capsule(queue.sent(), inCapsule(data), data).wrongHeaderDigest());
        expectEnded(queue.socket(), HEADER_DIGEST_ERROR.code());
        expectStored(io(), old);
    }

    /** Writes one block, so that it is known what there is. */
    private byte[] stored(TcpQueue queue, int salt) throws IOException {
        byte[] data = pattern(1, salt);
        expectSuccess(execute(queue, write(1), out(data)), "the first Write");
        return data;
    }

    @Check(
            says = "H2CData with a wrong HDGST: the connection ends, with FES 3 if any",
            source = "NVMe/TCP 1.0 s3.5.1",
            needs = Needs.DATA_LOSS)
    void wrongHdgstOfH2cData() throws IOException {
        HeldWrite write = new HeldWrite(io(0, HEADER, 0), fetchedBlocks(16 << 10), 58);
        RawSocket socket = write.queue.socket();
        socket.send(write.piece(0, write.asked(), true).wrongHeaderDigest());
        expectEnded(socket, HEADER_DIGEST_ERROR.code());
        expectAlive();
    }

    @Check(
            says = "Write with a wrong DDGST in its capsule: 0/22h, nothing is written, and the queue goes on",
            source = "NVMe/TCP 1.0 s3.5.1",
            needs = Needs.DATA_LOSS)
    void wrongDdgstInCapsule() throws IOException {
        TcpQueue queue = io(0, BOTH, 0);
        byte[] old = stored(queue, 590);
        byte[] data = capsuleData(591);
        RawSocket socket = queue.socket();
        socket.send(PduBuilder.capsule(queue.sent(), inCapsule(data), data).wrongDataDigest());
        RawPdu response = socket.receive(answerMs());
        if (ended(socket, response)) {
            expectStored(io(), old);
            return;
        }
        expectTransportError(response);
        List<RawPdu> came = exchange(queue, read(1), bytes(1));
        expect(came.get(0).is(PduType.C2H_DATA), "data of a Read on the same queue", came);
        expect(Arrays.equals(old, came.get(0).data()), "the block as it was", "another");
    }

    /** Whether the target takes a wrong DDGST for fatal, as some do. */
    private boolean ended(RawSocket socket, RawPdu came) {
        boolean over =
                came == null && socket.state() != RawSocket.State.OPEN || came != null && came.is(PduType.C2H_TERM_REQ);
        if (over) {
            deviates("a wrong DDGST ends the connection", "Linux nvmet");
        }
        return over;
    }

    private void expectTransportError(RawPdu response) {
        expect(response != null && response.is(PduType.CAPSULE_RESP), "a CapsuleResp", response);
        expectEquals(
                Status.TRANSIENT_TRANSPORT_ERROR,
                Status.withoutFlags(response.completion().status()),
                "status");
    }

    @Check(
            says = "H2CData with a wrong DDGST: 0/22h for its Write, and the queue goes on",
            source = "NVMe/TCP 1.0 s3.5.1",
            needs = Needs.DATA_LOSS)
    void wrongDdgstOfH2cData() throws IOException {
        HeldWrite write = new HeldWrite(io(0, BOTH, 0), fetchedBlocks(), 60);
        RawSocket socket = write.queue.socket();
        socket.send(write.piece(0, write.asked(), true).wrongDataDigest());
        RawPdu response = socket.receive(answerMs());
        if (!ended(socket, response)) {
            expectTransportError(response);
            expectSuccess(readBlocks(write.queue, 1), "a Read on the same queue");
        }
        expectAlive();
    }

    @Check(
            says = "H2CData with a wrong DDGST, then the rest with right ones: 0/22h only once all data is there",
            source = "NVMe/TCP 1.0 s3.5.1",
            needs = Needs.DATA_LOSS)
    void wrongDdgstOfFirstPiece() throws IOException {
        HeldWrite write = new HeldWrite(io(0, BOTH, 0), fetchedBlocks(16 << 10), 61);
        skipUnless(write.asked() > 4096, "a Write is no longer than 4096 bytes");
        RawSocket socket = write.queue.socket();
        socket.send(write.piece(0, 4096, false).wrongDataDigest());
        socket.send(write.piece(4096, write.asked(), true));
        RawPdu response = socket.receive(answerMs());
        if (!ended(socket, response)) {
            expectTransportError(response);
            expectSuccess(readBlocks(write.queue, 1), "a Read on the same queue");
        }
    }

    // ---- flags that are wrong

    @Check(
            says =
                    "HDGST agreed, CapsuleCmd without HDGSTF and with the digest: the connection ends, with FES 1 or 3 if any",
            source = "NVMe/TCP 1.0 s3.6.1",
            level = Level.ROBUST)
    void flagMissing() throws IOException {
        RawSocket socket = io(0, HEADER, 0).socket();
        PduFormat format = new PduFormat(PduType.Direction.H2C, true, false, 4);
        socket.send(PduBuilder.capsule(format, described(read(1), bytes(1))).flags(0));
        expectEndedUnless("SPDK", socket, "HDGSTF", INVALID_PDU_HEADER_FIELD.code(), HEADER_DIGEST_ERROR.code());
        expectAlive();
    }

    @Check(
            says = "no digests agreed, CapsuleCmd with HDGSTF: the connection ends, with FES 1 or 3 if any",
            source = "NVMe/TCP 1.0 s3.6.1",
            level = Level.ROBUST)
    void flagNotAgreedOn() throws IOException {
        TcpQueue queue = io();
        queue.socket()
                .send(PduBuilder.capsule(queue.sent(), described(read(1), bytes(1)))
                        .flags(PduHeader.HEADER_DIGEST));
        expectEndedUnless(
                "Linux nvmet", queue.socket(), "HDGSTF", INVALID_PDU_HEADER_FIELD.code(), HEADER_DIGEST_ERROR.code());
        expectAlive();
    }

    // ---- hosts that go away

    @Check(
            says = "both digests, resets while Reads are answered and Writes owe data, 20 times: new connections work",
            source = "a target keeps what belongs to hosts that have gone",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void resetsInFlight() throws IOException {
        for (int i = 0; i < 20; i++) {
            HeldWrite write = new HeldWrite(io(0, BOTH, 0), manyBlocks(), 65);
            for (int reads = 0; reads < 8; reads++) {
                write.queue.submit(read(manyBlocks()), Payload.in(bytes(manyBlocks())));
            }
            byte[] piece = write.piece(0, write.asked(), true).build().bytes();
            write.queue.socket().sendBytes(Arrays.copyOf(piece, piece.length / 2), "half of the H2CData");
            write.queue.socket().reset();
        }
        Answer answer = readBlocks(io(0, BOTH, 0), 1);
        expectSuccess(answer, "a Read");
    }
}
