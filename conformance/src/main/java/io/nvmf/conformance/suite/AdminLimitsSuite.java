package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;

/** Sizes that Identify Controller promises: they hold to the byte. */
@SuiteName("ADMIN.LIMITS")
public final class AdminLimitsSuite extends AdminSuite {
    // ---- data in capsules

    @Check(
            says = "Write with as many blocks in the capsule as IOCCSZ allows: success, and they are read back",
            source = "NVMe-oF 1.1 s2.1.1",
            needs = Needs.DATA_LOSS)
    void inCapsule() throws IOException {
        int blocks = inCapsuleBlocks();
        RawQueue queue = associate().io();
        byte[] data = pattern("inCapsule", blocks);
        expectSuccess(write(queue, blocks, Payload.inCapsule(data)), "Write of " + data.length + " bytes in a capsule");
        expectRead(queue, data);
    }

    // ---- MDTS

    @Check(
            says = "Write and Read of MDTS bytes, or 4 MiB when there is no limit: success, and the same data",
            source = "NVMe Base 2.0 s5.17.2.1",
            needs = Needs.DATA_LOSS)
    void largestTransfer() throws IOException {
        nsid();
        long most = Math.min(facts().maxTransferBytes() / facts().blockBytes(), ReadWriteCommand.MAX_BLOCKS);
        int blocks = (int) Math.min(most, facts().blocks());
        RawQueue queue = associate().io();
        byte[] data = pattern("largestTransfer", blocks);
        expectSuccess(write(queue, blocks, out(data)), "Write of " + data.length + " bytes");
        expectRead(queue, data);
    }

    @Check(
            says = "Get Log Page of 4 bytes more than MDTS: 0/02h, and the connection stays",
            source = "NVMe Base 2.0 s5.17.2.1")
    void logBeyondLargestTransfer() throws IOException {
        skipUnless(facts().limitsTransfers(), "MDTS sets no limit");
        Association association = associate();
        int length = facts().maxTransferBytes() + 4;
        expectStatus(readLog(association, LogPageId.FIRMWARE_SLOT, length, 0), Status.INVALID_FIELD);
        controllerOf(association);
    }

    @Check(
            says =
                    "an I/O queue of CAP.MQES + 1 entries, or MAXCMD when that is less: connected, and commands are answered",
            source = "NVMe Base 2.0 s3.1.3.1")
    void deepestQueue() throws IOException {
        nsid();
        long commands = facts().controller().get(Field.MAXCMD);
        int entries = facts().maxQueueEntries();
        int depth = (int) (commands == 0 ? entries : Math.min(entries, commands));
        RawQueue queue = associate().io(depth);
        Sqe sqe = Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(nsid());
        for (int i = 0; i < 3; i++) {
            expectSuccess(execute(queue, sqe), "Flush");
        }
    }
}
