package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.log.CommandsSupportedAndEffects;
import io.nvmf.codec.log.FeaturesSupportedAndEffects;
import io.nvmf.codec.log.FirmwareSlotLog;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.log.SupportedLogPages;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;

/** Get Log Page: which logs there are, and how they are read. */
@SuiteName("ADMIN.LOG")
public final class AdminLogSuite extends AdminSuite {
    private static final int LIDS = 256;
    private static final int RESERVED_LID = 0x6F;
    private static final int PAST_256_KIB = (256 << 10) + 4;
    private static final int CHANGED_LIST_BYTES = 4096;

    /** The bit of ONCS that goes with an I/O command. */
    private static final Map<Integer, Integer> ONCS_OF = Map.of(
            Opcode.Nvm.COMPARE, IdentifyController.ONCS_COMPARE,
            Opcode.Nvm.WRITE_UNCORRECTABLE, IdentifyController.ONCS_WRITE_UNCORRECTABLE,
            Opcode.Nvm.DATASET_MANAGEMENT, IdentifyController.ONCS_DATASET_MANAGEMENT,
            Opcode.Nvm.WRITE_ZEROES, IdentifyController.ONCS_WRITE_ZEROES,
            Opcode.Nvm.RESERVATION_REGISTER, IdentifyController.ONCS_RESERVATIONS,
            Opcode.Nvm.VERIFY, IdentifyController.ONCS_VERIFY,
            Opcode.Nvm.COPY, IdentifyController.ONCS_COPY);

    // ---- which there are

    @Check(says = "Get Log Page of the reserved LID 6Fh: 1/09h or 0/02h", source = "NVMe Base 2.0 s5.16")
    void reservedLid() throws IOException {
        expectStatus(readLog(associate(), RESERVED_LID, 512, 0), Status.INVALID_LOG_PAGE, Status.INVALID_FIELD);
    }

    @Check(
            says = "LPA bit 5: the logs 00h, which logs there are, and 12h, which features",
            source = "NVMe Base 2.0 s5.17.2.1",
            level = Level.SHOULD)
    void supportedLogs() throws IOException {
        skipUnless(hasSupportedLogs(), "LPA bit 5 is clear");
        Association association = associate();
        ByteBuffer supported = log(association, LogPageId.SUPPORTED_LOG_PAGES, SupportedLogPages.BYTES);
        for (int lid : new int[] {LogPageId.ERROR_INFORMATION, LogPageId.SMART_HEALTH, LogPageId.FIRMWARE_SLOT}) {
            expect(
                    SupportedLogPages.isSupported(supported, 0, lid),
                    "the mandatory LID " + hex(lid) + " among those supported",
                    "it is not");
        }
        log(association, LogPageId.FEATURES_SUPPORTED_AND_EFFECTS, FeaturesSupportedAndEffects.BYTES);
    }

    private boolean hasSupportedLogs() {
        return facts().controller().has(Field.LPA, IdentifyController.LPA_SUPPORTED_LOG_PAGES);
    }

    @Check(
            says = "Get Log Page of every LID that log 00h says is not supported: 1/09h or 0/02h",
            source = "NVMe Base 2.0 s5.16.1.1",
            level = Level.SHOULD)
    void unsupportedLids() throws IOException {
        skipUnless(hasSupportedLogs(), "LPA bit 5 is clear");
        Association association = associate();
        ByteBuffer supported = log(association, LogPageId.SUPPORTED_LOG_PAGES, SupportedLogPages.BYTES);
        for (int lid = 0; lid < LIDS; lid++) {
            if (!SupportedLogPages.isSupported(supported, 0, lid)) {
                expectStatus(readLog(association, lid, 4, 0), Status.INVALID_LOG_PAGE, Status.INVALID_FIELD);
            }
        }
    }

    // ---- how they are read

    @Check(says = "Get Log Page with LPO 2, which is no multiple of 4: 0/02h", source = "NVMe Base 2.0 s5.16")
    void offsetUnaligned() throws IOException {
        skipUnless(hasOffsets(), "LPA bit 2 is clear");
        expectStatus(readLog(associate(), LogPageId.FIRMWARE_SLOT, 4, 2), Status.INVALID_FIELD);
    }

    private boolean hasOffsets() {
        return facts().controller().has(Field.LPA, IdentifyController.LPA_EXTENDED_DATA);
    }

    @Check(says = "Get Log Page with LPO at the end of the log: zeros, or 0/02h", source = "NVMe Base 2.0 s5.16")
    void offsetAtEnd() throws IOException {
        skipUnless(hasOffsets(), "LPA bit 2 is clear");
        Answer answer = readLog(associate(), LogPageId.FIRMWARE_SLOT, 64, FirmwareSlotLog.BYTES);
        expectStatus(answer, Status.SUCCESS, Status.INVALID_FIELD);
        if (answer.isSuccess()) {
            expect(Arrays.equals(new byte[64], answer.data()), "zeros", "other data");
        }
    }

