package io.nvmf.codec;

/**
 * Status values: the status field of a completion without its phase tag (NVMe Base 2.0 s3.3.3.2.1), so 15 bits.
 *
 * <pre>
 * 7:0 status code (SC)   10:8 status code type (SCT)   12:11 command retry delay (CRD)   13 More   14 Do Not Retry
 * </pre>
 *
 * The constants carry no flags: compare after {@link #withoutFlags}. Command specific codes 80h to BFh mean something
 * else for each kind of command, which is why some constants share a number; {@link StatusNames} tells them apart.
 */
public final class Status {
    /** More: the error information log has an entry about this completion. */
    public static final int MORE = 0x2000;
    /** Do Not Retry: the same command would fail again. */
    public static final int DNR = 0x4000;

    /** SCT 0. */
    public static final int TYPE_GENERIC = 0;
    /** SCT 1. */
    public static final int TYPE_COMMAND_SPECIFIC = 1;
    /** SCT 2. */
    public static final int TYPE_MEDIA = 2;
    /** SCT 3. */
    public static final int TYPE_PATH = 3;
    /** SCT 7. */
    public static final int TYPE_VENDOR = 7;

    private static final int CODE_MASK = 0x07FF;

    // Generic command status, SCT 0 (NVMe Base 2.0 s3.3.3.2.1).

    public static final int SUCCESS = 0x000;
    public static final int INVALID_OPCODE = 0x001;
    public static final int INVALID_FIELD = 0x002;
    public static final int COMMAND_ID_CONFLICT = 0x003;
    public static final int DATA_TRANSFER_ERROR = 0x004;
    public static final int POWER_LOSS_ABORT = 0x005;
    public static final int INTERNAL_ERROR = 0x006;
    public static final int ABORT_REQUESTED = 0x007;
    public static final int SQ_DELETION_ABORT = 0x008;
    public static final int FAILED_FUSED_COMMAND = 0x009;
    public static final int MISSING_FUSED_COMMAND = 0x00A;
    public static final int INVALID_NAMESPACE_OR_FORMAT = 0x00B;
    public static final int COMMAND_SEQUENCE_ERROR = 0x00C;
    public static final int SGL_SEGMENT_DESCRIPTOR_INVALID = 0x00D;
    public static final int SGL_DESCRIPTOR_COUNT_INVALID = 0x00E;
    public static final int SGL_DATA_LENGTH_INVALID = 0x00F;
    public static final int SGL_METADATA_LENGTH_INVALID = 0x010;
    public static final int SGL_TYPE_INVALID = 0x011;
    public static final int INVALID_USE_OF_CMB = 0x012;
    public static final int PRP_OFFSET_INVALID = 0x013;
    public static final int ATOMIC_WRITE_UNIT_EXCEEDED = 0x014;
    public static final int OPERATION_DENIED = 0x015;
    public static final int SGL_OFFSET_INVALID = 0x016;
    public static final int HOST_ID_INCONSISTENT_FORMAT = 0x018;
    public static final int KEEP_ALIVE_TIMEOUT_EXPIRED = 0x019;
    public static final int KEEP_ALIVE_TIMEOUT_INVALID = 0x01A;
    public static final int PREEMPT_ABORT = 0x01B;
    public static final int SANITIZE_FAILED = 0x01C;
    public static final int SANITIZE_IN_PROGRESS = 0x01D;
    public static final int SGL_GRANULARITY_INVALID = 0x01E;
    public static final int NOT_SUPPORTED_FOR_QUEUE_IN_CMB = 0x01F;
    public static final int NAMESPACE_WRITE_PROTECTED = 0x020;
    public static final int COMMAND_INTERRUPTED = 0x021;
    public static final int TRANSIENT_TRANSPORT_ERROR = 0x022;
    public static final int PROHIBITED_BY_LOCKDOWN = 0x023;
    public static final int ADMIN_COMMAND_MEDIA_NOT_READY = 0x024;
    public static final int INVALID_KEY_TAG = 0x025;
    public static final int HOST_DISPERSED_NAMESPACE_NOT_ENABLED = 0x026;
    public static final int HOST_ID_NOT_INITIALIZED = 0x027;
    public static final int INCORRECT_KEY = 0x028;
    public static final int FDP_DISABLED = 0x029;
    public static final int INVALID_PLACEMENT_HANDLE_LIST = 0x02A;
    public static final int LBA_OUT_OF_RANGE = 0x080;
    public static final int CAPACITY_EXCEEDED = 0x081;
    public static final int NAMESPACE_NOT_READY = 0x082;
    public static final int RESERVATION_CONFLICT = 0x083;
    public static final int FORMAT_IN_PROGRESS = 0x084;

    // Generic status of the Key Value command set, SCT 0 (NVMe Key Value Command Set 1.0).

