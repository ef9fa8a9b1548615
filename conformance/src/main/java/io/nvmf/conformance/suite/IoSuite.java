package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Suite;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What checks of I/O commands have in common. Those that take their turn keep to the first half of the namespace and its last
 * blocks; those that run beside them have the blocks from {@link #besideBlock} on.
 */
abstract class IoSuite extends Suite {
    private static final int FLBAS_EXTENDED = 1 << 4;

    private Association association;
    private RawQueue queue;

    // ---- what there is

    /** The controller of this check. */
    final Association controller() throws IOException {
        if (association == null) {
            skipUnless(facts().nsid() != 0, "there is no namespace");
            association = associate();
        }
        return association;
    }

    /** Its first I/O queue. */
    final RawQueue queue() throws IOException {
        if (queue == null) {
            queue = controller().io();
        }
        return queue;
    }

    final long nsid() {
        return facts().nsid();
    }

    /** How much data a block has when it travels: with its metadata when that is part of it. */
    final int blockBytes() {
        return blockBytes(facts().namespace());
    }

    static int blockBytes(IdentifyNamespace namespace) {
        IdentifyNamespace.LbaFormat format = namespace.currentLbaFormat();
        boolean extended = namespace.has(IdentifyNamespace.Field.FLBAS, FLBAS_EXTENDED);
        return (1 << format.blockShift()) + (extended ? format.metadataBytes() : 0);
    }

    /** NSZE. */
    final long blocks() {
        return facts().blocks();
    }

    /** How many blocks one command may transfer. */
    final int maxBlocks() {
        return Math.min(facts().maxTransferBytes() / blockBytes(), ReadWriteCommand.MAX_BLOCKS);
    }

    /** The first block of those that checks have that run beside others. */
    final long besideBlock() {
        return blocks() / 2;
    }

    /** Skips unless checks that take their turn have so many blocks. */
    final void needsBlocks(long wanted) {
        skipUnless(wanted <= blocks() / 2, "the namespace has only " + blocks() + " blocks");
    }

    final void needsCommand(int oncsBit, String name) {
        skipUnless(facts().supports(oncsBit), "ONCS does not offer " + name);
    }

    final boolean isZeroWhenDeallocated() {
        return (facts().namespace().get(IdentifyNamespace.Field.DLFEAT) & 0x7) == IdentifyNamespace.DLFEAT_READS_ZEROS;
    }

    /** Fails unless a range was refused. */
    final void expectOutOfRange(Answer answer) {
        boolean internal = answer.isCompleted() && answer.status() == Status.INTERNAL_ERROR;
        if (internal) {
            deviates("a range beyond the end is refused with Internal Error", "Linux nvmet on block devices");
        } else {
            expectStatus(answer, Status.LBA_OUT_OF_RANGE, Status.CAPACITY_EXCEEDED);
        }
    }

    // ---- commands

    /** A command on a range of blocks of the namespace. */
    final Sqe on(int opcode, long block, int count) {
        return ReadWriteCommand.encode(Sqe.allocate(), opcode, nsid(), block, count);
    }

    final Sqe reading(long block, int count) {
        return on(Opcode.Nvm.READ, block, count);
    }

    final Sqe writing(long block, int count) {
        return on(Opcode.Nvm.WRITE, block, count);
    }

    /** The same data, described as so long. */
    static Payload described(Payload payload, long lengthBytes) {
        return payload.sgl(sgl -> {
            if (sgl.identifier() >> 4 == SglDescriptor.KEYED >> 4) {
                int most = (int) Math.min(lengthBytes, SglDescriptor.KEYED_LENGTH_MAX);
                sgl.setKeyed(sgl.address(), most, sgl.key(), sgl.identifier() == SglDescriptor.KEYED_INVALIDATE);
            } else {
                sgl.set(sgl.identifier(), sgl.address(), lengthBytes);
            }
        });
    }

    /** Reads blocks, whatever becomes of it. */
    final Answer tryRead(RawQueue from, long block, int count) throws IOException {
        return execute(from, reading(block, count), Payload.in(count * blockBytes()));
    }

    /** Writes blocks, whatever becomes of it. */
    final Answer tryWrite(RawQueue to, long block, byte... data) throws IOException {
        return execute(to, writing(block, data.length / blockBytes()), out(data));
    }

    /** What blocks hold. */
    final byte[] read(RawQueue from, long block, int count) throws IOException {
        return expectSuccess(tryRead(from, block, count), "Read of " + count + " blocks at " + block)
                .data();
    }

    final void write(RawQueue to, long block, byte... data) throws IOException {
        expectSuccess(tryWrite(to, block, data), "Write of " + data.length / blockBytes() + " blocks at " + block);
    }

    /** Fails unless blocks hold this; read in commands as long as allowed. */
    final void expectContent(RawQueue from, long block, byte[] expected, String what) throws IOException {
        int count = expected.length / blockBytes();
        for (int done = 0; done < count; done += maxBlocks()) {
            int some = Math.min(maxBlocks(), count - done);
            byte[] part = Arrays.copyOfRange(expected, done * blockBytes(), (done + some) * blockBytes());
            expectSame(part, read(from, block + done, some), block + done, what);
        }
    }

    /** Fails unless what came for blocks is this. */
    final void expectSame(byte[] expected, byte[] actual, long block, String what) {
        int at = Arrays.mismatch(expected, actual);
        if (at >= 0) {
            throw failure(
                    what + " in block " + (block + at / blockBytes()),
                    "other data from its byte " + at % blockBytes() + " on: " + excerpt(actual, at));
        }
    }

    private static String excerpt(byte[] data, int at) {
        StringBuilder hex = new StringBuilder();
        for (int i = at; i < Math.min(data.length, at + 8); i++) {
            hex.append(String.format("%02x ", data[i]));
        }
        return hex.toString().strip();
    }

    /** Data that says which check wrote it and for which block. */
    final byte[] pattern(String writer, long block, int count) {
        byte[] data = new byte[count * blockBytes()];
        for (int i = 0; i < count; i++) {
            byte[] text = (writer + " block " + (block + i) + " ").getBytes(StandardCharsets.US_ASCII);
            for (int at = 0; at < blockBytes(); at++) {
                data[i * blockBytes() + at] = text[at % text.length];
            }
        }
        return data;
    }

    /** AWUN or NAWUN as a count, where every write that is no longer is atomic wherever it begins. */
    final int atomicBlocks() {
        IdentifyNamespace namespace = facts().namespace();
        boolean own = namespace.has(IdentifyNamespace.Field.NSFEAT, IdentifyNamespace.NSFEAT_ATOMICS);
        if (own && namespace.get(IdentifyNamespace.Field.NABSN) != 0) {
            return 1;
        }
        long zeroBased = own && namespace.get(IdentifyNamespace.Field.NAWUN) != 0
                ? namespace.get(IdentifyNamespace.Field.NAWUN)
                : facts().controller().get(IdentifyController.Field.AWUN);
        return (int) Math.min(zeroBased + 1, maxBlocks());
    }
}
