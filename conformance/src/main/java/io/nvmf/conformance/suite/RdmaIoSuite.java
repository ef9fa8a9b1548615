package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RdmaQueue;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;

/** What the suites about data over RDMA share: reads and writes from the namespace's first block on. */
abstract class RdmaIoSuite extends RdmaSuite {
    /** More than any check moves at a time, and less than a namespace has. */
    private static final int MOST_BYTES = 1 << 20;

    private SplittableRandom random;

    /** How much a command of a check may move: whole blocks, within MDTS. */
    final int mostBytes() {
        skipUnlessNamespace();
        int block = facts().blockBytes();
        int most = Math.min(MOST_BYTES, facts().maxTransferBytes());
        return (int) Math.min(most / block, facts().blocks()) * block;
    }

    private void skipUnlessNamespace() {
        skipUnless(facts().nsid() != 0, "the subsystem has no namespace");
    }

    final Sqe read(long startBlock, int blocks) {
        return command(Opcode.Nvm.READ, startBlock, blocks);
    }

    final Sqe write(long startBlock, int blocks) {
        return command(Opcode.Nvm.WRITE, startBlock, blocks);
    }

    private Sqe command(int opcode, long startBlock, int blocks) {
        skipUnlessNamespace();
        return ReadWriteCommand.encode(Sqe.allocate(), opcode, facts().nsid(), startBlock, blocks);
    }

    /** Data that was not there before. */
    final byte[] pattern(int lengthBytes) {
        if (random == null) {
            random = new SplittableRandom(bench().target().seed() ^ System.nanoTime());
        }
        byte[] bytes = new byte[lengthBytes];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Writes at the first block by RDMA READ, reads it by RDMA WRITE, and compares. */
    final void expectRoundTrip(RdmaQueue io, int lengthBytes) throws IOException {
        byte[] data = pattern(lengthBytes);
        Sqe write = write(0, lengthBytes / facts().blockBytes());
        expectSuccess(execute(io, write, Payload.fetched(data)), "a write of " + lengthBytes + " bytes");
        expectRead(io, data);
    }

    final void expectRead(RdmaQueue io, byte[] data) throws IOException {
        Sqe read = read(0, data.length / facts().blockBytes());
        Answer answer = execute(io, read, Payload.in(data.length));
        expectSuccess(answer, "a read of " + data.length + " bytes");
        int differs = Arrays.mismatch(data, answer.data());
        expect(differs < 0, "what was written", "another byte " + differs + " of " + data.length);
    }

    /** Fails unless the queue still serves a read. */
    final void expectReads(RdmaQueue io) throws IOException {
        expectSuccess(execute(io, read(0, 1), Payload.in(facts().blockBytes())), "a read on the same queue afterwards");
    }
}