    public static final int KV_INVALID_VALUE_SIZE = 0x085;
    public static final int KV_INVALID_KEY_SIZE = 0x086;
    public static final int KV_KEY_DOES_NOT_EXIST = 0x087;
    public static final int KV_UNRECOVERED_ERROR = 0x088;
    public static final int KV_KEY_EXISTS = 0x089;

    // Command specific status, SCT 1, the same for every kind of command.

    public static final int COMPLETION_QUEUE_INVALID = 0x100;
    public static final int INVALID_QUEUE_IDENTIFIER = 0x101;
    public static final int INVALID_QUEUE_SIZE = 0x102;
    public static final int ABORT_COMMAND_LIMIT_EXCEEDED = 0x103;
    public static final int ASYNC_EVENT_REQUEST_LIMIT_EXCEEDED = 0x105;
    public static final int INVALID_FIRMWARE_SLOT = 0x106;
    public static final int INVALID_FIRMWARE_IMAGE = 0x107;
    public static final int INVALID_INTERRUPT_VECTOR = 0x108;
    public static final int INVALID_LOG_PAGE = 0x109;
    public static final int INVALID_FORMAT = 0x10A;
    public static final int FIRMWARE_NEEDS_CONVENTIONAL_RESET = 0x10B;
    public static final int INVALID_QUEUE_DELETION = 0x10C;
    public static final int FEATURE_NOT_SAVEABLE = 0x10D;
    public static final int FEATURE_NOT_CHANGEABLE = 0x10E;
    public static final int FEATURE_NOT_NAMESPACE_SPECIFIC = 0x10F;
    public static final int FIRMWARE_NEEDS_SUBSYSTEM_RESET = 0x110;
    public static final int FIRMWARE_NEEDS_CONTROLLER_RESET = 0x111;
    public static final int FIRMWARE_NEEDS_MAXIMUM_TIME_VIOLATION = 0x112;
    public static final int FIRMWARE_ACTIVATION_PROHIBITED = 0x113;
    public static final int OVERLAPPING_RANGE = 0x114;
    public static final int NAMESPACE_INSUFFICIENT_CAPACITY = 0x115;
    public static final int NAMESPACE_ID_UNAVAILABLE = 0x116;
    public static final int NAMESPACE_ALREADY_ATTACHED = 0x118;
    public static final int NAMESPACE_IS_PRIVATE = 0x119;
    public static final int NAMESPACE_NOT_ATTACHED = 0x11A;
    public static final int THIN_PROVISIONING_NOT_SUPPORTED = 0x11B;
    public static final int CONTROLLER_LIST_INVALID = 0x11C;
    public static final int SELF_TEST_IN_PROGRESS = 0x11D;
    public static final int BOOT_PARTITION_WRITE_PROHIBITED = 0x11E;
    public static final int INVALID_CONTROLLER_IDENTIFIER = 0x11F;
    public static final int INVALID_SECONDARY_CONTROLLER_STATE = 0x120;
    public static final int INVALID_NUMBER_OF_CONTROLLER_RESOURCES = 0x121;
    public static final int INVALID_RESOURCE_IDENTIFIER = 0x122;
    public static final int SANITIZE_PROHIBITED_WHILE_PMR_ENABLED = 0x123;
    public static final int ANA_GROUP_IDENTIFIER_INVALID = 0x124;
    public static final int ANA_ATTACH_FAILED = 0x125;
    public static final int INSUFFICIENT_CAPACITY = 0x126;
    public static final int NAMESPACE_ATTACHMENT_LIMIT_EXCEEDED = 0x127;
    public static final int PROHIBITION_NOT_SUPPORTED = 0x128;
    public static final int IO_COMMAND_SET_NOT_SUPPORTED = 0x129;
    public static final int IO_COMMAND_SET_NOT_ENABLED = 0x12A;
    public static final int IO_COMMAND_SET_COMBINATION_REJECTED = 0x12B;
    public static final int INVALID_IO_COMMAND_SET = 0x12C;
    public static final int IDENTIFIER_UNAVAILABLE = 0x12D;
    public static final int NAMESPACE_IS_DISPERSED = 0x12E;
    public static final int INVALID_DISCOVERY_INFORMATION = 0x12F;
    public static final int ZONING_DATA_STRUCTURE_LOCKED = 0x130;
    public static final int ZONING_DATA_STRUCTURE_NOT_FOUND = 0x131;
    public static final int INSUFFICIENT_DISCOVERY_RESOURCES = 0x132;
    public static final int REQUESTED_FUNCTION_DISABLED = 0x133;
    public static final int ZONEGROUP_ORIGINATOR_INVALID = 0x134;
    public static final int INVALID_CONTROLLER_DATA_QUEUE = 0x137;
    public static final int NOT_ENOUGH_RESOURCES = 0x138;
    public static final int CONTROLLER_SUSPENDED = 0x139;
    public static final int CONTROLLER_NOT_SUSPENDED = 0x13A;
    public static final int CONTROLLER_DATA_QUEUE_FULL = 0x13B;

