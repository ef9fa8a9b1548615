package io.nvmf.codec;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** The specification's names of status values, for logs and people. Unknown numbers get a name too. */
public final class StatusNames {
    /** What kind of command a status answers: codes 80h to BFh of several types depend on it. */
    public enum Kind {
        /** Any admin command except fabrics commands. */
        ADMIN,
        /** An I/O command of the NVM or Zoned Namespace command set. */
        IO_NVM,
        /** An I/O command of the Key Value command set. */
        IO_KV,
        /** A fabrics command (opcode 7Fh). */
        FABRICS
    }

    /** The answer of {@link #name} to a status no specification names. */
    public static final String UNKNOWN = "unknown status";

    private static final Map<Integer, String> COMMON = common();
    private static final Map<Kind, Map<Integer, String>> BY_KIND = byKind();

    private StatusNames() {}

    /** The name of a status, its flags ignored. */
    public static String name(int status, Kind kind) {
        int code = Status.withoutFlags(status);
        String name = BY_KIND.get(kind).get(code);
        if (name == null) {
            name = COMMON.get(code);
        }
        if (name != null) {
            return name;
        }
        return Status.sct(code) == Status.TYPE_VENDOR ? "vendor specific status" : UNKNOWN;
    }

    /** Name, numbers and flags, such as {@code Invalid Field in Command (0/02h) DNR}. */
    public static String describe(int status, Kind kind) {
        StringBuilder text = new StringBuilder(name(status, kind))
                .append(String.format(" (%d/%02Xh)", Status.sct(status), Status.sc(status)));
        if (Status.crd(status) != 0) {
            text.append(" CRD ").append(Status.crd(status));
        }
        if (Status.more(status)) {
            text.append(" More");
        }
        if (Status.dnr(status)) {
            text.append(" DNR");
        }
        return text.toString();
    }

    private static Map<Integer, String> common() {
        Map<Integer, String> names = new HashMap<>();
        putGeneric(names);
        putCommandSpecific(names);
        putMedia(names);
        putPath(names);
        return Map.copyOf(names);
    }

    private static Map<Kind, Map<Integer, String>> byKind() {
        Map<Integer, String> nvm = new HashMap<>();
        putNvm(nvm);
        Map<Integer, String> keyValue = new HashMap<>();
        putKeyValue(keyValue);
        Map<Integer, String> fabrics = new HashMap<>();
        putFabrics(fabrics);
        Map<Kind, Map<Integer, String>> byKind = new EnumMap<>(Kind.class);
        byKind.put(Kind.ADMIN, Map.of());
        byKind.put(Kind.IO_NVM, nvm);
        byKind.put(Kind.IO_KV, keyValue);
        byKind.put(Kind.FABRICS, fabrics);
        return byKind;
    }

