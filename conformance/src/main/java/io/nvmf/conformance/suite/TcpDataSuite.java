package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.PduFormat;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawPdu;
import io.nvmf.initiator.raw.TcpQueue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How the data of commands travels when both ends do as they should: C2HData, R2T and H2CData. */
@SuiteName(value = "TCP.DATA", over = SuiteName.Over.TCP)
public final class TcpDataSuite extends TcpSuite {
    private static final int QUIET_MS = 200;

    // ---- C2HData

    @Check(
            says = "Read: each C2HData has the command's CCCID, HLEN 24, PDO at least 24 and DATAL as long as its data",
            source = "NVMe/TCP 1.0 s3.6.2.7")
    void c2hDataHeader() throws IOException {
        for (RawPdu pdu : dataOf(longRead(io()))) {
            expectEquals(COMMAND_ID, DataPdu.commandId(pdu.header()), "CCCID");
            expectEquals(DataPdu.BYTES, pdu.headerLength(), "HLEN");
            expect(pdu.dataOffset() >= DataPdu.BYTES && pdu.dataOffset() % 4 == 0, "PDO of 24, 28, ...", pdu);
            expectEquals(pdu.data().length, DataPdu.lengthBytes(pdu.header()), "DATAL");
            expect(pdu.data().length > 0, "C2HData with data", pdu);
        }
    }

    private List<RawPdu> longRead(TcpQueue queue) throws IOException {
        return exchange(queue, read(manyBlocks()), bytes(manyBlocks()));
    }

    private static List<RawPdu> dataOf(List<RawPdu> came) {
        return came.stream().filter(pdu -> pdu.is(PduType.C2H_DATA)).toList();
    }

    @Check(
            says = "a long Read: DATAO is 0 first, and then where the data before has ended; all comes, and no more",
            source = "NVMe/TCP 1.0 s3.6.2.7; the Linux host counts on it")
    void dataOffsetsAscend() throws IOException {
        long next = 0;
        for (RawPdu pdu : dataOf(longRead(io()))) {
            expectEquals(next, DataPdu.offsetBytes(pdu.header()), "DATAO");
            next += pdu.data().length;
        }
        expectEquals(bytes(manyBlocks()), next, "bytes of data:");
    }

    @Check(says = "a long Read: LAST_PDU is set in the last C2HData alone", source = "NVMe/TCP 1.0 s3.6.2.7")
    void lastPduOnLastAlone() throws IOException {
        List<RawPdu> data = dataOf(longRead(io()));
        for (int i = 0; i < data.size(); i++) {
            expectEquals(i == data.size() - 1, data.get(i).has(PduHeader.LAST_PDU), "LAST_PDU in C2HData " + i + " is");
        }
    }

    @Check(
            says = "Read on a queue with SQ flow control: no C2HData has SUCCESS",
            source = "NVMe/TCP 1.0 s3.6.2.7; the host would miss SQHD")
    void noSuccessWithFlowControl() throws IOException {
        for (RawPdu pdu : dataOf(longRead(io()))) {
            if (pdu.has(PduHeader.SUCCESS)) {
                deviates("SUCCESS although the queue uses SQ flow control", "SPDK");
            }
        }
    }

    @Check(
            says = "Read on a queue without SQ flow control: SUCCESS, if at all, with LAST_PDU",
            source = "NVMe/TCP 1.0 s3.6.2.7")
    void successWithLastAlone() throws IOException {
        for (RawPdu pdu : dataOf(longRead(withoutFlowControl()))) {
            expect(!pdu.has(PduHeader.SUCCESS) || pdu.has(PduHeader.LAST_PDU), "SUCCESS with LAST_PDU alone", pdu);
        }
    }

    private TcpQueue withoutFlowControl() throws IOException {
        requireNamespace();
        Association association = associate();
        TcpQueue queue = tcp();
        expectSuccess(
                bench().connect(queue, association.ioSpec(1).attributes(ConnectCommand.DISABLE_SQ_FLOW_CONTROL)),
                "Connect with SQ flow control disabled");
        return queue;
    }

    @Check(
            says = "Read without SQ flow control: SUCCESS or one CapsuleResp, never both",
            source = "NVMe/TCP 1.0 s3.6.2.7; the Linux host resets the controller (got bad cqe.command_id)")
    void successReplacesResponse() throws IOException {
        expectOneEnd(withoutFlowControl());
    }

    @Check(says = "Read with SQ flow control: exactly one CapsuleResp", source = "NVMe/TCP 1.0 s3.6.2.5")
    void oneResponse() throws IOException {
        expectOneEnd(io());
    }

