package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/** What I/O commands have in common: namespaces, flags and opcodes; and Flush and Verify, which move no data. */
@SuiteName("IO.CMD")
public final class IoCommandSuite extends IoSuite {
    private static final int PRINFO_SHIFT = 26;
    private static final int VWC_FLUSH_ALL_MASK = 3 << 1;
    // Reserved in the NVM command set; bits 1:0 say which way data goes.
    private static final int RESERVED_WITHOUT_DATA = 0x60;
    private static final int RESERVED_TO_CONTROLLER = 0x61;
    private static final int RESERVED_TO_HOST = 0x62;

    // ---- namespaces

    @Check(says = "Read of NSID 0: Invalid Namespace or Format", source = "NVMe Base 2.0 s3.2.1.2")
    void nsidZero() throws IOException {
        expectStatus(readOf(0), Status.INVALID_NAMESPACE_OR_FORMAT);
    }

    @Check(says = "Read of NSID FFFFFFFFh: Invalid Namespace or Format", source = "NVMe Base 2.0 s3.2.1.2")
    void nsidAll() throws IOException {
        expectStatus(readOf(Sqe.NSID_ALL), Status.INVALID_NAMESPACE_OR_FORMAT);
    }

    @Check(says = "Read of NSID NN + 1: Invalid Namespace or Format", source = "NVMe Base 2.0 s3.2.1.2")
    void nsidBeyondNn() throws IOException {
        long nn = facts().controller().get(IdentifyController.Field.NN);
        skipUnless(nn < Sqe.NSID_ALL - 1, "NN leaves no NSID out");
        expectStatus(readOf(nn + 1), Status.INVALID_NAMESPACE_OR_FORMAT);
    }

    @Check(
            says = "Read of an NSID that is not active: Invalid Namespace or Format, or Invalid Field",
            source = "NVMe Base 2.0 s3.2.1.3")
    void nsidInactive() throws IOException {
        expectStatus(readOf(inactiveNsid()), Status.INVALID_NAMESPACE_OR_FORMAT, Status.INVALID_FIELD);
    }

    private Answer readOf(long nsid) throws IOException {
        return execute(queue(), reading(0, 1).nsid(nsid), Payload.in(blockBytes()));
    }

    /** The lowest between 1 and NN. */
    private long inactiveNsid() throws IOException {
        ByteBuffer list = controller().identified(Cns.ACTIVE_NAMESPACE_LIST, 0);
        Set<Long> active = new HashSet<>();
        for (int at = 0; at < list.capacity() && list.getInt(at) != 0; at += 4) {
            active.add(list.getInt(at) & 0xFFFF_FFFFL);
        }
        long nsid = 1;
        while (active.contains(nsid)) {
            nsid++;
        }
        skipUnless(nsid <= facts().controller().get(IdentifyController.Field.NN), "every NSID from 1 to NN is active");
        return nsid;
    }

    // ---- flags

    @Check(says = "Write with FUA: it reads back", source = "NVM Command Set 1.0 s3.2.6 (FUA)", needs = Needs.DATA_LOSS)
    void writeFua() throws IOException {
        expectWritten(ReadWriteCommand.forceUnitAccess(writing(0, 1), true), "WriteFua");
    }

