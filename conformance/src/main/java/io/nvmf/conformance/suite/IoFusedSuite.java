package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import java.io.IOException;

/** The fused pair Compare and Write. */
@SuiteName("IO.FUSED")
public final class IoFusedSuite extends IoSuite {
    private static final int FUSE_RESERVED = 3;

    private record Pair(Answer compare, Answer write) {}

    // ---- pairs

    @Check(
            says =
                    "Compare and Write, all data in the capsules, of what the block holds: both succeed, and it is written",
            source = "NVM Command Set 1.0 s2.1.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void matchInCapsule() throws IOException {
        needsBlockInCapsule();
        byte[] before = stored("MatchInCapsule");
        byte[] after = pattern("MatchInCapsule", 0, 1);
        expectWritten(Payload.inCapsule(before), Payload.inCapsule(after));
    }

    @Check(
            says = "Compare and Write, all data fetched, of what the block holds: both succeed, and it is written",
            source = "NVM Command Set 1.0 s2.1.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void matchFetched() throws IOException {
        byte[] before = stored("MatchFetched");
        expectWritten(Payload.fetched(before), Payload.fetched(pattern("MatchFetched", 0, 1)));
    }

    @Check(
            says =
                    "Compare with fetched data and Write with data in the capsule, so that the second has its data first: both succeed",
            source = "NVM Command Set 1.0 s2.1.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void matchWriteFirst() throws IOException {
        needsBlockInCapsule();
        byte[] before = stored("MatchWriteFirst");
        expectWritten(Payload.fetched(before), Payload.inCapsule(pattern("MatchWriteFirst", 0, 1)));
    }

    @Check(
            says = "Compare with data in the capsule and Write with fetched data: both succeed, and it is written",
            source = "NVM Command Set 1.0 s2.1.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void matchCompareFirst() throws IOException {
        needsBlockInCapsule();
        byte[] before = stored("MatchCompareFirst");
        expectWritten(Payload.inCapsule(before), Payload.fetched(pattern("MatchCompareFirst", 0, 1)));
    }

    private void expectWritten(Payload compared, Payload written) throws IOException {
        Pair pair = execute(0, compared, written);
        expectSuccess(pair.compare(), "Compare");
        expectSuccess(pair.write(), "Write");
        expectContent(queue(), 0, written.out(), "what was written");
    }

    @Check(
            says =
                    "Compare and Write, all data in the capsules, of other data: Compare Failure, Failed Fused Command, nothing written",
            source = "NVM Command Set 1.0 s2.1.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void mismatchInCapsule() throws IOException {
        needsBlockInCapsule();
        byte[] before = stored("MismatchInCapsule");
        expectMismatch(before, Payload.inCapsule(other(before)), Payload.inCapsule(pattern("MismatchInCapsule", 0, 1)));
    }

    @Check(
            says =
                    "Compare and Write, all data fetched, of other data: Compare Failure, Failed Fused Command, nothing written",
            source = "NVM Command Set 1.0 s2.1.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void mismatchFetched() throws IOException {
        byte[] before = stored("MismatchFetched");
        expectMismatch(before, Payload.fetched(other(before)), Payload.fetched(pattern("MismatchFetched", 0, 1)));
    }

    private void expectMismatch(byte[] before, Payload compared, Payload written) throws IOException {
        Pair pair = execute(0, compared, written);
        expectStatus(pair.compare(), Status.COMPARE_FAILURE);
        expectStatus(pair.write(), Status.FAILED_FUSED_COMMAND);
        expectContent(queue(), 0, before, "what was there before");
    }

    @Check(
            says = "Compare and Write of one block more than there are: both fail, and the last block is unchanged",
            source = "NVM Command Set 1.0 s2.1.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void beyondEnd() throws IOException {
        needsFused();
        byte[] before = pattern("BeyondEnd", blocks() - 1, 1);
        write(queue(), blocks() - 1, before);
        expectBothFail(execute(blocks(), out(before), out(before)));
        expectContent(queue(), blocks() - 1, before, "what was there before");
    }

