package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Read and Write: data comes back as it was written, and what cannot be is refused. */
@SuiteName("IO.RW")
public final class IoReadWriteSuite extends IoSuite {
    private static final int ROUNDS = 100;

    // ---- what was written can be read

    @Check(
            says = "Write of one block, its data in the capsule: it reads back",
            source = "NVM Command Set 1.0 s3.2.6",
            needs = Needs.DATA_LOSS)
    void oneBlockInCapsule() throws IOException {
        skipUnless(blockBytes() <= facts().inCapsuleBytes(), "a block does not fit the capsule");
        byte[] data = pattern("OneBlockInCapsule", 0, 1);
        expectSuccess(execute(queue(), writing(0, 1), Payload.inCapsule(data)), "Write");
        expectContent(queue(), 0, data, "what was written");
    }

    @Check(
            says = "Write of one block, its data fetched by the target: it reads back",
            source = "NVM Command Set 1.0 s3.2.6",
            needs = Needs.DATA_LOSS)
    void oneBlockFetched() throws IOException {
        byte[] data = pattern("OneBlockFetched", 0, 1);
        Answer answer = execute(queue(), writing(0, 1), Payload.fetched(data));
        if (answer.kind() == Answer.Kind.SILENCE && data.length <= facts().inCapsuleBytes()) {
            deviates("data that would fit the capsule is awaited and never asked for", "Linux nvmet");
            return;
        }
        expectSuccess(answer, "Write");
        expectEquals(data.length, answer.fetchedBytes(), "bytes asked for by the target");
        expectContent(queue(), 0, data, "what was written");
    }

    @Check(
            says = "Writes of 3, 5, 7 and 31 blocks at odd places: each reads back",
            source = "NVM Command Set 1.0 s3.2.6",
            needs = Needs.DATA_LOSS)
    void oddCounts() throws IOException {
        needsBlocks(128);
        long block = 1;
        for (int count : new int[] {3, 5, 7, 31}) {
            int fitting = Math.min(count, maxBlocks());
            byte[] data = pattern("OddCounts", block, fitting);
            write(queue(), block, data);
            expectContent(queue(), block, data, "what was written");
            block += fitting;
        }
    }

    @Check(
            says = "Blocks beside those of a Write: unchanged",
            source = "NVM Command Set 1.0 s3.2.6",
            needs = Needs.DATA_LOSS)
    void neighbours() throws IOException {
        byte[] before = pattern("Neighbours, before", 0, 3);
        write(queue(), 0, before);
        byte[] data = pattern("Neighbours, after", 1, 1);
        write(queue(), 1, data);
        System.arraycopy(data, 0, before, blockBytes(), blockBytes());
        expectContent(queue(), 0, before, "one block changed and its neighbours kept");
    }

    @Check(
            says = "Write and Read of as much as MDTS allows: all of it comes back",
            source = "NVMe Base 2.0 s5.17.2.1 (MDTS)",
            needs = Needs.DATA_LOSS)
    void asMuchAsMdts() throws IOException {
        needsBlocks(maxBlocks());
        byte[] data = pattern("AsMuchAsMdts", 0, maxBlocks());
        write(queue(), 0, data);
        expectContent(queue(), 0, data, "what was written");
    }

    @Check(
            says = "Write of the last block of the namespace: it reads back",
            source = "NVM Command Set 1.0 s3.2.6",
            needs = Needs.DATA_LOSS)
    void lastBlock() throws IOException {
        byte[] data = pattern("LastBlock", blocks() - 1, 1);
        write(queue(), blocks() - 1, data);
        expectContent(queue(), blocks() - 1, data, "what was written");
    }

    @Check(
            says = "Write of several blocks that ends with the namespace: it reads back",
            source = "NVM Command Set 1.0 s3.2.6",
            needs = Needs.DATA_LOSS)
    void upToTheEnd() throws IOException {
        int count = Math.min(8, maxBlocks());
        byte[] data = pattern("UpToTheEnd", blocks() - count, count);
        write(queue(), blocks() - count, data);
        expectContent(queue(), blocks() - count, data, "what was written");
    }

    @Check(
            says = "Read of blocks that several commands have written, on another queue: all of their data",
            source = "NVMe Base 2.0 s3.4.1",
            needs = Needs.DATA_LOSS)
    void otherQueueReads() throws IOException {
        int count = Math.min(16, maxBlocks());
        byte[] data = pattern("OtherQueueReads", 0, count);
        for (int i = 0; i < count; i++) {
            write(queue(), i, Arrays.copyOfRange(data, i * blockBytes(), (i + 1) * blockBytes()));
        }
        expectContent(controller().io(), 0, data, "what was written on another queue");
    }

    // ---- what is out of range

    @Check(says = "Read of one block more than there are: LBA Out of Range", source = "NVM Command Set 1.0 s3.2.4")
    void readBeyondEnd() throws IOException {
        expectOutOfRange(tryRead(queue(), blocks() - 1, 2));
        expectOutOfRange(tryRead(queue(), blocks(), 1));
        expectSuccess(tryRead(queue(), blocks() - 1, 1), "Read of the last block");
    }

