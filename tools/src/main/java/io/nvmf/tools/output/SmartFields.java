package io.nvmf.tools.output;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.log.SmartLog;
import io.nvmf.codec.log.SmartLog.Field;
import java.io.PrintStream;
import java.math.BigInteger;
import java.util.EnumMap;
import java.util.Map;

/** The SMART / Health Information log under nvme-cli's names. */
public final class SmartFields {
    private static final int KELVIN_OF_0_CELSIUS = 273;
    private static final Map<Field, String> NAMES = new EnumMap<>(Field.class);

    static {
        NAMES.put(Field.CRITICAL_WARNING, "critical_warning");
        NAMES.put(Field.COMPOSITE_TEMPERATURE, "temperature");
        NAMES.put(Field.AVAILABLE_SPARE, "avail_spare");
        NAMES.put(Field.AVAILABLE_SPARE_THRESHOLD, "spare_thresh");
        NAMES.put(Field.PERCENTAGE_USED, "percent_used");
        NAMES.put(Field.ENDURANCE_GROUP_CRITICAL_WARNING, "endurance_grp_critical_warning_summary");
        NAMES.put(Field.DATA_UNITS_READ, "data_units_read");
        NAMES.put(Field.DATA_UNITS_WRITTEN, "data_units_written");
        NAMES.put(Field.HOST_READ_COMMANDS, "host_read_commands");
        NAMES.put(Field.HOST_WRITE_COMMANDS, "host_write_commands");
        NAMES.put(Field.CONTROLLER_BUSY_TIME, "controller_busy_time");
        NAMES.put(Field.POWER_CYCLES, "power_cycles");
        NAMES.put(Field.POWER_ON_HOURS, "power_on_hours");
        NAMES.put(Field.UNSAFE_SHUTDOWNS, "unsafe_shutdowns");
        NAMES.put(Field.MEDIA_ERRORS, "media_errors");
        NAMES.put(Field.ERROR_LOG_ENTRIES, "num_err_log_entries");
        NAMES.put(Field.WARNING_TEMPERATURE_TIME, "warning_temp_time");
        NAMES.put(Field.CRITICAL_TEMPERATURE_TIME, "critical_comp_time");
        NAMES.put(Field.TEMPERATURE_SENSOR_1, "temperature_sensor_1");
        NAMES.put(Field.TEMPERATURE_SENSOR_2, "temperature_sensor_2");
        NAMES.put(Field.TEMPERATURE_SENSOR_3, "temperature_sensor_3");
        NAMES.put(Field.TEMPERATURE_SENSOR_4, "temperature_sensor_4");
        NAMES.put(Field.TEMPERATURE_SENSOR_5, "temperature_sensor_5");
        NAMES.put(Field.TEMPERATURE_SENSOR_6, "temperature_sensor_6");
        NAMES.put(Field.TEMPERATURE_SENSOR_7, "temperature_sensor_7");
        NAMES.put(Field.TEMPERATURE_SENSOR_8, "temperature_sensor_8");
        NAMES.put(Field.THERMAL_MANAGEMENT_1_COUNT, "thm_temp1_trans_count");
        NAMES.put(Field.THERMAL_MANAGEMENT_2_COUNT, "thm_temp2_trans_count");
        NAMES.put(Field.THERMAL_MANAGEMENT_1_TIME, "thm_temp1_total_time");
        NAMES.put(Field.THERMAL_MANAGEMENT_2_TIME, "thm_temp2_total_time");
    }

    private SmartFields() {}

    public static ObjectNode toJson(SmartLog log) {
        ObjectNode json = Json.object();
        NAMES.forEach((field, name) -> {
            if (isThere(log, field)) {
                json.put(name, log.getBig(field));
            }
        });
        return json;
    }

    public static void print(PrintStream out, SmartLog log) {
        NAMES.forEach((field, name) -> {
            if (isThere(log, field)) {
                out.printf("%-38s : %s%n", name, text(log, field));
            }
        });
    }

    /** A sensor that there is not reads 0. */
    private static boolean isThere(SmartLog log, Field field) {
        boolean isSensor =
                field.compareTo(Field.TEMPERATURE_SENSOR_1) >= 0 && field.compareTo(Field.TEMPERATURE_SENSOR_8) <= 0;
        return !isSensor || log.get(field) != 0;
    }

    private static String text(SmartLog log, Field field) {
        BigInteger value = log.getBig(field);
        return switch (field) {
            case CRITICAL_WARNING, ENDURANCE_GROUP_CRITICAL_WARNING -> "0x" + value.toString(16);
            case AVAILABLE_SPARE, AVAILABLE_SPARE_THRESHOLD, PERCENTAGE_USED -> value + "%";
            case COMPOSITE_TEMPERATURE,
                    TEMPERATURE_SENSOR_1,
                    TEMPERATURE_SENSOR_2,
                    TEMPERATURE_SENSOR_3,
                    TEMPERATURE_SENSOR_4,
                    TEMPERATURE_SENSOR_5,
                    TEMPERATURE_SENSOR_6,
                    TEMPERATURE_SENSOR_7,
                    TEMPERATURE_SENSOR_8 -> value.intValue() - KELVIN_OF_0_CELSIUS + " °C (" + value + " K)";
            default -> value.toString();
        };
    }
}
