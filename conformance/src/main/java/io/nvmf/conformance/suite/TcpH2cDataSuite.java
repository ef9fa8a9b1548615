package io.nvmf.conformance.suite;

import static io.nvmf.codec.tcp.FatalErrorStatus.DATA_TRANSFER_LIMIT_EXCEEDED;
import static io.nvmf.codec.tcp.FatalErrorStatus.DATA_TRANSFER_OUT_OF_RANGE;
import static io.nvmf.codec.tcp.FatalErrorStatus.INVALID_PDU_HEADER_FIELD;
import static io.nvmf.codec.tcp.FatalErrorStatus.PDU_SEQUENCE_ERROR;

import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.PduType;
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
import java.util.Arrays;

/** H2CData that is not as the R2T asked for it, or that nobody asked for. */
@SuiteName(value = "TCP.H2CDATA", over = SuiteName.Over.TCP)
public final class TcpH2cDataSuite extends TcpSuite {
    private static final int PIECE_BYTES = 4096;
    private static final int[] NOT_ASKED_FOR = {INVALID_PDU_HEADER_FIELD.code(), PDU_SEQUENCE_ERROR.code()};
    private static final int[] OUT_OF_RANGE = {
        INVALID_PDU_HEADER_FIELD.code(), DATA_TRANSFER_OUT_OF_RANGE.code(), DATA_TRANSFER_LIMIT_EXCEEDED.code()
    };

    /** A Write of four pieces at least, wherever the namespace has that many. */
    private HeldWrite held(int salt) throws IOException {
        HeldWrite write = new HeldWrite(io(), fetchedBlocks(4 * PIECE_BYTES), salt);
        skipUnless(write.asked() >= 4 * PIECE_BYTES, "the first R2T asks for no more than " + write.asked() + " bytes");
        return write;
    }

    private void expectRefused(HeldWrite write, PduBuilder wrong, int... fes) throws IOException {
        RawSocket socket = write.queue.socket();
        socket.send(wrong);
        expectEnded(socket, fes);
        expectAlive();
    }

    // ---- LAST_PDU