    @Check(
            says = "Write of one block more than there are: LBA Out of Range, and the last block unchanged",
            source = "NVM Command Set 1.0 s3.2.6",
            needs = Needs.DATA_LOSS)
    void writeBeyondEnd() throws IOException {
        byte[] before = pattern("WriteBeyondEnd, before", blocks() - 1, 1);
        write(queue(), blocks() - 1, before);
        expectOutOfRange(tryWrite(queue(), blocks() - 1, pattern("WriteBeyondEnd", blocks() - 1, 2)));
        expectContent(queue(), blocks() - 1, before, "what was there before");
    }

    @Check(
            says = "Read at SLBA 2^64 - 1, whose end wraps round: LBA Out of Range",
            source = "NVM Command Set 1.0 s3.2.4")
    void readThatWraps() throws IOException {
        expectOutOfRange(tryRead(queue(), -1, 1));
        expectOutOfRange(tryRead(queue(), -1, 2));
        expectOutOfRange(tryRead(queue(), Long.MAX_VALUE, 1));
    }

    @Check(says = "Read whose byte offset wraps round 64 bits: LBA Out of Range", source = "NVM Command Set 1.0 s3.2.4")
    void readWhoseBytesWrap() throws IOException {
        int shift = facts().namespace().currentLbaFormat().blockShift();
        expectOutOfRange(tryRead(queue(), 1L << 64 - shift, 1));
    }

    // ---- lengths that do not fit

    @Check(says = "Read whose SGL is shorter than its blocks: Data SGL Length Invalid", source = "NVMe Base 2.0 s4.1.2")
    void readWithShortSgl() throws IOException {
        Answer answer = execute(queue(), reading(0, 2), Payload.in(blockBytes()));
        expectStatus(answer, Status.SGL_DATA_LENGTH_INVALID);
    }

    @Check(
            says = "Write whose SGL is shorter than its blocks: Data SGL Length Invalid, and nothing written",
            source = "NVMe Base 2.0 s4.1.2",
            needs = Needs.DATA_LOSS)
    void writeWithShortSgl() throws IOException {
        byte[] before = pattern("WriteWithShortSgl, before", 0, 2);
        write(queue(), 0, before);
        Payload oneBlock = out(pattern("WriteWithShortSgl", 0, 1));
        expectStatus(execute(queue(), writing(0, 2), oneBlock), Status.SGL_DATA_LENGTH_INVALID);
        expectContent(queue(), 0, before, "what was there before");
    }

    @Check(
            says = "Read whose SGL is longer than its blocks: Data SGL Length Invalid, or the blocks",
            source = "NVMe Base 2.0 s4.1.2")
    void readWithLongSgl() throws IOException {
        Answer answer = execute(queue(), reading(0, 1), Payload.in(blockBytes(), 2 * blockBytes()));
        expectStatus(answer, Status.SGL_DATA_LENGTH_INVALID, Status.SUCCESS);
        if (answer.isSuccess()) {
            byte[] block = Arrays.copyOf(answer.data(), blockBytes());
            expectSame(read(queue(), 0, 1), block, 0, "the block that was asked for");
        }
    }

    @Check(
            says = "Write whose SGL is longer than its blocks: Data SGL Length Invalid, or only the blocks written",
            source = "NVMe Base 2.0 s4.1.2",
            needs = Needs.DATA_LOSS)
    void writeWithLongSgl() throws IOException {
        byte[] before = pattern("WriteWithLongSgl, before", 0, 2);
        write(queue(), 0, before);
        byte[] data = pattern("WriteWithLongSgl", 0, 2);
        Answer answer = execute(queue(), writing(0, 1), out(data));
        expectStatus(answer, Status.SGL_DATA_LENGTH_INVALID, Status.SUCCESS);
        if (answer.isSuccess()) {
            System.arraycopy(data, 0, before, 0, blockBytes());
        }
        expectContent(queue(), 0, before, "only what NLB says changed");
    }

    @Check(
            says = "Read of one block more than MDTS allows: Invalid Field, no data, and the queue goes on",
            source = "NVMe Base 2.0 s5.17.2.1 (MDTS)")
    void readBeyondMdts() throws IOException {
        needsMdtsBelowNlb();
        expectTooLong(tryRead(queue(), 0, maxBlocks() + 1));
        if (queue().isOpen()) {
            read(queue(), 0, 1);
        }
    }

    @Check(
            says = "Write of one block more than MDTS allows: Invalid Field, no data fetched, and nothing written",
            source = "NVMe Base 2.0 s5.17.2.1 (MDTS)",
            needs = Needs.DATA_LOSS)
    void writeBeyondMdts() throws IOException {
        needsMdtsBelowNlb();
        needsBlocks(maxBlocks() + 1L);
        byte[] before = pattern("WriteBeyondMdts, before", 0, 1);
        write(queue(), 0, before);
        byte[] data = pattern("WriteBeyondMdts", 0, maxBlocks() + 1);
        Answer answer = execute(queue(), writing(0, maxBlocks() + 1), Payload.fetched(data));
        expectTooLong(answer);
        expectEquals(0, answer.fetchedBytes(), "bytes asked for by the target for a refused command");
        expectContent(queue().isOpen() ? queue() : associate().io(), 0, before, "what was there before");
    }