    // Command specific status of fabrics commands, SCT 1 (NVMe-oF 1.1 s3).

    public static final int CONNECT_INCOMPATIBLE_FORMAT = 0x180;
    public static final int CONNECT_CONTROLLER_BUSY = 0x181;
    public static final int CONNECT_INVALID_PARAMETERS = 0x182;
    public static final int CONNECT_RESTART_DISCOVERY = 0x183;
    public static final int CONNECT_INVALID_HOST = 0x184;
    public static final int DISCONNECT_INVALID_QUEUE_TYPE = 0x185;
    public static final int DISCOVER_RESTART = 0x190;
    public static final int AUTHENTICATION_REQUIRED = 0x191;

    // Command specific status of the NVM and Zoned Namespace command sets, SCT 1.

    public static final int CONFLICTING_ATTRIBUTES = 0x180;
    public static final int INVALID_PROTECTION_INFORMATION = 0x181;
    public static final int WRITE_TO_READ_ONLY_RANGE = 0x182;
    public static final int COMMAND_SIZE_LIMIT_EXCEEDED = 0x183;
    public static final int INCOMPATIBLE_NAMESPACE_OR_FORMAT = 0x185;
    public static final int FAST_COPY_NOT_POSSIBLE = 0x186;
    public static final int OVERLAPPING_IO_RANGE = 0x187;
    public static final int INSUFFICIENT_RESOURCES = 0x189;
    public static final int ZONE_INVALID_OPERATION_REQUEST = 0x1B6;
    public static final int ZONE_ZRWA_RESOURCES_UNAVAILABLE = 0x1B7;
    public static final int ZONE_BOUNDARY_ERROR = 0x1B8;
    public static final int ZONE_IS_FULL = 0x1B9;
    public static final int ZONE_IS_READ_ONLY = 0x1BA;
    public static final int ZONE_IS_OFFLINE = 0x1BB;
    public static final int ZONE_INVALID_WRITE = 0x1BC;
    public static final int ZONE_TOO_MANY_ACTIVE = 0x1BD;
    public static final int ZONE_TOO_MANY_OPEN = 0x1BE;
    public static final int ZONE_INVALID_STATE_TRANSITION = 0x1BF;

    // Media and data integrity errors, SCT 2.

    public static final int WRITE_FAULT = 0x280;
    public static final int UNRECOVERED_READ_ERROR = 0x281;
    public static final int GUARD_CHECK_ERROR = 0x282;
    public static final int APPLICATION_TAG_CHECK_ERROR = 0x283;
    public static final int REFERENCE_TAG_CHECK_ERROR = 0x284;
    public static final int COMPARE_FAILURE = 0x285;
    public static final int ACCESS_DENIED = 0x286;
    public static final int DEALLOCATED_OR_UNWRITTEN_BLOCK = 0x287;
    public static final int STORAGE_TAG_CHECK_ERROR = 0x288;

    // Path related status, SCT 3. Host pathing codes are made inside a host only.

    public static final int INTERNAL_PATH_ERROR = 0x300;
    public static final int ANA_PERSISTENT_LOSS = 0x301;
    public static final int ANA_INACCESSIBLE = 0x302;
    public static final int ANA_TRANSITION = 0x303;
    public static final int CONTROLLER_PATHING_ERROR = 0x360;
    public static final int HOST_PATHING_ERROR = 0x370;
    public static final int ABORTED_BY_HOST = 0x371;

    private Status() {}

    /** A status of the given type and code, without flags. */
    public static int of(int sct, int sc) {
        return (sct & 0x7) << 8 | sc & 0xFF;
    }

    /** Status code, 8 bits. */
    public static int sc(int status) {
        return status & 0xFF;
    }

    /** Status code type, 3 bits. */
    public static int sct(int status) {
        return status >> 8 & 0x7;
    }

    /** Command retry delay: 0, or which of the controller's times CRDT1 to CRDT3 to wait. */
    public static int crd(int status) {
        return status >> 11 & 0x3;
    }

    /** Whether SCT and SC are both zero, whatever the flags say. */
    public static boolean isSuccess(int status) {
        return (status & CODE_MASK) == SUCCESS;
    }

    public static boolean more(int status) {
        return (status & MORE) != 0;
    }

    public static boolean dnr(int status) {
        return (status & DNR) != 0;
    }

    /** SCT and SC alone, comparable with the constants. */
    public static int withoutFlags(int status) {
        return status & CODE_MASK;
    }
}
