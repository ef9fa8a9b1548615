package io.nvmf.conformance.suite;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.NvmCommandSetController;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.DatasetRange;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Dataset Management. */
@SuiteName("IO.DSM")
public final class IoDatasetSuite extends IoSuite {
    /** Linux describes so much data whatever the number of ranges is. */
    private static final int LINUX_DATA_BYTES = 4096;

    private record Range(long block, long count) {}

    @Check(
            says = "Deallocate some blocks: each reads as before or as DLFEAT says, and their neighbours are unchanged",
            source = "NVM Command Set 1.0 s3.2.3, s4.1.5.1 (DLFEAT)",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void deallocate() throws IOException {
        byte[] before = pattern("Deallocate", 0, 8);
        write(queue(), 0, before);
        expectSuccess(manage(DatasetManagementCommand.DEALLOCATE, new Range(1, 6)), "Dataset Management");
        expectDeallocated(before, 1, 7);
    }

    @Check(
            says = "Deallocate two ranges with one command: what lies between them is unchanged",
            source = "NVM Command Set 1.0 s3.2.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void twoRanges() throws IOException {
        byte[] before = pattern("TwoRanges", 0, 8);
        write(queue(), 0, before);
        expectSuccess(
                manage(DatasetManagementCommand.DEALLOCATE, new Range(0, 3), new Range(5, 3)), "Dataset Management");
        byte[] found = read(queue(), 0, 8);
        expectSame(
                pattern("TwoRanges", 3, 2),
                Arrays.copyOfRange(found, 3 * blockBytes(), 5 * blockBytes()),
                3,
                "what lies between");
    }

    @Check(
            says = "Write after Deallocate: it reads back",
            source = "NVM Command Set 1.0 s3.2.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void writeAfterwards() throws IOException {
        expectSuccess(manage(DatasetManagementCommand.DEALLOCATE, new Range(0, 16)), "Dataset Management");
        byte[] data = pattern("WriteAfterwards", 0, 8);
        write(queue(), 0, data);
        expectContent(queue(), 0, data, "what was written");
    }

    @Check(
            says = "Deallocate 256 ranges of a block each: success, or Command Size Limit Exceeded where DMRL is less",
            source = "NVM Command Set 1.0 s3.2.3, s4.1.5.4 (DMRL)",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void mostRanges() throws IOException {
        needsBlocks(2L * DatasetManagementCommand.MAX_RANGES);
        Range[] ranges = new Range[DatasetManagementCommand.MAX_RANGES];
        for (int i = 0; i < ranges.length; i++) {
            ranges[i] = new Range(2L * i, 1);
        }
        byte[] kept = pattern("MostRanges", 511, 1);
        write(queue(), 511, kept);
        Answer answer = manage(DatasetManagementCommand.DEALLOCATE, ranges);
        long most = mostRangesTold();
        if (most == 0 || most >= ranges.length) {
            expectSuccess(answer, "Dataset Management");
        } else {
            expectStatus(answer, Status.SUCCESS, Status.COMMAND_SIZE_LIMIT_EXCEEDED);
            Range[] allowed = Arrays.copyOf(ranges, (int) most);
            expectSuccess(
                    manage(DatasetManagementCommand.DEALLOCATE, allowed), "Dataset Management of " + most + " ranges");
        }
        expectContent(queue(), 511, kept, "a block that is in no range unchanged");
    }

    /** DMRL; 0 when it is not told. */
    private long mostRangesTold() throws IOException {
        Answer answer = controller().identify(Cns.COMMAND_SET_CONTROLLER, 0);
        return answer.isSuccess()
                ? NvmCommandSetController.decode(ByteBuffer.wrap(answer.data()).order(ByteOrder.LITTLE_ENDIAN), 0)
                        .get(NvmCommandSetController.Field.DMRL)
                : 0;
    }

    @Check(
            says = "Deallocate a range of length 0 before another: success, and the first changes nothing",
            source = "NVM Command Set 1.0 s3.2.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void emptyRange() throws IOException {
        byte[] before = pattern("EmptyRange", 0, 8);
        write(queue(), 0, before);
        expectSuccess(
                manage(DatasetManagementCommand.DEALLOCATE, new Range(0, 0), new Range(4, 4)), "Dataset Management");
        expectDeallocated(before, 4, 8);
    }

    @Check(
            says = "Advice of intended reads and writes without AD: success, and nothing changes",
            source = "NVM Command Set 1.0 s3.2.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void adviceOnly() throws IOException {
        byte[] before = pattern("AdviceOnly", 0, 8);
        write(queue(), 0, before);
        for (int advice :
                new int[] {0, DatasetManagementCommand.INTEGRAL_READ, DatasetManagementCommand.INTEGRAL_WRITE}) {
            expectSuccess(manage(advice, new Range(0, 8)), "Dataset Management without AD");
        }
        expectContent(queue(), 0, before, "what was there before");
    }

    @Check(
            says = "Deallocate one block more than there are: LBA Out of Range",
            source = "NVM Command Set 1.0 s3.2.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void beyondEnd() throws IOException {
        expectOutOfRange(manage(DatasetManagementCommand.DEALLOCATE, new Range(blocks() - 1, 2)));
    }

    @Check(
            says = "Deallocate a range whose end wraps round 64 bits: LBA Out of Range",
            source = "NVM Command Set 1.0 s3.2.3",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void rangeThatWraps() throws IOException {
        expectOutOfRange(manage(DatasetManagementCommand.DEALLOCATE, new Range(-1, 2)));
    }

    @Check(
            says =
                    "Deallocate two ranges with an SGL that has room for one: Data SGL Length Invalid, and nothing changes",
            source = "NVMe Base 2.0 s4.1.2",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void shortSgl() throws IOException {
        byte[] before = pattern("ShortSgl", 0, 8);
        write(queue(), 0, before);
        Payload one = out(ranges(new Range(0, 8)));
        expectStatus(
                execute(queue(), command(DatasetManagementCommand.DEALLOCATE, 2), one), Status.SGL_DATA_LENGTH_INVALID);
        expectContent(queue(), 0, before, "what was there before");
    }

    @Check(
            says = "Deallocate one range with 4096 bytes of data, as the Linux host does: success",
            source = "the Linux host discards so",
            needs = Needs.DATA_LOSS)
    void longSgl() throws IOException {
        byte[] data = Arrays.copyOf(ranges(new Range(0, 8)), LINUX_DATA_BYTES);
        expectSuccess(
                execute(queue(), command(DatasetManagementCommand.DEALLOCATE, 1), out(data)), "Dataset Management");
    }

    /** Fails unless blocks, of those from 0 on, are as before, or zero or anything where DLFEAT allows it. */
    private void expectDeallocated(byte[] before, int from, int to) throws IOException {
        byte[] found = read(queue(), 0, before.length / blockBytes());
        byte[] expected = before.clone();
        for (int i = from; i < to; i++) {
            byte[] block = Arrays.copyOfRange(found, i * blockBytes(), (i + 1) * blockBytes());
            boolean zero = Arrays.equals(block, new byte[blockBytes()]);
            if (zero || !isZeroWhenDeallocated()) {
                System.arraycopy(block, 0, expected, i * blockBytes(), blockBytes());
            }
        }
        expectSame(expected, found, 0, "what was there before, or zero when it was deallocated,");
    }

    private Answer manage(int attributes, Range... ranges) throws IOException {
        return execute(queue(), command(attributes, ranges.length), out(ranges(ranges)));
    }

    private Sqe command(int attributes, int count) {
        needsCommand(IdentifyController.ONCS_DATASET_MANAGEMENT, "Dataset Management");
        return DatasetManagementCommand.encode(Sqe.allocate(), nsid(), count, attributes);
    }

    private static byte[] ranges(Range... ranges) {
        ByteBuffer data = Bytes.allocate(ranges.length * DatasetRange.BYTES);
        for (int i = 0; i < ranges.length; i++) {
            new DatasetRange().wrap(data, i * DatasetRange.BYTES).set(ranges[i].block(), ranges[i].count());
        }
        return data.array();
    }
}
