package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.NvmCommandSetController;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.nvm.WriteZeroesCommand;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Write Zeroes. */
@SuiteName("IO.WRITEZEROES")
public final class IoWriteZeroesSuite extends IoSuite {
    @Check(
            says = "Write Zeroes of some blocks: they read zero, and their neighbours are unchanged",
            source = "NVM Command Set 1.0 s3.2.8",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void range() throws IOException {
        expectZeroed(zeroing(1, 6), "Range");
    }

    @Check(
            says = "Write Zeroes with DEAC: the blocks read zero, and their neighbours are unchanged",
            source = "NVM Command Set 1.0 s3.2.8 (DEAC)",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void deallocating() throws IOException {
        expectZeroed(WriteZeroesCommand.deallocate(zeroing(1, 6), true), "Deallocating");
    }

    @Check(
            says = "Write Zeroes with FUA: the blocks read zero, and their neighbours are unchanged",
            source = "NVM Command Set 1.0 s3.2.8 (FUA)",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void forceUnitAccess() throws IOException {
        expectZeroed(ReadWriteCommand.forceUnitAccess(zeroing(1, 6), true), "ForceUnitAccess");
    }

    /** Blocks 1 to 6 of 0 to 7. */
    private void expectZeroed(Sqe sqe, String writer) throws IOException {
        byte[] expected = pattern(writer, 0, 8);
        write(queue(), 0, expected);
        expectSuccess(execute(queue(), sqe), "Write Zeroes");
        Arrays.fill(expected, blockBytes(), 7 * blockBytes(), (byte) 0);
        expectContent(queue(), 0, expected, "zeros between blocks that are unchanged");
    }

    @Check(
            says = "Write Zeroes of 65536 blocks, beyond MDTS: success, and they read zero; no more than WZSL",
            source = "NVM Command Set 1.0 s3.2.8, s4.1.5.4 (WZSL)",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void beyondMdts() throws IOException {
        int count = (int) Math.min(ReadWriteCommand.MAX_BLOCKS, blocks() / 2);
        skipUnless(count > maxBlocks(), "NLB cannot say more than MDTS allows");
        byte[] last = pattern("BeyondMdts", count - 1, 1);
        write(queue(), count - 1, last);
        write(queue(), 0, pattern("BeyondMdts", 0, 1));
        Answer answer = execute(queue(), zeroing(0, count));
        if (isSizeLimited()) {
            expectStatus(answer, Status.SUCCESS, Status.INVALID_FIELD);
        } else {
            expectSuccess(answer, "Write Zeroes");
        }
        if (answer.isSuccess()) {
            expectContent(queue(), 0, new byte[blockBytes()], "zeros");
            expectContent(queue(), count / 2, new byte[blockBytes()], "zeros");
            expectContent(queue(), count - 1, new byte[blockBytes()], "zeros");
        }
    }

    private boolean isSizeLimited() throws IOException {
        Answer answer = controller().identify(Cns.COMMAND_SET_CONTROLLER, 0);
        return answer.isSuccess()
                && NvmCommandSetController.decode(ByteBuffer.wrap(answer.data()).order(ByteOrder.LITTLE_ENDIAN), 0)
                                .get(NvmCommandSetController.Field.WZSL)
                        != 0;
    }

    @Check(
            says = "Write Zeroes of one block more than there are: LBA Out of Range, and the last block unchanged",
            source = "NVM Command Set 1.0 s3.2.8",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void beyondEnd() throws IOException {
        byte[] before = pattern("BeyondEnd", blocks() - 1, 1);
        write(queue(), blocks() - 1, before);
        expectOutOfRange(execute(queue(), zeroing(blocks() - 1, 2)));
        expectContent(queue(), blocks() - 1, before, "what was there before");
    }

    private Sqe zeroing(long block, int count) {
        needsCommand(IdentifyController.ONCS_WRITE_ZEROES, "Write Zeroes");
        return on(Opcode.Nvm.WRITE_ZEROES, block, count);
    }
}