    private void needsMdtsBelowNlb() {
        skipUnless(facts().limitsTransfers(), "MDTS sets no limit");
        skipUnless(maxBlocks() < ReadWriteCommand.MAX_BLOCKS, "NLB cannot say more than MDTS allows");
    }

    private void expectTooLong(Answer answer) {
        if (answer.kind() == Answer.Kind.CONNECTION_ENDED) {
            deviates("a transfer beyond MDTS ends the connection", "SPDK");
            return;
        }
        expectStatus(answer, Status.INVALID_FIELD, Status.SGL_DATA_LENGTH_INVALID);
        if (answer.status() == Status.SGL_DATA_LENGTH_INVALID) {
            deviates("a transfer beyond MDTS is refused with Data SGL Length Invalid", "SPDK");
        }
    }

    // ---- what lasts, and what is whole

    @Check(
            says = "The connection is lost after completed Writes: they are there for the next",
            source = "NVM Command Set 1.0 s3.2.6",
            needs = Needs.DATA_LOSS)
    void completedWritesLast() throws IOException {
        int count = Math.min(16, maxBlocks());
        byte[] data = pattern("CompletedWritesLast", 0, count);
        write(queue(), 0, data);
        queue().close();
        expectContent(associate().io(), 0, data, "what was written before the connection was lost");
    }

    @Check(
            says =
                    "The connection is lost after unanswered Writes of a block each: every block is old or new, none is neither",
            source = "NVM Command Set 1.0 s2.1.4",
            needs = Needs.DATA_LOSS)
    void unansweredWritesAreWhole() throws IOException {
        int count = Math.min(16, maxBlocks());
        byte[] before = pattern("UnansweredWritesAreWhole, before", 0, count);
        byte[] after = pattern("UnansweredWritesAreWhole, after", 0, count);
        write(queue(), 0, before);
        RawQueue lost = controller().io();
        for (int i = 0; i < count; i++) {
            lost.submit(writing(i, 1), out(Arrays.copyOfRange(after, i * blockBytes(), (i + 1) * blockBytes())));
        }
        lost.close();
        byte[] found = read(associate().io(), 0, count);
        for (int i = 0; i < count; i++) {
            int from = i * blockBytes();
            int to = from + blockBytes();
            boolean whole =
                    Arrays.equals(found, from, to, before, from, to) || Arrays.equals(found, from, to, after, from, to);
            expect(whole, "block " + i + " as before or as written", "a mixture");
        }
    }

    @Check(
            says = "Writes of as many blocks as are atomic, at the same place on two queues at once: never a mixture",
            source = "NVM Command Set 1.0 s2.1.4 (AWUN)",
            needs = Needs.DATA_LOSS)
    void concurrentWritesAreAtomic() throws IOException {
        int count = Math.min(atomicBlocks(), 64);
        RawQueue first = queue();
        RawQueue second = controller().io();
        RawQueue reader = controller().io();
        byte[] one = pattern("ConcurrentWritesAreAtomic, first", 0, count);
        byte[] other = pattern("ConcurrentWritesAreAtomic, second", 0, count);
        write(first, 0, one);
        for (int round = 0; round < ROUNDS; round++) {
            int firstId = first.submit(writing(0, count), out(one));
            int secondId = second.submit(writing(0, count), out(other));
            expectOneOf(read(reader, 0, count), one, other);
            expectSuccess(first.await(firstId, answerMs()), "Write");
            expectSuccess(second.await(secondId, answerMs()), "Write");
            expectOneOf(read(reader, 0, count), one, other);
        }
    }

    private void expectOneOf(byte[] found, byte[] one, byte[] other) {
        boolean whole = Arrays.equals(found, one) || Arrays.equals(found, other);
        expect(whole, "what one of two writers wrote", "a mixture of both");
    }

    // ---- other namespaces

    @Check(
            says = "Read of one block of each active namespace, as long as its format says: success",
            source = "NVM Command Set 1.0 s4.1.5.1 (LBADS, MS)",
            level = Level.SHOULD)
    void eachNamespace() throws IOException {
        ByteBuffer list = controller().identified(Cns.ACTIVE_NAMESPACE_LIST, 0);
        for (int at = 0; at < list.capacity() && list.getInt(at) != 0; at += 4) {
            long nsid = list.getInt(at) & 0xFFFF_FFFFL;
            IdentifyNamespace namespace = IdentifyNamespace.decode(controller().identified(Cns.NAMESPACE, nsid), 0);
            Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, nsid, 0, 1);
            Answer answer = execute(queue(), sqe, Payload.in(blockBytes(namespace)));
            boolean unreachable = answer.isCompleted() && Status.sct(answer.status()) == Status.TYPE_PATH;
            if (!unreachable) {
                expectSuccess(answer, "Read of " + blockBytes(namespace) + " bytes of namespace " + nsid);
            }
        }
    }
}
