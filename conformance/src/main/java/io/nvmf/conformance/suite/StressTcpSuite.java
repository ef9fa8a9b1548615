package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.PduBuilder;
import io.nvmf.initiator.raw.RawPdu;
import io.nvmf.initiator.raw.RawQueue;
import io.nvmf.initiator.raw.TcpQueue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What hosts can do to queues that are TCP connections. */
@SuiteName(value = "STRESS.TCP", over = SuiteName.Over.TCP)
public final class StressTcpSuite extends IoSuite {
    private static final int TWICE = 0x0777;
    private static final int ONCE = 0x0778;
    private static final int SLOW_BYTES = 15;
    /** No target takes less in one H2CData. */
    private static final int PIECE_BYTES = 4096;

    @Check(
            says =
                    "A CID that is outstanding already: Command ID Conflict, or served, or the connection ends; others go on",
            source = "NVMe Base 2.0 s3.3.3.1 (CID)",
            level = Level.INFO)
    void doubleCommandId() throws IOException {
        TcpQueue queue = (TcpQueue) queue();
        RawQueue other = associate().io();
        Sqe flush = Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(nsid());
        RawPdu first = PduBuilder.capsule(queue.sent(), flush.commandId(TWICE)).build();
        RawPdu second = PduBuilder.capsule(queue.sent(), flush.commandId(ONCE)).build();
        byte[] all = PduBuilder.capsule(queue.sent(), flush.commandId(TWICE))
                .followedBy(concat(first.bytes(), second.bytes()));
        queue.socket().sendBytes(all, "Flush with CID 0777h, the same again, and Flush with CID 0778h");
        List<RawPdu> answers = new ArrayList<>();
        RawPdu pdu = queue.socket().receive(answerMs());
        while (pdu != null && pdu.is(PduType.CAPSULE_RESP)) {
            answers.add(pdu);
            pdu = answers.size() == 3 ? null : queue.socket().receive(answerMs());
        }
        if (queue.isOpen()) {
            expectAnswers(answers);
        }
        read(other, 0, 1);
        expectAlive();
    }

    private static byte[] concat(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    private void expectAnswers(List<RawPdu> answers) {
        long ofOnce = answers.stream()
                .filter(answer -> answer.completion().commandId() == ONCE)
                .filter(answer -> Status.isSuccess(answer.completion().status()))
                .count();
        expectEquals(1, ofOnce, "successes of the CID that was used once:");
        for (RawPdu answer : answers) {
            int status = Status.withoutFlags(answer.completion().status());
            boolean fits = answer.completion().commandId() == ONCE
                    || answer.completion().commandId() == TWICE
                            && (status == Status.SUCCESS || status == Status.COMMAND_ID_CONFLICT);
            expect(fits, "success or Command ID Conflict of the CID that was used twice", answer);
        }
    }

    @Check(
            says = "A host sends the data of a Write by a byte a second for 15 s: another host is served all the time",
            source = "one host must not be able to stop others",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS,
            seconds = 20)
    void slowWriter() throws IOException {
        RawQueue other = associate().io();
        write(other, besideBlock(), pattern("SlowWriter, before", besideBlock(), 1));
        TcpQueue slow = (TcpQueue) queue();
        slow.holdData(true);
        int count = fetchedBlocks();
        byte[] data = pattern("SlowWriter", besideBlock(), count);
        int id = slow.submit(writing(besideBlock(), count), Payload.fetched(data));
        RawPdu r2t = slow.nextR2t(answerMs());
        expect(r2t != null, "an R2T", "nothing in time");
        int tag = R2T.transferTag(r2t.header());
        int asked = (int) R2T.lengthBytes(r2t.header());
        int first = Math.min(asked, PIECE_BYTES);
        byte[] pdu = PduBuilder.h2cData(slow.sent(), id, tag, 0, Arrays.copyOf(data, first), first == asked)
                .build()
                .bytes();
        int sent = pdu.length - first;
        slow.socket().sendBytes(Arrays.copyOf(pdu, sent), "the header of an H2CData");
        for (int second = 0; second < SLOW_BYTES; second++) {
            slow.socket().sendBytes(new byte[] {pdu[sent + second]}, "a byte of its data");
            read(other, besideBlock(), 1);
            pause(1000);
        }
        sent += SLOW_BYTES;
        slow.socket().sendBytes(Arrays.copyOfRange(pdu, sent, pdu.length), "the rest of its data");
        for (int at = first; at < asked; at += PIECE_BYTES) {
            int to = Math.min(asked, at + PIECE_BYTES);
            byte[] piece = Arrays.copyOfRange(data, at, to);
            slow.socket().send(PduBuilder.h2cData(slow.sent(), id, tag, at, piece, to == asked));
        }
        slow.holdData(false);
        Answer answer = slow.await(id, answerMs());
        expect(
                answer.isSuccess() || answer.kind() == Answer.Kind.CONNECTION_ENDED,
                "success, or the end of the connection",
                answer);
        expectAlive();
    }
}
