package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import java.io.IOException;

/** Compare. */
@SuiteName("IO.COMPARE")
public final class IoCompareSuite extends IoSuite {
    @Check(
            says = "Compare with what the blocks hold: success",
            source = "NVM Command Set 1.0 s3.2.1",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void equal() throws IOException {
        byte[] data = pattern("Equal", 0, 4);
        write(queue(), 0, data);
        expectSuccess(compare(0, out(data)), "Compare");
    }

    @Check(
            says = "Compare of as much as MDTS allows, with what the blocks hold: success",
            source = "NVM Command Set 1.0 s3.2.1",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void equalAsMuchAsMdts() throws IOException {
        needsBlocks(maxBlocks());
        byte[] data = pattern("EqualAsMuchAsMdts", 0, maxBlocks());
        write(queue(), 0, data);
        expectSuccess(compare(0, Payload.fetched(data)), "Compare");
    }

    @Check(
            says = "Compare with data whose first byte differs: Compare Failure, and the blocks unchanged",
            source = "NVM Command Set 1.0 s3.2.1",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void firstByteDiffers() throws IOException {
        expectDifferent(0);
    }

    @Check(
            says = "Compare with data whose last byte differs: Compare Failure, and the blocks unchanged",
            source = "NVM Command Set 1.0 s3.2.1",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void lastByteDiffers() throws IOException {
        expectDifferent(4 * blockBytes() - 1);
    }

    private void expectDifferent(int at) throws IOException {
        byte[] stored = pattern("Differs at " + at, 0, 4);
        write(queue(), 0, stored);
        byte[] other = stored.clone();
        other[at] ^= 1;
        expectStatus(compare(0, out(other)), Status.COMPARE_FAILURE);
        expectContent(queue(), 0, stored, "what was there before");
    }

    @Check(
            says = "Compare of one block more than there are: LBA Out of Range",
            source = "NVM Command Set 1.0 s3.2.1",
            level = Level.SHOULD)
    void beyondEnd() throws IOException {
        expectStatus(compare(blocks() - 1, out(new byte[2 * blockBytes()])), Status.LBA_OUT_OF_RANGE);
    }

    private Answer compare(long block, Payload data) throws IOException {
        needsCommand(IdentifyController.ONCS_COMPARE, "Compare");
        return execute(queue(), on(Opcode.Nvm.COMPARE, block, data.out().length / blockBytes()), data);
    }
}