    @Check(says = "Get Log Page with LPO beyond the end of the log: 0/02h", source = "NVMe Base 2.0 s5.16")
    void offsetBeyondEnd() throws IOException {
        expectNoOffset(FirmwareSlotLog.BYTES + 4);
    }

    @Check(says = "Get Log Page with LPO FFFFFFFFFFFFFFFCh: 0/02h", source = "NVMe Base 2.0 s5.16")
    void offsetHuge() throws IOException {
        expectNoOffset(-4);
    }

    private void expectNoOffset(long offset) throws IOException {
        skipUnless(hasOffsets(), "LPA bit 2 is clear");
        Answer answer = readLog(associate(), LogPageId.FIRMWARE_SLOT, 64, offset);
        if (answer.isSuccess()) {
            deviates("the offset is not looked at", LINUX);
        } else {
            expectStatus(answer, Status.INVALID_FIELD);
        }
    }

    @Check(
            says = "the firmware slot log in pieces of 8 bytes, by LPO: the same as at once",
            source = "NVMe Base 2.0 s5.16")
    void firmwareSlotsInPieces() throws IOException {
        expectPieces(LogPageId.FIRMWARE_SLOT, FirmwareSlotLog.BYTES, 8);
    }

    @Check(
            says = "the log of commands supported in pieces of 1000 bytes, by LPO: the same as at once",
            source = "NVMe Base 2.0 s5.16; nvme-cli reads long logs in pieces")
    void commandEffectsInPieces() throws IOException {
        skipUnless(hasCommandEffects(), "LPA bit 1 is clear");
        expectPieces(LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, CommandsSupportedAndEffects.BYTES, 1000);
    }

    private void expectPieces(int lid, int lengthBytes, int pieceBytes) throws IOException {
        skipUnless(hasOffsets(), "LPA bit 2 is clear");
        Association association = associate();
        byte[] whole = log(association, lid, lengthBytes).array();
        for (int at = 0; at < lengthBytes; at += pieceBytes) {
            int length = Math.min(pieceBytes, lengthBytes - at);
            Answer answer = readLog(association, lid, length, at);
            if (answer.isCompleted() && !answer.isSuccess() && at == 0) {
                deviates("the log is given only as a whole", LINUX);
                return;
            }
            expectSuccess(answer, "Get Log Page of " + length + " bytes at " + at);
            int differs = Arrays.mismatch(Arrays.copyOfRange(whole, at, at + length), answer.data());
            expect(differs < 0, "the bytes from " + at + " on as they are in the whole log", "others");
        }
    }

    @Check(
            says = "Get Log Page of 256 KiB + 4 bytes, NUMDU 1, of a log that is shorter: success, and that many bytes",
            source = "NVMe Base 2.0 s5.16",
            level = Level.SHOULD)
    void longRead() throws IOException {
        skipUnless(hasOffsets(), "LPA bit 2 is clear");
        skipUnless(facts().maxTransferBytes() >= PAST_256_KIB, "MDTS does not allow it");
        Association association = associate();
        byte[] whole =
                log(association, LogPageId.FIRMWARE_SLOT, FirmwareSlotLog.BYTES).array();
        byte[] read = log(association, LogPageId.FIRMWARE_SLOT, PAST_256_KIB).array();
        expect(
                Arrays.equals(whole, Arrays.copyOf(read, whole.length)),
                "the log at the beginning of what was read",
                "other data");
    }

    // ---- what they say

    @Check(
            says = "Firmware Slot log: AFI names an active slot, and the revision in it is FR",
            source = "NVMe Base 2.0 s5.16.1.4")
    void firmwareSlots() throws IOException {
        FirmwareSlotLog slots =
                FirmwareSlotLog.decode(log(associate(), LogPageId.FIRMWARE_SLOT, FirmwareSlotLog.BYTES), 0);
        if (slots.activeSlot() == 0) {
            deviates("no slot is active", LINUX);
            return;
        }
        expectEquals(
                facts().controller().firmwareRevision(),
                slots.revisions().get(slots.activeSlot() - 1),
                "revision in slot " + slots.activeSlot());
    }

    private boolean hasCommandEffects() {
        return facts().controller().has(Field.LPA, IdentifyController.LPA_COMMANDS_SUPPORTED_AND_EFFECTS);
    }

