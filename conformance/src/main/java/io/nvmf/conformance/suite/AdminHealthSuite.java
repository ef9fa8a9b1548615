package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.log.ErrorLogEntry;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.log.SmartLog;
import io.nvmf.codec.log.SmartLog.Field;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;

/** The error log and the SMART log: what has happened so far. */
@SuiteName("ADMIN.HEALTH")
public final class AdminHealthSuite extends AdminSuite {
    private static final int RESERVED_CNS = 0x0F;
    private static final int COLDEST_KELVIN = 200;
    private static final int HOTTEST_KELVIN = 400;
    /** More than a unit of the SMART log's counters of data. */
    private static final int SOME_UNITS_BYTES = 2_000_000;

    // ---- errors

    @Check(
            says = "the error log as long as ELPE says: success",
            source = "NVMe Base 2.0 s5.16.1.2",
            level = Level.SHOULD)
    void errorLogWhole() throws IOException {
        long entries = facts().controller().get(IdentifyController.Field.ELPE) + 1;
        log(associate(), LogPageId.ERROR_INFORMATION, (int) entries * ErrorLogEntry.BYTES);
    }

    @Check(
            says = "after a command with an error: its entry in the error log, with its SQID, CID and status",
            source = "NVMe Base 2.0 s5.16.1.2",
            level = Level.SHOULD)
    void errorEntry() throws IOException {
        Association association = associate();
        Answer answer = provoke(association);
        ErrorLogEntry entry = newestError(association);
        if (entry.get(ErrorLogEntry.Field.COUNT) == 0) {
            expect(!Status.more(answer.rawStatus()), "an entry, as More was set in the answer", "an empty log");
            deviates("a command with an error leaves no entry", SPDK);
            return;
        }
        expectEquals(0, entry.get(ErrorLogEntry.Field.SQID), "SQID of the newest entry");
        expectEquals(answer.completion().commandId(), entry.get(ErrorLogEntry.Field.CID), "CID of the newest entry");
        expectEquals(hex(answer.status()), hex(Status.withoutFlags(entry.status())), "status in the newest entry");
    }

    @Check(
            says = "after two commands with errors: the count in the newest entry rises by 2",
            source = "NVMe Base 2.0 s5.16.1.2",
            level = Level.SHOULD)
    void errorCount() throws IOException {
        Association association = associate();
        provoke(association);
        long before = newestError(association).get(ErrorLogEntry.Field.COUNT);
        provoke(association);
        provoke(association);
        ByteBuffer log = log(association, LogPageId.ERROR_INFORMATION, ErrorLogEntry.BYTES);
        long after = ErrorLogEntry.decode(log, 0).get(ErrorLogEntry.Field.COUNT);
        if (after == 0) {
            deviates("a command with an error leaves no entry", SPDK);
        } else {
            expect(after >= before + 2, "a count of at least " + (before + 2), after);
        }
    }

    private Answer provoke(Association association) throws IOException {
        Answer answer = association.identify(RESERVED_CNS, 0);
        expectRefused(answer, "Identify of a reserved CNS");
        return answer;
    }

    private ErrorLogEntry newestError(Association association) throws IOException {
        return ErrorLogEntry.decode(log(association, LogPageId.ERROR_INFORMATION, ErrorLogEntry.BYTES), 0);
    }

    @Check(
            says = "after three commands with errors: their entries in the error log, the newest first",
            source = "NVMe Base 2.0 s5.16.1.2",
            level = Level.SHOULD)
    void errorLogOrder() throws IOException {
        Association association = associate();
        provoke(association);
        provoke(association);
        provoke(association);
        ByteBuffer log = log(association, LogPageId.ERROR_INFORMATION, 3 * ErrorLogEntry.BYTES);
        long newer = ErrorLogEntry.decode(log, 0).get(ErrorLogEntry.Field.COUNT);
        skipUnless(newer != 0, "the target keeps no errors");
        for (int i = 1; i < 3; i++) {
            long older = ErrorLogEntry.decode(log, i * ErrorLogEntry.BYTES).get(ErrorLogEntry.Field.COUNT);
            expect(older < newer, "a count below " + newer + " in entry " + i, older);
            newer = older;
        }
    }

    // ---- SMART

    private SmartLog smart(Association association) throws IOException {
        return SmartLog.decode(log(association, LogPageId.SMART_HEALTH, SmartLog.BYTES), 0);
    }

    @Check(says = "SMART log: a temperature that can be", source = "NVMe Base 2.0 s5.16.1.3")
    void temperature() throws IOException {
        long kelvin = smart(associate()).get(Field.COMPOSITE_TEMPERATURE);
        if (kelvin == 0) {
            deviates("a temperature of 0 K", BOTH);
        } else {
            expect(
                    kelvin >= COLDEST_KELVIN && kelvin <= HOTTEST_KELVIN,
                    COLDEST_KELVIN + " to " + HOTTEST_KELVIN + " K",
                    kelvin + " K");
        }
    }

