package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.tcp.InitializeConnection;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.codec.tcp.TermReq;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Suite;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.PduBuilder;
import io.nvmf.initiator.raw.RawPdu;
import io.nvmf.initiator.raw.RawSocket;
import io.nvmf.initiator.raw.TcpQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Words that the suites about NVMe/TCP share. */
abstract class TcpSuite extends Suite {
    static final int HEADER = InitializeConnection.DIGEST_HEADER;
    static final int DATA = InitializeConnection.DIGEST_DATA;
    static final int BOTH = HEADER | DATA;

    /** Uses all bits: hosts put a generation into the upper ones. */
    static final int COMMAND_ID = 0xF123;

    // ---- queues

    /** The admin queue of a new controller. */
    final TcpQueue admin() throws IOException {
        return (TcpQueue) associate().admin();
    }

    /** An I/O queue of a new controller, without digests. */
    final TcpQueue io() throws IOException {
        return io(Association.DEPTH);
    }

    /** The same with this many entries. */
    final TcpQueue io(int depth) throws IOException {
        requireNamespace();
        return (TcpQueue) associate().io(depth);
    }

    /** An I/O queue as its ICReq asks for, of a controller whose admin queue asks for nothing; skips what is not granted. */
    final TcpQueue io(int hpda, int digests, long maxR2tZeroBased) throws IOException {
        requireNamespace();
        requireGranted(hpda, digests);
        Association association = associate();
        TcpQueue queue = bench().tcp(hpda, digests, maxR2tZeroBased);
        expectSuccess(bench().connect(queue, association.ioSpec(1)), "Connect of I/O queue 1");
        return queue;
    }

    final void requireNamespace() {
        skipUnless(facts().nsid() != 0, "there is no namespace");
    }

    /** Skips the check when the target does not take this alignment or does not offer all of these digests. */
    final void requireGranted(int hpda, int digests) throws IOException {
        if (hpda == 0 && digests == 0) {
            return;
        }
        RawSocket probe = socket();
        probe.send(PduBuilder.icReq(hpda, digests, 0));
        RawPdu response = probe.receive(answerMs());
        skipUnless(response != null && response.is(PduType.IC_RESP), "the target refuses HPDA " + hpda);
        int granted = InitializeConnection.digests(response.header());
        skipUnless((granted & digests) == digests, "the target grants DGST " + granted + " of " + digests);
    }

    /** MAXH2CDATA of ICResp. */
    final long maxH2cDataBytes() throws IOException {
        RawSocket probe = socket();
        probe.send(PduBuilder.icReq());
        RawPdu response = probe.receive(answerMs());
        expect(response != null && response.is(PduType.IC_RESP), "an ICResp", response);
        return InitializeConnection.maxH2cDataBytes(response.header());
    }

    // ---- commands

    /** A command without data and without effect, for an admin queue. */
    static Sqe propertyGet() {
        Sqe sqe = Sqe.allocate();
        PropertyCommand.encodeGet(sqe, Property.VS);
        return sqe;
    }