    @Check(
            says = "H2CData with all of the data and without LAST_PDU: success, an error or the end, and others go on",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void lastMissing() throws IOException {
        HeldWrite write = held(421);
        write.send(0, write.asked(), false);
        expectGoesOnOrEnds(write);
    }

    @Check(
            says = "LAST_PDU in the first of several H2CData: success, an error or the end, and others go on",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void lastTooEarly() throws IOException {
        HeldWrite write = held(422);
        write.send(0, PIECE_BYTES, true);
        write.send(PIECE_BYTES, write.asked(), true);
        expectGoesOnOrEnds(write);
    }

    /** The queue answers another command, or has ended. */
    private void expectGoesOnOrEnds(HeldWrite write) throws IOException {
        write.queue.holdData(false);
        Answer other = readBlocks(write.queue, 1);
        if (other.kind() != Answer.Kind.CONNECTION_ENDED && write.queue.termReq() == null) {
            expectSuccess(other, "a Read on the same queue");
        }
        expectAlive();
    }

    // ---- DATAO and DATAL

    @Check(
            says = "H2CData that leaves a gap: the connection ends, with FES 4 if any",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            needs = Needs.DATA_LOSS)
    void gap() throws IOException {
        HeldWrite write = held(431);
        write.send(0, PIECE_BYTES, false);
        expectRefused(write, write.piece(2 * PIECE_BYTES, 3 * PIECE_BYTES, false), DATA_TRANSFER_OUT_OF_RANGE.code());
    }

    @Check(
            says = "the same H2CData twice: the connection ends, with FES 4 if any",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            needs = Needs.DATA_LOSS)
    void repeated() throws IOException {
        HeldWrite write = held(432);
        write.send(0, PIECE_BYTES, false);
        expectRefused(write, write.piece(0, PIECE_BYTES, false), DATA_TRANSFER_OUT_OF_RANGE.code());
    }

    @Check(
            says = "H2CData that overlaps the one before: the connection ends, with FES 4 if any",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            needs = Needs.DATA_LOSS)
    void overlap() throws IOException {
        HeldWrite write = held(433);
        write.send(0, PIECE_BYTES, false);
        expectRefused(write, write.piece(PIECE_BYTES / 2, 2 * PIECE_BYTES, false), DATA_TRANSFER_OUT_OF_RANGE.code());
    }

    @Check(
            says = "H2CData for 4096 bytes more than the Write has: the connection ends, with FES 1, 4 or 5 if any",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            needs = Needs.DATA_LOSS)
    void beyondWrite() throws IOException {
        HeldWrite write = held(434);
        int asked = write.data.length;
        skipUnless(write.asked() == asked, "the first R2T asks for " + write.asked() + " of " + asked + " bytes");
        PduBuilder longer = PduBuilder.h2cData(
                write.queue.sent(), write.commandId, write.transferTag(), 0, new byte[asked + PIECE_BYTES], true);
        expectRefused(write, longer, OUT_OF_RANGE);
    }

    @Check(
            says = "H2CData whose DATAO + DATAL is beyond 32 bits: the connection ends, with FES 1, 4 or 5 if any",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void offsetWraps() throws IOException {
        HeldWrite write = held(48);
        PduBuilder wraps = write.piece(0, 2 * PIECE_BYTES, false).u32(DataPdu.DATA_OFFSET_OFFSET, 0xFFFF_F000L);
        expectRefused(write, wraps, OUT_OF_RANGE);
    }

    @Check(
            says = "H2CData with a DATAL that is not what PLEN leaves: the connection ends, with FES 1, 4 or 5 if any",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void lengthDiffersFromPlen() throws IOException {
        HeldWrite write = held(435);
        PduBuilder shorter = write.piece(0, PIECE_BYTES, false).u32(DataPdu.DATA_LENGTH_OFFSET, PIECE_BYTES - 512);
        expectRefused(write, shorter, OUT_OF_RANGE);
    }

    @Check(
            says = "H2CData of 0 bytes: the connection ends, or it is left out of account",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void zeroLength() throws IOException {
        HeldWrite write = held(50);
        write.send(0, 0, false);
        Answer answer = write.finish();
        if (answer.kind() != Answer.Kind.CONNECTION_ENDED && write.queue.termReq() == null) {
            expectSuccess(answer, "the Write, when its data follows");
            expectStored(write.queue, write.data);
        }
        expectAlive();
    }

    @Check(
            says =
                    "H2CData of 4 bytes more than MAXH2CDATA: the connection ends, with FES 1, 4 or 5 if any, or it is taken",
            source = "NVMe/TCP 1.0 s3.6.2.2",
            level = Level.INFO,
            needs = Needs.DATA_LOSS)
    void longerThanMaxH2cData() throws IOException {
        HeldWrite write = new HeldWrite(io(), manyBlocks(), 46);
        long most = maxH2cDataBytes();
        skipUnless(most + 4 <= write.asked(), "MAXH2CDATA is as long as any Write");
        write.send(0, (int) most + 4, false);
        write.send((int) most + 4, write.asked(), true);
        RawPdu first = write.queue.socket().receive(answerMs());
        if (first == null) {
            expectEnded(write.queue.socket());
        } else if (first.is(PduType.C2H_TERM_REQ)) {
            expectStatus(first, OUT_OF_RANGE);
        }
        expectAlive();
    }

    // ---- TTAG and CCCID

    @Check(
            says = "H2CData with a TTAG that no R2T had: the connection ends, with FES 1 or 2 if any",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            needs = Needs.DATA_LOSS)
    void unknownTag() throws IOException {
        HeldWrite write = held(441);
        expectTagRefused(write, write.transferTag() ^ 1);
    }

    @Check(
            says = "H2CData with TTAG FFFFh: the connection ends, with FES 1 or 2 if any",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            needs = Needs.DATA_LOSS)
    void largestTag() throws IOException {
        HeldWrite write = held(442);
        skipUnless(write.transferTag() != 0xFFFF, "TTAG FFFFh is in use");
        expectTagRefused(write, 0xFFFF);
    }

    private void expectTagRefused(HeldWrite write, int transferTag) throws IOException {
        PduBuilder wrong = write.piece(0, PIECE_BYTES, false).u16(DataPdu.TRANSFER_TAG_OFFSET, transferTag);
        expectRefused(write, wrong, NOT_ASKED_FOR);
    }

    @Check(
            says = "H2CData for a Write that has completed: the connection ends, with FES 1, 2 or 4 if any",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            needs = Needs.DATA_LOSS)
    void tagOfCompletedWrite() throws IOException {
        HeldWrite write = held(443);
        expectSuccess(write.finish(), "the Write");
        expectRefused(
                write,
                write.piece(0, PIECE_BYTES, false),
                INVALID_PDU_HEADER_FIELD.code(),
                PDU_SEQUENCE_ERROR.code(),
                DATA_TRANSFER_OUT_OF_RANGE.code());
    }

    @Check(
            says = "H2CData with the right TTAG and another CCCID: the connection ends, with FES 1 or 2 if any",
            source = "NVMe/TCP 1.0 s3.6.2.6",
            level = Level.INFO,
            needs = Needs.DATA_LOSS)
    void wrongCommandId() throws IOException {
        HeldWrite write = held(45);
        RawSocket socket = write.queue.socket();
        socket.send(write.piece(0, write.asked(), true).u16(DataPdu.COMMAND_ID_OFFSET, write.commandId ^ 0xFF));
        expectEndedUnless("Linux nvmet", socket, "CCCID", NOT_ASKED_FOR);
        expectAlive();
    }

    // ---- data that nobody asked for

    @Check(
            says = "H2CData before Connect: the connection ends, with FES 1 or 2 if any",
            source = "NVMe/TCP 1.0 s3.6.2.6")
    void beforeConnect() throws IOException {
        expectUnsolicitedRefused(tcp());
    }

    @Check(
            says = "H2CData without any command outstanding: the connection ends, with FES 1 or 2 if any",
            source = "NVMe/TCP 1.0 s3.6.2.6")
    void withoutCommand() throws IOException {
        expectUnsolicitedRefused(io());
    }

    private void expectUnsolicitedRefused(TcpQueue queue) throws IOException {
        queue.socket().send(PduBuilder.h2cData(queue.sent(), COMMAND_ID, 0, 0, new byte[512], true));
        expectEnded(queue.socket(), NOT_ASKED_FOR);
        expectAlive();
    }

    @Check(says = "H2CData for a Read: the connection ends, with FES 1 or 2 if any", source = "NVMe/TCP 1.0 s3.6.2.6")
    void forRead() throws IOException {
        TcpQueue queue = io();
        RawSocket socket = queue.socket();
        socket.hold();
        int command = queue.submit(read(1), Payload.in(bytes(1)));
        socket.send(PduBuilder.h2cData(queue.sent(), command, 0, 0, new byte[512], true));
        socket.release(0);
        RawPdu came = socket.receive(answerMs());
        while (came != null && !came.is(PduType.C2H_TERM_REQ)) {
            // The Read itself may have been answered before.
            came = socket.receive(endMs());
        }
        if (came == null) {
            expect(socket.state() != RawSocket.State.OPEN, "the end of the connection", "none");
        } else {
            expectStatus(came, NOT_ASKED_FOR);
        }
        expectAlive();
    }

    // ---- hosts that go away

    @Check(
            says = "a reset in the middle of H2CData: the blocks whose data was not sent are as they were",
            source = "a target writes what is left in its buffer when hosts go away",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void resetInsideData() throws IOException {
        int blocks = fetchedBlocks(64 << 10);
        byte[] old = pattern(blocks, 530);
        TcpQueue first = io();
        expectSuccess(execute(first, write(blocks), out(old)), "the first Write");
        HeldWrite cut = new HeldWrite(io(), blocks, 531);
        byte[] pdu = cut.piece(0, cut.asked(), true).build().bytes();
        cut.queue.socket().sendBytes(Arrays.copyOf(pdu, pdu.length / 2), "half of the H2CData");
        cut.queue.socket().reset();
        pause(100);
        byte[] now = expectSuccess(readBlocks(first, blocks), "a Read").data();
        int from = old.length / 2 + facts().blockBytes();
        int at = Arrays.mismatch(
                Arrays.copyOfRange(old, Math.min(from, old.length), old.length),
                Arrays.copyOfRange(now, Math.min(from, old.length), old.length));
        expect(at < 0, "the old data in the second half", "other bytes from " + (from + at) + " on");
    }

    @Check(
            says = "50 connections reset while they owe data: new ones still write",
            source = "a target keeps the buffers of hosts that have gone",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void resetsWhileOwing() throws IOException {
        for (int i = 0; i < 50; i++) {
            HeldWrite write = new HeldWrite(io(), manyBlocks(), 532);
            write.send(0, Math.min(PIECE_BYTES, write.asked()), false);
            write.queue.socket().reset();
        }
        HeldWrite last = new HeldWrite(io(), manyBlocks(), 533);
        expectSuccess(last.finish(), "a Write");
        expectStored(last.queue, last.data);
    }
}