    private void expectOneEnd(TcpQueue queue) throws IOException {
        longRead(queue);
        RawPdu more = queue.socket().receive(QUIET_MS);
        expect(more == null, "nothing after the Read has ended", more);
    }

    @Check(
            says = "Read beyond the namespace's end: a CapsuleResp with an error; data before it says no SUCCESS",
            source = "NVMe/TCP 1.0 s3.6.2.7")
    void failedRead() throws IOException {
        requireNamespace();
        Sqe beyond = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, facts().nsid(), facts().blocks(), 1);
        List<RawPdu> came = exchange(io(), beyond, bytes(1));
        RawPdu last = came.get(came.size() - 1);
        expect(last.is(PduType.CAPSULE_RESP), "a CapsuleResp", last);
        expect(!Status.isSuccess(last.completion().status()), "an error", last);
    }

    @Check(
            says = "HPDA 31: data of a Read starts at a multiple of 128",
            source = "NVMe/TCP 1.0 s3.6.2.1",
            level = Level.SHOULD)
    void hostAlignment() throws IOException {
        for (RawPdu pdu : dataOf(longRead(io(PduFormat.MAX_ALIGNMENT_ZERO_BASED, 0, 0)))) {
            expect(pdu.dataOffset() > 0 && pdu.dataOffset() % 128 == 0, "PDO of 128", pdu);
        }
    }

    // ---- R2T

    @Check(
            says = "a long Write: R2Ts ask for all of the data once, ascending, never for 0 bytes",
            source = "NVMe/TCP 1.0 s3.6.2.8",
            needs = Needs.DATA_LOSS)
    void r2tsCoverWrite() throws IOException {
        TcpQueue queue = io();
        HeldWrite write = new HeldWrite(queue, manyBlocks(), 39);
        expectCovered(write);
    }

    @Check(
            says = "a long Write with MAXR2T 7: R2Ts ask for all of the data once, ascending, never for 0 bytes",
            source = "NVMe/TCP 1.0 s3.6.2.8",
            needs = Needs.DATA_LOSS)
    void manyR2tsCoverWrite() throws IOException {
        HeldWrite write = new HeldWrite(io(0, 0, 7), manyBlocks(), 40);
        expectCovered(write);
    }

    private void expectCovered(HeldWrite write) throws IOException {
        long next = 0;
        RawPdu r2t = write.r2t;
        while (true) {
            expectEquals(write.commandId, R2T.commandId(r2t.header()), "CCCID");
            expectEquals(next, R2T.offsetBytes(r2t.header()), "R2TO");
            long length = R2T.lengthBytes(r2t.header());
            expect(length > 0 && next + length <= write.data.length, "R2TL within the Write, not 0", r2t);
            next += length;
            write.queue.answer(r2t, write.data);
            if (next == write.data.length) {
                break;
            }
            r2t = write.queue.nextR2t(answerMs());
            expect(r2t != null, "an R2T for the bytes from " + next + " on", "none");
        }
        expectSuccess(write.queue.await(write.commandId, answerMs()), "the Write");
        expectStored(write.queue, write.data);
    }

    @Check(
            says = "MAXR2T 0 and a long Write: no second R2T before the data of the first is there",
            source = "NVMe/TCP 1.0 s3.6.2.1; the Linux host resets the controller",
            needs = Needs.DATA_LOSS)
    void oneR2tAtATime() throws IOException {
        HeldWrite write = new HeldWrite(io(), manyBlocks(), 16);
        RawPdu second = write.queue.nextR2t(QUIET_MS);
        expect(second == null, "one R2T at a time", second);
        expectSuccess(write.finish(), "the Write");
    }

    @Check(
            says = "MAXR2T 1 and a long Write: no more than two R2Ts before any data",
            source = "NVMe/TCP 1.0 s3.6.2.1",
            needs = Needs.DATA_LOSS)
    void twoR2tsAtATime() throws IOException {
        HeldWrite write = new HeldWrite(io(0, 0, 1), manyBlocks(), 17);
        RawPdu second = write.queue.nextR2t(QUIET_MS);
        if (second != null) {
            RawPdu third = write.queue.nextR2t(QUIET_MS);
            expect(third == null, "two R2Ts at a time", third);
            write.queue.holdData(false);
            write.queue.answer(write.r2t, write.data);
            write.queue.answer(second, write.data);
            expectSuccess(write.queue.await(write.commandId, answerMs()), "the Write");
        } else {
            expectSuccess(write.finish(), "the Write");
        }
        expectStored(write.queue, write.data);
    }

    @Check(
            says = "an R2T: HLEN 24, PDO 0, PLEN 24, flags 0 and reserved bytes 0",
            source = "NVMe/TCP 1.0 s3.6.2.8",
            level = Level.INFO,
            needs = Needs.DATA_LOSS)
    void r2tHeader() throws IOException {
        HeldWrite write = new HeldWrite(io(), fetchedBlocks(16 << 10), 41);
        expectEquals(R2T.BYTES, write.r2t.headerLength(), "HLEN");
        expectEquals(0, write.r2t.dataOffset(), "PDO");
        expectEquals(R2T.BYTES, write.r2t.pduLength(), "PLEN");
        expectEquals(0, PduHeader.flags(write.r2t.header()), "FLAGS");
        expectEquals(0, write.r2t.u32(20), "reserved bytes 20-23:");
        expectSuccess(write.finish(), "the Write");
    }

    // ---- H2CData

    @Check(
            says = "a long Write in H2CData of MAXH2CDATA bytes: all of it is written",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            needs = Needs.DATA_LOSS)
    void piecesOfMaxH2cData() throws IOException {
        TcpQueue queue = io();
        queue.pieceBytes((int) Math.min(maxH2cDataBytes(), 1 << 20));
        expectWritten(queue, 42);
    }

    @Check(
            says = "a long Write in H2CData of 4096 bytes: all of it is written",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            needs = Needs.DATA_LOSS)
    void piecesOf4096() throws IOException {
        TcpQueue queue = io();
        queue.pieceBytes(4096);
        expectWritten(queue, 43);
    }

    @Check(
            says = "a Write in H2CData of 4 bytes: all of it is written",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            needs = Needs.DATA_LOSS)
    void piecesOf4() throws IOException {
        TcpQueue queue = io();
        queue.pieceBytes(4);
        int blocks = fetchedBlocks();
        byte[] data = pattern(blocks, 44);
        expectSuccess(execute(queue, write(blocks), Payload.fetched(data)), "the Write");
        expectStored(queue, data);
    }

    private void expectWritten(TcpQueue queue, int salt) throws IOException {
        byte[] data = pattern(manyBlocks(), salt);
        expectSuccess(execute(queue, write(manyBlocks()), Payload.fetched(data)), "the Write");
        expectStored(queue, data);
    }

    @Check(
            says = "Write with data in the capsule, as much as fits: written, and no R2T comes",
            source = "NVMe/TCP 1.0 s3.6.2.4",
            needs = Needs.DATA_LOSS)
    void inCapsule() throws IOException {
        TcpQueue queue = io();
        int blocks = blocks(facts().inCapsuleBytes());
        skipUnless(bytes(blocks) <= facts().inCapsuleBytes(), "no block fits into a capsule");
        byte[] data = pattern(blocks, 45);
        Answer answer = expectSuccess(execute(queue, write(blocks), Payload.inCapsule(data)), "the Write");
        expectEquals(0, answer.fetchedBytes(), "bytes asked for with R2T:");
        expectStored(queue, data);
    }

    // ---- commands beside each other

    @Check(
            says =
                    "a Write whose data is held back: Reads sent after it complete meanwhile, and it does once its data comes",
            source = "a host that is slow with one command gets no answer to others",
            needs = Needs.DATA_LOSS)
    void heldWriteHoldsUpNothing() throws IOException {
        TcpQueue queue = io();
        HeldWrite write = new HeldWrite(queue, fetchedBlocks(16 << 10), 51);
        for (int i = 0; i < 20; i++) {
            expectSuccess(readBlocks(queue, 1), "a Read while the Write waits for data");
        }
        expect(!queue.isAnswered(write.commandId), "no answer to the Write before its data", "one");
        expectSuccess(write.finish(), "the Write");
        expectStored(queue, write.data);
    }

    @Check(
            says = "up to 128 Writes that wait for R2T and one in the capsule behind them: all complete",
            source = "queues stand still when all buffers wait for data",
            needs = Needs.DATA_LOSS)
    void manyHeldWrites() throws IOException {
        int depth = Math.min(130, facts().maxQueueEntries());
        TcpQueue queue = io(depth);
        queue.holdData(true);
        int blocks = fetchedBlocks(4096);
        byte[] data = pattern(blocks, 52);
        List<Integer> commands = new ArrayList<>();
        for (int i = 0; i < depth - 2; i++) {
            commands.add(queue.submit(write(blocks), Payload.fetched(data)));
        }
        byte[] last = Arrays.copyOf(data, bytes(1));
        commands.add(queue.submit(write(1), out(last)));
        RawPdu r2t = queue.nextR2t(answerMs());
        expect(r2t != null, "an R2T", "none");
        queue.holdData(false);
        for (; r2t != null; r2t = queue.nextR2t(0)) {
            queue.answer(r2t, data);
        }
        for (int command : commands) {
            expectSuccess(queue.await(command, answerMs()), "each Write");
        }
    }
}
