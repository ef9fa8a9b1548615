package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import java.io.IOException;

/** Write Uncorrectable. Every check writes the blocks again in the end. */
@SuiteName("IO.WRITEUNCORRECTABLE")
public final class IoWriteUncorrectableSuite extends IoSuite {
    @Check(
            says = "Read of a block after Write Uncorrectable: Unrecovered Read Error; its neighbours can be read",
            source = "NVM Command Set 1.0 s3.2.7",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void cannotBeRead() throws IOException {
        byte[] data = pattern("CannotBeRead", 0, 3);
        write(queue(), 0, data);
        expectSuccess(spoil(1, 1), "Write Uncorrectable");
        try {
            expectStatus(tryRead(queue(), 1, 1), Status.UNRECOVERED_READ_ERROR);
            expectStatus(tryRead(queue(), 0, 3), Status.UNRECOVERED_READ_ERROR);
            expectSame(pattern("CannotBeRead", 0, 1), read(queue(), 0, 1), 0, "what was written");
            expectSame(pattern("CannotBeRead", 2, 1), read(queue(), 2, 1), 2, "what was written");
        } finally {
            heal(1, 1);
        }
    }

    @Check(
            says = "Write of a block after Write Uncorrectable: it can be read again",
            source = "NVM Command Set 1.0 s3.2.7",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void writeHeals() throws IOException {
        expectSuccess(spoil(0, 2), "Write Uncorrectable");
        try {
            byte[] data = pattern("WriteHeals", 0, 1);
            write(queue(), 0, data);
            expectContent(queue(), 0, data, "what was written");
            expectStatus(tryRead(queue(), 1, 1), Status.UNRECOVERED_READ_ERROR);
        } finally {
            heal(0, 2);
        }
    }

    @Check(
            says =
                    "Write Uncorrectable of one block more than there are: LBA Out of Range, and the last block readable",
            source = "NVM Command Set 1.0 s3.2.7",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void beyondEnd() throws IOException {
        try {
            expectStatus(spoil(blocks() - 1, 2), Status.LBA_OUT_OF_RANGE);
            read(queue(), blocks() - 1, 1);
        } finally {
            heal(blocks() - 1, 1);
        }
    }

    private Answer spoil(long block, int count) throws IOException {
        needsCommand(IdentifyController.ONCS_WRITE_UNCORRECTABLE, "Write Uncorrectable");
        return execute(queue(), on(Opcode.Nvm.WRITE_UNCORRECTABLE, block, count));
    }

    private void heal(long block, int count) throws IOException {
        tryWrite(queue(), block, pattern("healed", block, count));
    }
}