    @Check(
            says = "SMART log: spare and its threshold up to 100 %, and a warning when it is below",
            source = "NVMe Base 2.0 s5.16.1.3")
    void spare() throws IOException {
        SmartLog log = smart(associate());
        long spare = log.get(Field.AVAILABLE_SPARE);
        long threshold = log.get(Field.AVAILABLE_SPARE_THRESHOLD);
        expect(spare <= 100, "a spare of up to 100 %", spare);
        expect(threshold <= 100, "a threshold of up to 100 %", threshold);
        boolean warns = (log.get(Field.CRITICAL_WARNING) & 1) != 0;
        expect(warns || spare >= threshold, "a warning, as spare " + spare + " is below " + threshold, "none");
    }

    @Check(
            says = "SMART log of NSID 0: success, as with FFFFFFFFh",
            source = "NVMe Base 2.0 s5.16.1.3",
            level = Level.SHOULD)
    void ofController() throws IOException {
        Association association = associate();
        smart(association);
        expectSuccess(readLog(association, LogPageId.SMART_HEALTH, 0, SmartLog.BYTES, 0), "Get Log Page with NSID 0");
    }

    @Check(
            says = "SMART log of one namespace: given when LPA bit 0 is set, an error when it is clear",
            source = "NVMe Base 2.0 s5.16.1.3",
            level = Level.SHOULD)
    void ofNamespace() throws IOException {
        Answer answer = readLog(associate(), LogPageId.SMART_HEALTH, nsid(), SmartLog.BYTES, 0);
        if (facts().controller().has(IdentifyController.Field.LPA, IdentifyController.LPA_SMART_PER_NAMESPACE)) {
            expectSuccess(answer, "Get Log Page with NSID " + nsid());
        } else if (answer.isSuccess()) {
            deviates("NSID is not looked at", SPDK);
        } else {
            expectStatus(answer, Status.INVALID_FIELD, Status.INVALID_NAMESPACE_OR_FORMAT);
        }
    }

    @Check(
            says = "after Reads of 2 MB: the SMART log counts the commands and the data",
            source = "NVMe Base 2.0 s5.16.1.3")
    void readsCount() throws IOException {
        expectCounts(Opcode.Nvm.READ, Field.HOST_READ_COMMANDS, Field.DATA_UNITS_READ);
    }

    @Check(
            says = "after Writes of 2 MB: the SMART log counts the commands and the data",
            source = "NVMe Base 2.0 s5.16.1.3",
            needs = Needs.DATA_LOSS)
    void writesCount() throws IOException {
        expectCounts(Opcode.Nvm.WRITE, Field.HOST_WRITE_COMMANDS, Field.DATA_UNITS_WRITTEN);
    }

    private void expectCounts(int opcode, Field commands, Field units) throws IOException {
        Association association = associate();
        int blocks = (int) Math.min(Math.min(facts().maxTransferBytes(), 128 << 10) / blockBytes(), facts().blocks());
        int times = SOME_UNITS_BYTES / (blocks * blockBytes()) + 1;
        SmartLog before = smart(association);
        RawQueue queue = association.io();
        byte[] data = new byte[blocks * blockBytes()];
        Payload payload = opcode == Opcode.Nvm.READ ? Payload.in(data.length) : out(data);
        for (int i = 0; i < times; i++) {
            Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), opcode, nsid(), 0, blocks);
            expectSuccess(execute(queue, sqe, payload), "the I/O");
        }
        SmartLog after = smart(association);
        BigInteger counted = after.getBig(commands).subtract(before.getBig(commands));
        if (counted.signum() == 0) {
            deviates(commands + " stands still", SPDK);
            return;
        }
        expect(counted.longValue() >= times, commands + " to rise by at least " + times, counted);
        BigInteger moved = after.getBig(units).subtract(before.getBig(units));
        long least = (long) times * blocks * blockBytes() / 512_000;
        expect(moved.longValue() >= least, units + " to rise by at least " + least, moved);
    }

    private int blockBytes() {
        nsid();
        return facts().blockBytes();
    }

    @Check(
            says = "SMART log: as many error log entries as the newest entry of the error log counts",
            source = "NVMe Base 2.0 s5.16.1.3",
            level = Level.SHOULD)
    void errorLogEntries() throws IOException {
        Association association = associate();
        provoke(association);
        long before = smart(association).get(Field.ERROR_LOG_ENTRIES);
        provoke(association);
        long after = smart(association).get(Field.ERROR_LOG_ENTRIES);
        if (newestError(association).get(ErrorLogEntry.Field.COUNT) == 0) {
            skip("the target keeps no errors");
        }
        expect(after > before, "more than " + before + " after another error", after);
    }
}
