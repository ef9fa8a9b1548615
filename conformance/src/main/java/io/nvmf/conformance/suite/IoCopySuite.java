package io.nvmf.conformance.suite;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace.Field;
import io.nvmf.codec.nvm.CopyCommand;
import io.nvmf.codec.nvm.CopyRange;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Copy. */
@SuiteName("IO.COPY")
public final class IoCopySuite extends IoSuite {
    private record Range(long block, int count) {}

    @Check(
            says = "Copy of one range: the target blocks read as the source, and the source is unchanged",
            source = "NVM Command Set 1.0 s3.2.2",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void oneRange() throws IOException {
        int count = (int) Math.min(8, mostPerRange());
        byte[] source = pattern("OneRange", 0, count);
        write(queue(), 0, source);
        expectSuccess(copy(100, new Range(0, count)), "Copy");
        expectContent(queue(), 100, source, "the source's data");
        expectContent(queue(), 0, source, "the source unchanged");
    }

    @Check(
            says = "Copy of as many ranges as MSRC allows: the target blocks read as the ranges, one after the other",
            source = "NVM Command Set 1.0 s3.2.2",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void severalRanges() throws IOException {
        int count = (int) Math.min(Math.min(4, mostRanges()), mostInAll());
        byte[] source = pattern("SeveralRanges", 0, 2 * count);
        write(queue(), 0, source);
        Range[] ranges = new Range[count];
        byte[] expected = new byte[count * blockBytes()];
        for (int i = 0; i < count; i++) {
            // Backwards, and every second block.
            int block = 2 * (count - 1 - i);
            ranges[i] = new Range(block, 1);
            System.arraycopy(source, block * blockBytes(), expected, i * blockBytes(), blockBytes());
        }
        expectSuccess(copy(100, ranges), "Copy");
        expectContent(queue(), 100, expected, "the ranges in their order");
    }

    @Check(
            says = "Copy onto blocks that overlap the source: refused and nothing changes, or the source's data",
            source = "NVM Command Set 1.0 s3.2.2",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void overlap() throws IOException {
        int count = (int) Math.min(4, mostPerRange());
        skipUnless(count > 1, "MSSRL allows one block a range");
        byte[] before = pattern("Overlap", 0, count + 1);
        write(queue(), 0, before);
        Answer answer = copy(1, new Range(0, count));
        expectStatus(answer, Status.SUCCESS, Status.OVERLAPPING_IO_RANGE, Status.INVALID_FIELD);
        if (answer.isSuccess()) {
            byte[] copied = Arrays.copyOf(before, count * blockBytes());
            System.arraycopy(copied, 0, before, blockBytes(), copied.length);
        }
        expectContent(queue(), 0, before, answer.isSuccess() ? "the source's data" : "what was there before");
    }

    @Check(
            says = "Copy of one range more than MSRC allows: Command Size Limit Exceeded, and nothing changes",
            source = "NVM Command Set 1.0 s3.2.2, s4.1.5.1 (MSRC)",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void beyondMsrc() throws IOException {
        skipUnless(mostRanges() < CopyCommand.MAX_RANGES, "MSRC allows as many ranges as a command can have");
        Range[] ranges = new Range[mostRanges() + 1];
        Arrays.fill(ranges, new Range(0, 1));
        expectTooMuch(ranges);
    }

    @Check(
            says =
                    "Copy of a range one block longer than MSSRL allows: Command Size Limit Exceeded, and nothing changes",
            source = "NVM Command Set 1.0 s3.2.2, s4.1.5.1 (MSSRL)",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void beyondMssrl() throws IOException {
        skipUnless(mostPerRange() < CopyRange.MAX_BLOCKS, "MSSRL allows as much as a range can have");
        expectTooMuch(new Range(0, (int) mostPerRange() + 1));
    }

    @Check(
            says =
                    "Copy of ranges that together are longer than MCL allows: Command Size Limit Exceeded, and nothing changes",
            source = "NVM Command Set 1.0 s3.2.2, s4.1.5.1 (MCL)",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void beyondMcl() throws IOException {
        long full = mostInAll() / mostPerRange() + 1;
        skipUnless(full <= mostRanges(), "MSRC and MSSRL do not allow more than MCL");
        Range[] ranges = new Range[(int) full];
        Arrays.fill(ranges, new Range(0, (int) mostPerRange()));
        expectTooMuch(ranges);
    }

    private void expectTooMuch(Range... ranges) throws IOException {
        needsBlocks(2 * mostPerRange() + 1);
        long target = blocks() / 2 - 1;
        byte[] before = pattern("beyond a limit", target, 1);
        write(queue(), target, before);
        expectStatus(copy(target, ranges), Status.COMMAND_SIZE_LIMIT_EXCEEDED);
        expectContent(queue(), target, before, "what was there before");
    }

    @Check(
            says = "Copy from one block more than there are: LBA Out of Range, and nothing changes",
            source = "NVM Command Set 1.0 s3.2.2",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void sourceBeyondEnd() throws IOException {
        skipUnless(mostPerRange() > 1, "MSSRL allows one block a range");
        byte[] before = pattern("SourceBeyondEnd", 0, 2);
        write(queue(), 0, before);
        expectOutOfRange(copy(0, new Range(blocks() - 1, 2)));
        expectContent(queue(), 0, before, "what was there before");
    }

    @Check(
            says = "Copy to one block more than there are: LBA Out of Range, and the last block unchanged",
            source = "NVM Command Set 1.0 s3.2.2",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void targetBeyondEnd() throws IOException {
        skipUnless(mostPerRange() > 1, "MSSRL allows one block a range");
        byte[] before = pattern("TargetBeyondEnd", blocks() - 1, 1);
        write(queue(), blocks() - 1, before);
        expectOutOfRange(copy(blocks() - 1, new Range(0, 2)));
        expectContent(queue(), blocks() - 1, before, "what was there before");
    }

    private Answer copy(long target, Range... ranges) throws IOException {
        needsCopy();
        Sqe sqe = CopyCommand.encode(Sqe.allocate(), nsid(), target, ranges.length);
        ByteBuffer data = Bytes.allocate(ranges.length * CopyRange.BYTES);
        for (int i = 0; i < ranges.length; i++) {
            new CopyRange().wrap(data, i * CopyRange.BYTES).set(ranges[i].block(), ranges[i].count());
        }
        return execute(queue(), sqe, out(data.array()));
    }

    private void needsCopy() {
        skipUnless(facts().nsid() != 0, "there is no namespace");
        needsCommand(IdentifyController.ONCS_COPY, "Copy");
        skipUnless(facts().controller().has(IdentifyController.Field.OCFS, 1), "OCFS does not offer format 0");
    }

    /** MSRC as a count. */
    private int mostRanges() {
        needsCopy();
        return (int) facts().namespace().get(Field.MSRC) + 1;
    }

    /** MSSRL. */
    private long mostPerRange() {
        needsCopy();
        return Math.max(1, facts().namespace().get(Field.MSSRL));
    }

    /** MCL. */
    private long mostInAll() {
        needsCopy();
        return Math.max(1, facts().namespace().get(Field.MCL));
    }
}