    @Check(
            says = "Compare and Write of more blocks than ACWU allows: both fail, and nothing is written",
            source = "NVM Command Set 1.0 s2.1.4.4 (ACWU)",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void beyondAcwu() throws IOException {
        needsFused();
        long own = facts().namespace().get(IdentifyNamespace.Field.NACWU);
        int count = (int) Math.max(own, facts().controller().get(IdentifyController.Field.ACWU)) + 2;
        skipUnless(count <= maxBlocks(), "ACWU allows as much as MDTS");
        byte[] before = pattern("BeyondAcwu, before", 0, count);
        write(queue(), 0, before);
        expectBothFail(execute(0, out(before), out(pattern("BeyondAcwu", 0, count))));
        expectContent(queue(), 0, before, "what was there before");
    }

    @Check(
            says = "Compare and Write of different blocks: both fail, and nothing is written",
            source = "NVM Command Set 1.0 s2.1.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void differentBlocks() throws IOException {
        byte[] before = stored("DifferentBlocks");
        byte[] beside = pattern("DifferentBlocks, beside", 1, 1);
        write(queue(), 1, beside);
        int first = queue().submit(comparing(0, 1), out(before));
        int second = queue().submit(fused(writing(1, 1), Sqe.FUSED_SECOND), out(pattern("DifferentBlocks", 1, 1)));
        expectBothFail(new Pair(queue().await(first, answerMs()), queue().await(second, answerMs())));
        expectContent(queue(), 1, beside, "what was there before");
    }

    @Check(
            says = "A fused pair whose first is a Write: both fail, and nothing is written",
            source = "NVM Command Set 1.0 s2.1.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void firstIsNoCompare() throws IOException {
        byte[] before = stored("FirstIsNoCompare");
        byte[] after = pattern("FirstIsNoCompare", 0, 1);
        int first = queue().submit(fused(writing(0, 1), Sqe.FUSED_FIRST), out(after));
        int second = queue().submit(fused(writing(0, 1), Sqe.FUSED_SECOND), out(after));
        expectBothFail(new Pair(queue().await(first, answerMs()), queue().await(second, answerMs())));
        expectContent(queue(), 0, before, "what was there before");
    }

    private void expectBothFail(Pair pair) {
        expect(pair.compare().isCompleted() && !pair.compare().isSuccess(), "the first to fail", pair.compare());
        expect(pair.write().isCompleted() && !pair.write().isSuccess(), "the second to fail", pair.write());
    }

    // ---- halves

    @Check(
            says = "The second of a pair without a first: Missing Fused Command, and nothing written",
            source = "NVMe Base 2.0 s3.4.2",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void secondAlone() throws IOException {
        byte[] before = stored("SecondAlone");
        Answer answer = execute(queue(), fused(writing(0, 1), Sqe.FUSED_SECOND), out(pattern("SecondAlone", 0, 1)));
        expectStatus(answer, Status.MISSING_FUSED_COMMAND);
        expectContent(queue(), 0, before, "what was there before");
    }

    @Check(
            says = "The first of a pair, then another command: Missing Fused Command, and the other is served",
            source = "NVMe Base 2.0 s3.4.2",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void firstAlone() throws IOException {
        byte[] before = stored("FirstAlone");
        int first = queue().submit(comparing(0, 1), out(before));
        expectContent(queue(), 0, before, "what was there before");
        expectStatus(queue().await(first, answerMs()), Status.MISSING_FUSED_COMMAND);
    }

    @Check(
            says = "Two firsts, then a second: Missing Fused Command, and a pair that succeeds",
            source = "NVMe Base 2.0 s3.4.2",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void twoFirsts() throws IOException {
        byte[] before = stored("TwoFirsts");
        int alone = queue().submit(comparing(0, 1), out(before));
        expectWritten(out(before), out(pattern("TwoFirsts", 0, 1)));
        expectStatus(queue().await(alone, answerMs()), Status.MISSING_FUSED_COMMAND);
    }

    // ---- FUSE

    @Check(
            says = "Compare and Write where FUSES does not offer it: Invalid Field",
            source = "NVMe Base 2.0 s5.17.2.1 (FUSES)")
    void notOffered() throws IOException {
        skipUnless(!offersFused(), "FUSES offers Compare and Write");
        for (int fuse : new int[] {Sqe.FUSED_FIRST, Sqe.FUSED_SECOND}) {
            expectStatus(execute(queue(), fused(reading(0, 1), fuse), Payload.in(blockBytes())), Status.INVALID_FIELD);
        }
    }

    @Check(says = "Read with FUSE 3, which is reserved: Invalid Field", source = "NVMe Base 2.0 s3.3.3.1")
    void reservedFuse() throws IOException {
        Answer answer = execute(queue(), fused(reading(0, 1), FUSE_RESERVED), Payload.in(blockBytes()));
        expectStatus(answer, Status.INVALID_FIELD);
        read(queue(), 0, 1);
    }

    private Pair execute(long block, Payload compared, Payload written) throws IOException {
        int count = written.out().length / blockBytes();
        int first = queue().submit(comparing(block, count), compared);
        int second = queue().submit(fused(writing(block, count), Sqe.FUSED_SECOND), written);
        return new Pair(queue().await(first, answerMs()), queue().await(second, answerMs()));
    }

    private Sqe comparing(long block, int count) {
        return fused(on(Opcode.Nvm.COMPARE, block, count), Sqe.FUSED_FIRST);
    }

    private static Sqe fused(Sqe sqe, int fuse) {
        return sqe.fuse(fuse);
    }

    /** What block 0 holds from now on. */
    private byte[] stored(String writer) throws IOException {
        needsFused();
        byte[] data = pattern(writer + ", before", 0, 1);
        write(queue(), 0, data);
        return data;
    }

    private static byte[] other(byte[] data) {
        byte[] other = data.clone();
        other[data.length - 1] ^= 1;
        return other;
    }

    private void needsFused() {
        skipUnless(offersFused(), "FUSES does not offer Compare and Write");
    }

    private boolean offersFused() {
        return facts().controller().has(IdentifyController.Field.FUSES, IdentifyController.FUSES_COMPARE_AND_WRITE);
    }

    private void needsBlockInCapsule() {
        skipUnless(blockBytes() <= facts().inCapsuleBytes(), "a block does not fit the capsule");
    }
}
