package io.nvmf.tools.output;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.StatusNames;
import io.nvmf.codec.StatusNames.Kind;
import io.nvmf.codec.log.ErrorLogEntry;
import io.nvmf.codec.log.ErrorLogEntry.Field;
import java.io.PrintStream;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Entries of the Error Information log under nvme-cli's names. */
public final class ErrorLogFields {
    private static final String RULE = ".................";
    private static final Map<Field, String> NAMES = new EnumMap<>(Field.class);

    static {
        NAMES.put(Field.COUNT, "error_count");
        NAMES.put(Field.SQID, "sqid");
        NAMES.put(Field.CID, "cmdid");
        NAMES.put(Field.STATUS, "status_field");
        NAMES.put(Field.PARAMETER_LOCATION, "parm_error_location");
        NAMES.put(Field.LBA, "lba");
        NAMES.put(Field.NSID, "nsid");
        NAMES.put(Field.VENDOR_LOG_PAGE, "vs");
        NAMES.put(Field.TRTYPE, "trtype");
        NAMES.put(Field.CSI, "csi");
        NAMES.put(Field.OPC, "opcode");
        NAMES.put(Field.COMMAND_SPECIFIC, "cs");
        NAMES.put(Field.TRANSPORT_SPECIFIC, "trtype_spec_info");
        NAMES.put(Field.LOG_VERSION, "log_page_version");
    }

    private ErrorLogFields() {}

    public static ObjectNode toJson(List<ErrorLogEntry> entries) {
        ObjectNode json = Json.object();
        ArrayNode errors = json.putArray("errors");
        for (ErrorLogEntry entry : entries) {
            ObjectNode error = errors.addObject();
            NAMES.forEach((field, name) -> {
                if (field == Field.STATUS) {
                    error.put(name, entry.status()).put("phase_tag", entry.get(field) & 1);
                } else {
                    error.put(name, entry.getBig(field));
                }
            });
        }
        return json;
    }

    public static void print(PrintStream out, List<ErrorLogEntry> entries) {
        out.println(RULE);
        for (int i = 0; i < entries.size(); i++) {
            ErrorLogEntry entry = entries.get(i);
            out.printf(" Entry[%2d]%n%s%n", i, RULE);
            NAMES.forEach((field, name) -> out.printf("%-20s: %s%n", name, text(entry, field)));
            out.println(RULE);
        }
    }

    private static String text(ErrorLogEntry entry, Field field) {
        return switch (field) {
            case STATUS -> String.format("%#x (%s)", entry.status(), status(entry));
            case COUNT, SQID, VENDOR_LOG_PAGE, CSI, LOG_VERSION ->
                entry.getBig(field).toString();
            default -> "0x" + entry.getBig(field).toString(16);
        };
    }

    /** The entry tells no kind of command: an entry of the admin queue is of an admin command. */
    private static String status(ErrorLogEntry entry) {
        return StatusNames.describe(entry.status(), entry.get(Field.SQID) == 0 ? Kind.ADMIN : Kind.IO_NVM);
    }
}
