package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import java.io.IOException;

/** Admin opcodes that a controller does not have. */
@SuiteName("ADMIN.OPCODE")
public final class AdminOpcodeSuite extends AdminSuite {
    private static final int DOORBELL_BUFFER_CONFIG = 0x7C;
    /** Those that make and delete queues, and doorbells: over fabrics there are none. */
    static final int[] PROHIBITED = {
        Opcode.Admin.DELETE_IO_SUBMISSION_QUEUE,
        Opcode.Admin.CREATE_IO_SUBMISSION_QUEUE,
        Opcode.Admin.DELETE_IO_COMPLETION_QUEUE,
        Opcode.Admin.CREATE_IO_COMPLETION_QUEUE,
        DOORBELL_BUFFER_CONFIG
    };

    /** First and last of stretches that no revision of the specification has given away. */
    private static final int[][] RESERVED = {
        {0x03, 0x03},
        {0x07, 0x07},
        {0x0B, 0x0B},
        {0x0E, 0x0F},
        {0x12, 0x13},
        {0x16, 0x17},
        {0x1B, 0x1B},
        {0x1F, 0x1F},
        {0x23, 0x23},
        {0x26, 0x27},
        {0x3A, 0x3C},
        {0x46, 0x7B},
        {0x7D, 0x7E},
        {0x83, 0x83},
        {0x8B, 0xBF}
    };

    /** Opcodes, each with the bit of OACS that announces it. */
    private static final int[][] OPTIONAL = {
        {Opcode.Admin.SECURITY_SEND, 0},
        {Opcode.Admin.SECURITY_RECEIVE, 0},
        {Opcode.Admin.FORMAT_NVM, 1},
        {Opcode.Admin.FIRMWARE_COMMIT, 2},
        {Opcode.Admin.FIRMWARE_IMAGE_DOWNLOAD, 2},
        {Opcode.Admin.NAMESPACE_MANAGEMENT, 3},
        {Opcode.Admin.NAMESPACE_ATTACHMENT, 3},
        {Opcode.Admin.DEVICE_SELF_TEST, 4},
        {Opcode.Admin.DIRECTIVE_SEND, 5},
        {Opcode.Admin.DIRECTIVE_RECEIVE, 5},
        {Opcode.Admin.GET_LBA_STATUS, 9},
        {Opcode.Admin.LOCKDOWN, 10}
    };

    private static final int FIRST_OF_VENDORS = 0xC0;
    private static final int LAST = 0xFF;
    /** Bits 1:0 say that the host sends data. */
    static final int RESERVED_WITH_DATA = 0x49;

    private static Sqe command(int opcode) {
        return Sqe.allocate().clear(opcode);
    }

    // ---- what fabrics do not have

    @Check(says = "Delete I/O Submission Queue: 0/01h", source = "NVMe Base 2.0 s5, prohibited over fabrics")
    void deleteSubmissionQueue() throws IOException {
        expectStatus(associate().admin(command(Opcode.Admin.DELETE_IO_SUBMISSION_QUEUE)), Status.INVALID_OPCODE);
    }

    @Check(says = "Create I/O Submission Queue: 0/01h", source = "NVMe Base 2.0 s5, prohibited over fabrics")
    void createSubmissionQueue() throws IOException {
        expectStatus(associate().admin(command(Opcode.Admin.CREATE_IO_SUBMISSION_QUEUE)), Status.INVALID_OPCODE);
    }

    @Check(says = "Delete I/O Completion Queue: 0/01h", source = "NVMe Base 2.0 s5, prohibited over fabrics")
    void deleteCompletionQueue() throws IOException {
        expectStatus(associate().admin(command(Opcode.Admin.DELETE_IO_COMPLETION_QUEUE)), Status.INVALID_OPCODE);
    }

    @Check(says = "Create I/O Completion Queue: 0/01h", source = "NVMe Base 2.0 s5, prohibited over fabrics")
    void createCompletionQueue() throws IOException {
        expectStatus(associate().admin(command(Opcode.Admin.CREATE_IO_COMPLETION_QUEUE)), Status.INVALID_OPCODE);
    }

    @Check(says = "Doorbell Buffer Config: 0/01h", source = "NVMe Base 2.0 s5, prohibited over fabrics")
    void doorbellBufferConfig() throws IOException {
        expectStatus(associate().admin(command(DOORBELL_BUFFER_CONFIG)), Status.INVALID_OPCODE);
    }

    // ---- what nobody has

    @Check(says = "every reserved opcode without data: 0/01h, and the connection stays", source = "NVMe Base 2.0 s5")
    void reserved() throws IOException {
        Association association = associate();
        for (int[] range : RESERVED) {
            for (int opcode = range[0]; opcode <= range[1]; opcode++) {
                expectStatus(association.admin(command(opcode)), Status.INVALID_OPCODE);
            }
        }
        controllerOf(association);
    }

    @Check(
            says = "a reserved opcode with data to fetch: 0/01h, and the next command is understood",
            source = "NVMe Base 2.0 s5")
    void reservedWithDataToFetch() throws IOException {
        Association association = associate();
        // More than fits a capsule: some targets wait for less to come in it.
        byte[] data = new byte[Math.max(8192, facts().inCapsuleBytes()) + 4096];
        Answer answer = execute(association.admin(), command(RESERVED_WITH_DATA), Payload.fetched(data));
        expectStatus(answer, Status.INVALID_OPCODE);
        controllerOf(association);
    }

    @Check(
            says = "a reserved opcode with data to come: 0/01h without data, and the next command is understood",
            source = "NVMe Base 2.0 s5")
    void reservedWithDataToCome() throws IOException {
        Association association = associate();
        Answer answer = association.admin(command(RESERVED_WITH_DATA + 1), 4096);
        expectStatus(answer, Status.INVALID_OPCODE);
        expectEquals(0, answer.dataBytes(), "bytes of data");
        controllerOf(association);
    }

    // ---- what this one does not have

    @Check(
            says = "every optional command that OACS does not announce, Format and Sanitize among them: 0/01h",
            source = "NVMe Base 2.0 s5.17.2.1",
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void optional() throws IOException {
        Association association = associate();
        for (int[] each : OPTIONAL) {
            if (!facts().controller().has(Field.OACS, 1L << each[1])) {
                expectStatus(association.admin(command(each[0])), Status.INVALID_OPCODE);
            }
        }
        if (facts().controller().get(Field.SANICAP) == 0) {
            expectStatus(association.admin(command(Opcode.Admin.SANITIZE)), Status.INVALID_OPCODE);
        }
        controllerOf(association);
    }

    @Check(
            says = "every vendor specific opcode, C0h to FFh: answered, and the connection stays",
            source = "NVMe Base 2.0 s5",
            level = Level.ROBUST,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void vendorSpecific() throws IOException {
        Association association = associate();
        for (int opcode = FIRST_OF_VENDORS; opcode <= LAST; opcode++) {
            Answer answer = association.admin(command(opcode));
            expect(answer.isCompleted(), "an answer to opcode " + hex(opcode), answer);
        }
        controllerOf(association);
    }
}