    private static void putGeneric(Map<Integer, String> names) {
        names.put(Status.SUCCESS, "Successful Completion");
        names.put(Status.INVALID_OPCODE, "Invalid Command Opcode");
        names.put(Status.INVALID_FIELD, "Invalid Field in Command");
        names.put(Status.COMMAND_ID_CONFLICT, "Command ID Conflict");
        names.put(Status.DATA_TRANSFER_ERROR, "Data Transfer Error");
        names.put(Status.POWER_LOSS_ABORT, "Commands Aborted due to Power Loss Notification");
        names.put(Status.INTERNAL_ERROR, "Internal Error");
        names.put(Status.ABORT_REQUESTED, "Command Abort Requested");
        names.put(Status.SQ_DELETION_ABORT, "Command Aborted due to SQ Deletion");
        names.put(Status.FAILED_FUSED_COMMAND, "Command Aborted due to Failed Fused Command");
        names.put(Status.MISSING_FUSED_COMMAND, "Command Aborted due to Missing Fused Command");
        names.put(Status.INVALID_NAMESPACE_OR_FORMAT, "Invalid Namespace or Format");
        names.put(Status.COMMAND_SEQUENCE_ERROR, "Command Sequence Error");
        names.put(Status.SGL_SEGMENT_DESCRIPTOR_INVALID, "Invalid SGL Segment Descriptor");
        names.put(Status.SGL_DESCRIPTOR_COUNT_INVALID, "Invalid Number of SGL Descriptors");
        names.put(Status.SGL_DATA_LENGTH_INVALID, "Data SGL Length Invalid");
        names.put(Status.SGL_METADATA_LENGTH_INVALID, "Metadata SGL Length Invalid");
        names.put(Status.SGL_TYPE_INVALID, "SGL Descriptor Type Invalid");
        names.put(Status.INVALID_USE_OF_CMB, "Invalid Use of Controller Memory Buffer");
        names.put(Status.PRP_OFFSET_INVALID, "PRP Offset Invalid");
        names.put(Status.ATOMIC_WRITE_UNIT_EXCEEDED, "Atomic Write Unit Exceeded");
        names.put(Status.OPERATION_DENIED, "Operation Denied");
        names.put(Status.SGL_OFFSET_INVALID, "SGL Offset Invalid");
        names.put(Status.HOST_ID_INCONSISTENT_FORMAT, "Host Identifier Inconsistent Format");
        names.put(Status.KEEP_ALIVE_TIMEOUT_EXPIRED, "Keep Alive Timer Expired");
        names.put(Status.KEEP_ALIVE_TIMEOUT_INVALID, "Keep Alive Timeout Invalid");
        names.put(Status.PREEMPT_ABORT, "Command Aborted due to Preempt and Abort");
        names.put(Status.SANITIZE_FAILED, "Sanitize Failed");
        names.put(Status.SANITIZE_IN_PROGRESS, "Sanitize In Progress");
        names.put(Status.SGL_GRANULARITY_INVALID, "SGL Data Block Granularity Invalid");
        names.put(Status.NOT_SUPPORTED_FOR_QUEUE_IN_CMB, "Command Not Supported for Queue in CMB");
        names.put(Status.NAMESPACE_WRITE_PROTECTED, "Namespace is Write Protected");
        names.put(Status.COMMAND_INTERRUPTED, "Command Interrupted");
        names.put(Status.TRANSIENT_TRANSPORT_ERROR, "Transient Transport Error");
        names.put(Status.PROHIBITED_BY_LOCKDOWN, "Command Prohibited by Command and Feature Lockdown");
        names.put(Status.ADMIN_COMMAND_MEDIA_NOT_READY, "Admin Command Media Not Ready");
        names.put(Status.INVALID_KEY_TAG, "Invalid Key Tag");
        names.put(Status.HOST_DISPERSED_NAMESPACE_NOT_ENABLED, "Host Dispersed Namespace Support Not Enabled");
        names.put(Status.HOST_ID_NOT_INITIALIZED, "Host Identifier Not Initialized");
        names.put(Status.INCORRECT_KEY, "Incorrect Key");
        names.put(Status.FDP_DISABLED, "FDP Disabled");
        names.put(Status.INVALID_PLACEMENT_HANDLE_LIST, "Invalid Placement Handle List");
        names.put(Status.LBA_OUT_OF_RANGE, "LBA Out of Range");
        names.put(Status.CAPACITY_EXCEEDED, "Capacity Exceeded");
        names.put(Status.NAMESPACE_NOT_READY, "Namespace Not Ready");
        names.put(Status.RESERVATION_CONFLICT, "Reservation Conflict");
        names.put(Status.FORMAT_IN_PROGRESS, "Format In Progress");
    }

    private static void putKeyValue(Map<Integer, String> names) {
        names.put(Status.KV_INVALID_VALUE_SIZE, "Invalid Value Size");
        names.put(Status.KV_INVALID_KEY_SIZE, "Invalid Key Size");
        names.put(Status.KV_KEY_DOES_NOT_EXIST, "KV Key Does Not Exist");
        names.put(Status.KV_UNRECOVERED_ERROR, "Unrecovered Error");
        names.put(Status.KV_KEY_EXISTS, "Key Exists");
    }