    private CommandsSupportedAndEffects commandEffects() throws IOException {
        skipUnless(hasCommandEffects(), "LPA bit 1 is clear");
        return CommandsSupportedAndEffects.decode(
                log(associate(), LogPageId.COMMANDS_SUPPORTED_AND_EFFECTS, CommandsSupportedAndEffects.BYTES), 0);
    }

    @Check(
            says = "the log of commands supported: has the admin commands that every I/O controller has",
            source = "NVMe Base 2.0 s5.16.1.6; the Linux host passes on no others",
            level = Level.SHOULD)
    void mandatoryAdminCommands() throws IOException {
        CommandsSupportedAndEffects effects = commandEffects();
        for (int opcode : new int[] {
            Opcode.Admin.GET_LOG_PAGE,
            Opcode.Admin.IDENTIFY,
            Opcode.Admin.ABORT,
            Opcode.Admin.SET_FEATURES,
            Opcode.Admin.GET_FEATURES,
            Opcode.Admin.ASYNC_EVENT_REQUEST,
            Opcode.Admin.KEEP_ALIVE
        }) {
            expect(isSupported(effects.admin(opcode)), "admin opcode " + hex(opcode) + " supported", "it is not");
        }
    }

    @Check(
            says = "the log of commands supported: has Read, Write and Flush, and Write changes blocks, Read does not",
            source = "NVMe Base 2.0 s5.16.1.6",
            level = Level.SHOULD)
    void mandatoryIoCommands() throws IOException {
        CommandsSupportedAndEffects effects = commandEffects();
        for (int opcode : new int[] {Opcode.Nvm.READ, Opcode.Nvm.WRITE, Opcode.Nvm.FLUSH}) {
            expect(isSupported(effects.io(opcode)), "I/O opcode " + hex(opcode) + " supported", "it is not");
        }
        int change = CommandsSupportedAndEffects.BLOCK_CONTENT_CHANGE;
        expect((effects.io(Opcode.Nvm.WRITE) & change) != 0, "LBCC of Write", hex(effects.io(Opcode.Nvm.WRITE)));
        expect((effects.io(Opcode.Nvm.READ) & change) == 0, "no LBCC of Read", hex(effects.io(Opcode.Nvm.READ)));
    }

    @Check(
            says = "the log of commands supported: no optional I/O command that ONCS does not have too",
            source = "NVMe Base 2.0 s5.16.1.6",
            level = Level.SHOULD)
    void optionalIoCommands() throws IOException {
        CommandsSupportedAndEffects effects = commandEffects();
        ONCS_OF.forEach((opcode, bit) -> expect(
                !isSupported(effects.io(opcode)) || facts().supports(bit),
                "ONCS bit " + Integer.numberOfTrailingZeros(bit) + " as I/O opcode " + hex(opcode) + " is supported",
                "ONCS " + hex(facts().controller().get(Field.ONCS))));
    }

    @Check(
            says = "the log of commands supported: none that fabrics prohibit",
            source = "NVMe Base 2.0 s5.16.1.6",
            level = Level.SHOULD)
    void prohibitedCommands() throws IOException {
        CommandsSupportedAndEffects effects = commandEffects();
        for (int opcode : AdminOpcodeSuite.PROHIBITED) {
            expect(!isSupported(effects.admin(opcode)), "admin opcode " + hex(opcode) + " not supported", "it is");
        }
    }

    private static boolean isSupported(int entry) {
        return (entry & CommandsSupportedAndEffects.SUPPORTED) != 0;
    }

    @Check(
            says =
                    "the list of changed namespaces read twice without RAE, nothing having changed: the second time it is"
                            + " empty",
            source = "NVMe Base 2.0 s5.16.1.5",
            level = Level.SHOULD)
    void changedNamespaces() throws IOException {
        Association association = associate();
        Answer first = readChanged(association);
        skipUnless(!isUnsupported(first) && !isStatus(first, Status.INVALID_LOG_PAGE), "the target has no such list");
        expectSuccess(first, "Get Log Page of LID 4h");
        Answer second = expectSuccess(readChanged(association), "Get Log Page of LID 4h");
        expect(Arrays.equals(new byte[CHANGED_LIST_BYTES], second.data()), "an empty list", "NSIDs");
    }

    private static Answer readChanged(Association association) throws IOException {
        Sqe sqe = GetLogPageCommand.encode(Sqe.allocate(), LogPageId.CHANGED_NAMESPACE_LIST, CHANGED_LIST_BYTES, 0);
        return association.admin(sqe.nsid(Sqe.NSID_ALL), CHANGED_LIST_BYTES);
    }

    private static boolean isStatus(Answer answer, int status) {
        return answer.isCompleted() && answer.status() == status;
    }
}