    @Check(
            says = "Write with LR: it reads back",
            source = "NVM Command Set 1.0 s3.2.6 (LR)",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void writeLimitedRetry() throws IOException {
        expectWritten(ReadWriteCommand.limitedRetry(writing(0, 1), true), "WriteLimitedRetry");
    }

    @Check(
            says = "Write with DSM hints for each access frequency and latency: it reads back",
            source = "NVM Command Set 1.0 s3.2.6 (DSM)",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void writeWithHints() throws IOException {
        for (int hints : new int[] {0x01, 0x05, 0x16, 0x38, 0x80}) {
            expectWritten(writing(0, 1).cdw(13, hints), "WriteWithHints " + hints);
        }
    }

    @Check(
            says =
                    "Write with bits set in CDW2 and CDW3, which only protection information uses: they are not looked at",
            source = "NVMe Base 2.0 s1.4.3.2",
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void writeWithReservedBits() throws IOException {
        expectWritten(writing(0, 1).cdw(2, 0xA5A5).cdw(3, 0x5A5A), "WriteWithReservedBits");
    }

    private void expectWritten(Sqe sqe, String writer) throws IOException {
        byte[] data = pattern(writer, 0, 1);
        expectSuccess(execute(queue(), sqe, out(data)), "Write");
        expectContent(queue(), 0, data, "what was written");
    }

    @Check(says = "Read with FUA and LR: the same data as without", source = "NVM Command Set 1.0 s3.2.4 (FUA, LR)")
    void readFua() throws IOException {
        Sqe sqe = ReadWriteCommand.limitedRetry(ReadWriteCommand.forceUnitAccess(reading(0, 1), true), true);
        Answer answer = expectSuccess(execute(queue(), sqe, Payload.in(blockBytes())), "Read");
        expectSame(read(queue(), 0, 1), answer.data(), 0, "the same data");
    }

    @Check(
            says =
                    "Read with each bit of PRINFO of a namespace without protection information: ignored, or Invalid Field",
            source = "NVM Command Set 1.0 s5.2",
            level = Level.SHOULD)
    void protectionOfNone() throws IOException {
        skipUnless(
                facts().namespace().get(IdentifyNamespace.Field.DPS) == 0, "the namespace has protection information");
        for (int bit = 0; bit < 4; bit++) {
            Sqe sqe = reading(0, 1);
            sqe.cdw(12, sqe.cdw(12) | 1L << PRINFO_SHIFT + bit);
            Answer answer = execute(queue(), sqe, Payload.in(blockBytes()));
            expectStatus(answer, Status.SUCCESS, Status.INVALID_FIELD);
        }
    }

    // ---- opcodes

    @Check(says = "Reserved opcode without data: Invalid Command Opcode", source = "NVMe Base 2.0 s3.3.3.2.1")
    void reservedOpcode() throws IOException {
        expectRefused(RESERVED_WITHOUT_DATA, Payload.NONE);
    }

    @Check(
            says = "Reserved opcode with data in the capsule: Invalid Command Opcode, and the queue goes on",
            source = "NVMe Base 2.0 s3.3.3.2.1")
    void reservedOpcodeWithCapsuleData() throws IOException {
        skipUnless(blockBytes() <= facts().inCapsuleBytes(), "a block does not fit the capsule");
        expectRefused(RESERVED_TO_CONTROLLER, Payload.inCapsule(new byte[blockBytes()]));
    }

    @Check(
            says =
                    "Reserved opcode with data that the target would have to fetch: Invalid Command Opcode, and the queue goes on",
            source = "NVMe Base 2.0 s3.3.3.2.1")
    void reservedOpcodeWithFetchedData() throws IOException {
        controller();
        expectRefused(RESERVED_TO_CONTROLLER, Payload.fetched(new byte[fetchedBlocks() * blockBytes()]));
    }

    @Check(
            says = "Reserved opcode that wants data: Invalid Command Opcode, and the queue goes on",
            source = "NVMe Base 2.0 s3.3.3.2.1")
    void reservedOpcodeThatReads() throws IOException {
        expectRefused(RESERVED_TO_HOST, Payload.in(blockBytes()));
    }

    private void expectRefused(int opcode, Payload payload) throws IOException {
        expectStatus(execute(queue(), on(opcode, 0, 1), payload), Status.INVALID_OPCODE);
        read(queue(), 0, 1);
    }

    // ---- Flush

    @Check(says = "Flush of the namespace: success", source = "NVMe Base 2.0 s7.1")
    void flush() throws IOException {
        expectSuccess(execute(queue(), flushOf(controllerNsid())), "Flush");
    }

    @Check(
            says = "Flush of NSID FFFFFFFFh: as VWC says, success or Invalid Namespace or Format",
            source = "NVMe Base 2.0 s7.1, s5.17.2.1 (VWC)")
    void flushAll() throws IOException {
        Answer answer = execute(queue(), flushOf(Sqe.NSID_ALL));
        switch ((int) facts().controller().get(IdentifyController.Field.VWC) & VWC_FLUSH_ALL_MASK) {
            case IdentifyController.VWC_FLUSH_ALL -> expectSuccess(answer, "Flush of all namespaces");
            case IdentifyController.VWC_FLUSH_ALL_NOT_SUPPORTED ->
                expectStatus(answer, Status.INVALID_NAMESPACE_OR_FORMAT);
            default -> expectStatus(answer, Status.SUCCESS, Status.INVALID_NAMESPACE_OR_FORMAT);
        }
    }

    @Check(
            says = "Flush of an NSID that is not active: Invalid Namespace or Format, or Invalid Field",
            source = "NVMe Base 2.0 s3.2.1.3")
    void flushInactive() throws IOException {
        expectStatus(
                execute(queue(), flushOf(inactiveNsid())), Status.INVALID_NAMESPACE_OR_FORMAT, Status.INVALID_FIELD);
    }

    private long controllerNsid() throws IOException {
        controller();
        return nsid();
    }

    private static Sqe flushOf(long nsid) {
        return Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(nsid);
    }

    // ---- Verify

    @Check(says = "Verify of one block: success", source = "NVM Command Set 1.0 s3.2.5", level = Level.SHOULD)
    void verify() throws IOException {
        needsCommand(IdentifyController.ONCS_VERIFY, "Verify");
        expectSuccess(execute(queue(), on(Opcode.Nvm.VERIFY, 0, 1)), "Verify");
    }

    @Check(
            says = "Verify of one block more than there are: LBA Out of Range",
            source = "NVM Command Set 1.0 s3.2.5",
            level = Level.SHOULD)
    void verifyBeyondEnd() throws IOException {
        needsCommand(IdentifyController.ONCS_VERIFY, "Verify");
        expectStatus(execute(queue(), on(Opcode.Nvm.VERIFY, blocks() - 1, 2)), Status.LBA_OUT_OF_RANGE);
        expectStatus(execute(queue(), on(Opcode.Nvm.VERIFY, -1, 1)), Status.LBA_OUT_OF_RANGE);
    }

    @Check(
            says = "Compare, Write Uncorrectable and Verify where ONCS does not offer them: Invalid Command Opcode",
            source = "NVMe Base 2.0 s5.17.2.1 (ONCS)",
            level = Level.SHOULD)
    void commandsNotOffered() throws IOException {
        int[][] optional = {
            {IdentifyController.ONCS_COMPARE, Opcode.Nvm.COMPARE},
            {IdentifyController.ONCS_WRITE_UNCORRECTABLE, Opcode.Nvm.WRITE_UNCORRECTABLE},
            {IdentifyController.ONCS_VERIFY, Opcode.Nvm.VERIFY}
        };
        boolean any = false;
        for (int[] command : optional) {
            if (!facts().supports(command[0])) {
                any = true;
                Payload payload = command[1] == Opcode.Nvm.COMPARE ? out(new byte[blockBytes()]) : Payload.NONE;
                expectStatus(execute(queue(), on(command[1], -1, 1), payload), Status.INVALID_OPCODE);
            }
        }
        skipUnless(any, "ONCS offers Compare, Write Uncorrectable and Verify");
    }
}