    private static void putCommandSpecific(Map<Integer, String> names) {
        names.put(Status.COMPLETION_QUEUE_INVALID, "Completion Queue Invalid");
        names.put(Status.INVALID_QUEUE_IDENTIFIER, "Invalid Queue Identifier");
        names.put(Status.INVALID_QUEUE_SIZE, "Invalid Queue Size");
        names.put(Status.ABORT_COMMAND_LIMIT_EXCEEDED, "Abort Command Limit Exceeded");
        names.put(Status.ASYNC_EVENT_REQUEST_LIMIT_EXCEEDED, "Asynchronous Event Request Limit Exceeded");
        names.put(Status.INVALID_FIRMWARE_SLOT, "Invalid Firmware Slot");
        names.put(Status.INVALID_FIRMWARE_IMAGE, "Invalid Firmware Image");
        names.put(Status.INVALID_INTERRUPT_VECTOR, "Invalid Interrupt Vector");
        names.put(Status.INVALID_LOG_PAGE, "Invalid Log Page");
        names.put(Status.INVALID_FORMAT, "Invalid Format");
        names.put(Status.FIRMWARE_NEEDS_CONVENTIONAL_RESET, "Firmware Activation Requires Conventional Reset");
        names.put(Status.INVALID_QUEUE_DELETION, "Invalid Queue Deletion");
        names.put(Status.FEATURE_NOT_SAVEABLE, "Feature Identifier Not Saveable");
        names.put(Status.FEATURE_NOT_CHANGEABLE, "Feature Not Changeable");
        names.put(Status.FEATURE_NOT_NAMESPACE_SPECIFIC, "Feature Not Namespace Specific");
        names.put(Status.FIRMWARE_NEEDS_SUBSYSTEM_RESET, "Firmware Activation Requires NVM Subsystem Reset");
        names.put(Status.FIRMWARE_NEEDS_CONTROLLER_RESET, "Firmware Activation Requires Controller Level Reset");
        names.put(Status.FIRMWARE_NEEDS_MAXIMUM_TIME_VIOLATION, "Firmware Activation Requires Maximum Time Violation");
        names.put(Status.FIRMWARE_ACTIVATION_PROHIBITED, "Firmware Activation Prohibited");
        names.put(Status.OVERLAPPING_RANGE, "Overlapping Range");
        names.put(Status.NAMESPACE_INSUFFICIENT_CAPACITY, "Namespace Insufficient Capacity");
        names.put(Status.NAMESPACE_ID_UNAVAILABLE, "Namespace Identifier Unavailable");
        names.put(Status.NAMESPACE_ALREADY_ATTACHED, "Namespace Already Attached");
        names.put(Status.NAMESPACE_IS_PRIVATE, "Namespace Is Private");
        names.put(Status.NAMESPACE_NOT_ATTACHED, "Namespace Not Attached");
        names.put(Status.THIN_PROVISIONING_NOT_SUPPORTED, "Thin Provisioning Not Supported");
        names.put(Status.CONTROLLER_LIST_INVALID, "Controller List Invalid");
        names.put(Status.SELF_TEST_IN_PROGRESS, "Device Self-test In Progress");
        names.put(Status.BOOT_PARTITION_WRITE_PROHIBITED, "Boot Partition Write Prohibited");
        names.put(Status.INVALID_CONTROLLER_IDENTIFIER, "Invalid Controller Identifier");
        names.put(Status.INVALID_SECONDARY_CONTROLLER_STATE, "Invalid Secondary Controller State");
        names.put(Status.INVALID_NUMBER_OF_CONTROLLER_RESOURCES, "Invalid Number of Controller Resources");
        names.put(Status.INVALID_RESOURCE_IDENTIFIER, "Invalid Resource Identifier");
        names.put(
                Status.SANITIZE_PROHIBITED_WHILE_PMR_ENABLED,
                "Sanitize Prohibited While Persistent Memory Region is Enabled");
        names.put(Status.ANA_GROUP_IDENTIFIER_INVALID, "ANA Group Identifier Invalid");
        names.put(Status.ANA_ATTACH_FAILED, "ANA Attach Failed");
        names.put(Status.INSUFFICIENT_CAPACITY, "Insufficient Capacity");
        names.put(Status.NAMESPACE_ATTACHMENT_LIMIT_EXCEEDED, "Namespace Attachment Limit Exceeded");
        names.put(Status.PROHIBITION_NOT_SUPPORTED, "Prohibition of Command Execution Not Supported");
        names.put(Status.IO_COMMAND_SET_NOT_SUPPORTED, "I/O Command Set Not Supported");
        names.put(Status.IO_COMMAND_SET_NOT_ENABLED, "I/O Command Set Not Enabled");
        names.put(Status.IO_COMMAND_SET_COMBINATION_REJECTED, "I/O Command Set Combination Rejected");
        names.put(Status.INVALID_IO_COMMAND_SET, "Invalid I/O Command Set");
        names.put(Status.IDENTIFIER_UNAVAILABLE, "Identifier Unavailable");
        names.put(Status.NAMESPACE_IS_DISPERSED, "Namespace Is Dispersed");
        names.put(Status.INVALID_DISCOVERY_INFORMATION, "Invalid Discovery Information");
        names.put(Status.ZONING_DATA_STRUCTURE_LOCKED, "Zoning Data Structure Locked");
        names.put(Status.ZONING_DATA_STRUCTURE_NOT_FOUND, "Zoning Data Structure Not Found");
        names.put(Status.INSUFFICIENT_DISCOVERY_RESOURCES, "Insufficient Discovery Resources");
        names.put(Status.REQUESTED_FUNCTION_DISABLED, "Requested Function Disabled");
        names.put(Status.ZONEGROUP_ORIGINATOR_INVALID, "ZoneGroup Originator Invalid");
        names.put(Status.INVALID_CONTROLLER_DATA_QUEUE, "Invalid Controller Data Queue");
        names.put(Status.NOT_ENOUGH_RESOURCES, "Not Enough Resources");
        names.put(Status.CONTROLLER_SUSPENDED, "Controller Suspended");
        names.put(Status.CONTROLLER_NOT_SUSPENDED, "Controller Not Suspended");
        names.put(Status.CONTROLLER_DATA_QUEUE_FULL, "Controller Data Queue Full");
    }

