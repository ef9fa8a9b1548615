package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawPdu;
import io.nvmf.initiator.raw.RawQueue;
import io.nvmf.initiator.raw.TcpQueue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Abort of a command that waits for its data, which the host holds back. */
@SuiteName(value = "ADMIN.ABORTWRITE", over = SuiteName.Over.TCP)
public final class AdminAbortWriteSuite extends AdminSuite {
    private static final int FIRST_IO_QUEUE = 1;
    /** Some targets answer Abort only when the command has its data. */
    private static final int SOON_MS = 1000;

    @Check(
            says =
                    "Abort of a Write that waits for its data: 0/07h and the blocks as before when DW0 bit 0 is clear, else"
                            + " written",
            source = "NVMe Base 2.0 s5.1",
            needs = Needs.DATA_LOSS)
    void waitingWrite() throws IOException {
        Association association = associate();
        TcpQueue queue = overTcp(association.io());
        byte[] before = blocks("before");
        expectSuccess(execute(queue, write(), out(before)), "Write");
        byte[] data = blocks("aborted");
        queue.holdData(true);
        int commandId = queue.submit(write(), Payload.fetched(data));
        RawPdu r2t = awaitR2t(queue);
        int abortId = association.admin().submit(AdminAbortSuite.abort(FIRST_IO_QUEUE, commandId), Payload.NONE);
        Answer answer = association.admin().await(abortId, SOON_MS);
        sendUnlessAnswered(queue, commandId, r2t, data);
        if (!answer.isCompleted()) {
            answer = association.admin().await(abortId, answerMs());
        }
        expectSuccess(answer, "Abort");
        Answer written = queue.await(commandId, answerMs());
        if ((answer.dw0() & NOT_ABORTED) == 0) {
            expectStatus(written, Status.ABORT_REQUESTED);
            expectBlocks(queue, before);
        } else {
            expectSuccess(written, "Write, as DW0 bit 0 says that it was not aborted");
            expectBlocks(queue, data);
        }
    }

    private RawPdu awaitR2t(TcpQueue queue) throws IOException {
        RawPdu r2t = queue.nextR2t(answerMs());
        expect(r2t != null, "an R2T", "nothing in time");
        return r2t;
    }

    private static void sendUnlessAnswered(TcpQueue queue, int commandId, RawPdu r2t, byte[] data) throws IOException {
        queue.holdData(false);
        if (!queue.isAnswered(commandId)) {
            queue.answer(r2t, data);
        }
    }

    @Check(
            says = "Abort on one controller, with the SQID and CID of a Write on another: that Write is not aborted",
            source = "NVMe Base 2.0 s5.1",
            needs = Needs.DATA_LOSS)
    void otherController() throws IOException {
        Association association = associate();
        Association other = associate();
        RawQueue otherQueue = other.io();
        TcpQueue queue = overTcp(association.io());
        byte[] data = blocks("other");
        queue.holdData(true);
        int commandId = queue.submit(write(), Payload.fetched(data));
        RawPdu r2t = awaitR2t(queue);
        expectNotAborted(other.admin(AdminAbortSuite.abort(FIRST_IO_QUEUE, commandId)));
        sendUnlessAnswered(queue, commandId, r2t, data);
        expectSuccess(queue.await(commandId, answerMs()), "Write");
        expectBlocks(otherQueue, data);
    }

    private TcpQueue overTcp(RawQueue queue) {
        nsid();
        return (TcpQueue) queue;
    }

    private Sqe write() {
        return ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, nsid(), 0, fetchedBlocks());
    }

    private void expectBlocks(RawQueue queue, byte[] data) throws IOException {
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, nsid(), 0, fetchedBlocks());
        Answer answer = expectSuccess(execute(queue, sqe, Payload.in(data.length)), "Read");
        expect(
                Arrays.equals(data, answer.data()),
                "the blocks of " + name(data),
                "the blocks of " + name(answer.data()));
    }

    /** Data that is fetched, and begins with a name. */
    private byte[] blocks(String name) {
        nsid();
        byte[] text = ("ADMIN.ABORT " + name + ".").getBytes(StandardCharsets.US_ASCII);
        return Arrays.copyOf(text, fetchedBlocks() * facts().blockBytes());
    }

    private static String name(byte... blocks) {
        return new String(blocks, 0, 32, StandardCharsets.US_ASCII).trim();
    }
}