    /** A Read of the namespace under test, from its first block on. */
    final Sqe read(int blocks) {
        return ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, facts().nsid(), 0, blocks);
    }

    /** A Write of the namespace under test, from its first block on. */
    final Sqe write(int blocks) {
        return ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, facts().nsid(), 0, blocks);
    }

    final Sqe flush() {
        return Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(facts().nsid());
    }

    /** How many blocks hold so many bytes: at least one, no more than a command and the namespace may have. */
    final int blocks(int bytes) {
        long most = Math.min(facts().maxTransferBytes() / facts().blockBytes(), facts().blocks());
        return (int) Math.max(1, Math.min(bytes / facts().blockBytes(), Math.min(most, ReadWriteCommand.MAX_BLOCKS)));
    }

    /** How many blocks hold so many bytes, and do not fit a capsule. */
    final int fetchedBlocks(int bytes) {
        return Math.max(blocks(bytes), fetchedBlocks());
    }

    final int bytes(int blocks) {
        return blocks * facts().blockBytes();
    }

    /** The blocks of the longest transfer that is worth while. */
    final int manyBlocks() {
        return blocks(1 << 20);
    }

    /** Data for so many blocks in which each word differs, and differs from that of other salts. */
    final byte[] pattern(int blocks, int salt) {
        ByteBuffer data = ByteBuffer.allocate(bytes(blocks));
        for (int i = 0; data.remaining() >= Long.BYTES; i++) {
            data.putLong((long) salt << 32 | i);
        }
        return data.array();
    }

    final Answer readBlocks(TcpQueue queue, int blocks) throws IOException {
        return execute(queue, read(blocks), Payload.in(bytes(blocks)));
    }

    /** Fails unless the first blocks of the namespace hold this. */
    final void expectStored(TcpQueue queue, byte[] expected) throws IOException {
        Answer answer = expectSuccess(readBlocks(queue, expected.length / facts().blockBytes()), "a read");
        int at = Arrays.mismatch(expected, answer.data());
        expect(at < 0, "the bytes that were written last", "others from byte " + at + " on");
    }

    // ---- below the queue

    /** An entry with its CID and a descriptor of data that does not travel in the capsule. */
    static Sqe described(Sqe sqe, int lengthBytes) {
        sqe.commandId(COMMAND_ID).sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, lengthBytes);
        return sqe;
    }

    /**
     * Sends a command without data of its own under {@link #COMMAND_ID}, past the bookkeeping of the queue, and gives all
     * PDUs that come until it is complete.
     */
    final List<RawPdu> exchange(TcpQueue queue, Sqe sqe, int inBytes) throws IOException {
        queue.socket().send(PduBuilder.capsule(queue.sent(), described(sqe, inBytes)));
        List<RawPdu> came = new ArrayList<>();
        RawPdu pdu;
        do {
            pdu = queue.socket().receive(answerMs());
            if (pdu == null) {
                throw failure("a CapsuleResp, or C2HData with SUCCESS", came);
            }
            came.add(pdu);
        } while (!pdu.is(PduType.CAPSULE_RESP) && !pdu.has(PduHeader.SUCCESS));
        return came;
    }

    /**
     * As {@link #expectEnded}; a target that goes on, and answers, deviates.
     *
     * @param goesOn who else does not look at what is wrong
     */
    final void expectEndedUnless(String goesOn, RawSocket socket, String ignored, int... fes) throws IOException {
        RawPdu first = socket.receive(endMs());
        if (first == null) {
            expectEnded(socket, fes);
        } else if (first.is(PduType.C2H_TERM_REQ)) {
            expectStatus(first, fes);
            socket.shutdownOutput();
            expectEnded(socket);
        } else {
            deviates(ignored + " is not looked at: " + first, goesOn);
        }
    }

    final void expectStatus(RawPdu term, int... fes) {
        int status = TermReq.status(term.header());
        expect(Arrays.stream(fes).anyMatch(allowed -> allowed == status), "FES of " + Arrays.toString(fes), term);
    }

    /** A Write whose data the target has asked for and not been sent. */
    final class HeldWrite {
        final TcpQueue queue;
        final int commandId;
        final byte[] data;
        final RawPdu r2t;

        HeldWrite(TcpQueue queue, int blocks, int salt) throws IOException {
            this.queue = queue;
            data = pattern(blocks, salt);
            queue.holdData(true);
            commandId = queue.submit(write(blocks), Payload.fetched(data));
            r2t = queue.nextR2t(answerMs());
            expect(r2t != null, "an R2T for a Write with SGL 5Ah", "none");
        }

        int transferTag() {
            return R2T.transferTag(r2t.header());
        }

        /** How much the target has asked for, from the first byte on. */
        int asked() {
            return (int) R2T.lengthBytes(r2t.header());
        }

        /** H2CData with these bytes of the data, which may be changed. */
        PduBuilder piece(int from, int to, boolean last) {
            return PduBuilder.h2cData(
                    queue.sent(), commandId, transferTag(), from, Arrays.copyOfRange(data, from, to), last);
        }

        void send(int from, int to, boolean last) throws IOException {
            queue.socket().send(piece(from, to, last));
        }

        /** Sends all the data, as it must be, to this R2T and those that follow. */
        Answer finish() throws IOException {
            queue.holdData(false);
            queue.answer(r2t, data);
            return queue.await(commandId, answerMs());
        }
    }
}