    private static void putFabrics(Map<Integer, String> names) {
        names.put(Status.CONNECT_INCOMPATIBLE_FORMAT, "Incompatible Format");
        names.put(Status.CONNECT_CONTROLLER_BUSY, "Controller Busy");
        names.put(Status.CONNECT_INVALID_PARAMETERS, "Connect Invalid Parameters");
        names.put(Status.CONNECT_RESTART_DISCOVERY, "Connect Restart Discovery");
        names.put(Status.CONNECT_INVALID_HOST, "Connect Invalid Host");
        names.put(Status.DISCONNECT_INVALID_QUEUE_TYPE, "Invalid Queue Type");
        names.put(Status.DISCOVER_RESTART, "Discover Restart");
        names.put(Status.AUTHENTICATION_REQUIRED, "Authentication Required");
    }

    private static void putNvm(Map<Integer, String> names) {
        names.put(Status.CONFLICTING_ATTRIBUTES, "Conflicting Attributes");
        names.put(Status.INVALID_PROTECTION_INFORMATION, "Invalid Protection Information");
        names.put(Status.WRITE_TO_READ_ONLY_RANGE, "Attempted Write to Read Only Range");
        names.put(Status.COMMAND_SIZE_LIMIT_EXCEEDED, "Command Size Limit Exceeded");
        names.put(Status.INCOMPATIBLE_NAMESPACE_OR_FORMAT, "Incompatible Namespace or Format");
        names.put(Status.FAST_COPY_NOT_POSSIBLE, "Fast Copy Not Possible");
        names.put(Status.OVERLAPPING_IO_RANGE, "Overlapping I/O Range");
        names.put(Status.INSUFFICIENT_RESOURCES, "Insufficient Resources");
        names.put(Status.ZONE_INVALID_OPERATION_REQUEST, "Invalid Zone Operation Request");
        names.put(Status.ZONE_ZRWA_RESOURCES_UNAVAILABLE, "ZRWA Resources Unavailable");
        names.put(Status.ZONE_BOUNDARY_ERROR, "Zone Boundary Error");
        names.put(Status.ZONE_IS_FULL, "Zone Is Full");
        names.put(Status.ZONE_IS_READ_ONLY, "Zone Is Read Only");
        names.put(Status.ZONE_IS_OFFLINE, "Zone Is Offline");
        names.put(Status.ZONE_INVALID_WRITE, "Zone Invalid Write");
        names.put(Status.ZONE_TOO_MANY_ACTIVE, "Too Many Active Zones");
        names.put(Status.ZONE_TOO_MANY_OPEN, "Too Many Open Zones");
        names.put(Status.ZONE_INVALID_STATE_TRANSITION, "Invalid Zone State Transition");
    }

    private static void putMedia(Map<Integer, String> names) {
        names.put(Status.WRITE_FAULT, "Write Fault");
        names.put(Status.UNRECOVERED_READ_ERROR, "Unrecovered Read Error");
        names.put(Status.GUARD_CHECK_ERROR, "End-to-end Guard Check Error");
        names.put(Status.APPLICATION_TAG_CHECK_ERROR, "End-to-end Application Tag Check Error");
        names.put(Status.REFERENCE_TAG_CHECK_ERROR, "End-to-end Reference Tag Check Error");
        names.put(Status.COMPARE_FAILURE, "Compare Failure");
        names.put(Status.ACCESS_DENIED, "Access Denied");
        names.put(Status.DEALLOCATED_OR_UNWRITTEN_BLOCK, "Deallocated or Unwritten Logical Block");
        names.put(Status.STORAGE_TAG_CHECK_ERROR, "End-to-end Storage Tag Check Error");
    }

    private static void putPath(Map<Integer, String> names) {
        names.put(Status.INTERNAL_PATH_ERROR, "Internal Path Error");
        names.put(Status.ANA_PERSISTENT_LOSS, "Asymmetric Access Persistent Loss");
        names.put(Status.ANA_INACCESSIBLE, "Asymmetric Access Inaccessible");
        names.put(Status.ANA_TRANSITION, "Asymmetric Access Transition");
        names.put(Status.CONTROLLER_PATHING_ERROR, "Controller Pathing Error");
        names.put(Status.HOST_PATHING_ERROR, "Host Pathing Error");
        names.put(Status.ABORTED_BY_HOST, "Command Aborted By Host");
    }
}
