package io.nvmf.codec.log;

import io.nvmf.codec.NumberField;
import io.nvmf.codec.Structure;
import java.nio.ByteBuffer;

/** The SMART / Health Information log, LID 02h (NVMe Base 2.0 s5.16.1.3). Counters of 16 bytes are read exactly with
 * {@link #getBig}. */
public final class SmartLog extends Structure<SmartLog.Field> {
    public static final int BYTES = 512;

    /** The numbers, in the order of their bytes. */
    public enum Field implements NumberField {
        /** Bit 0 spare low, 1 temperature, 2 reliability degraded, 3 read only, 4 backup failed, 5 PMR unreliable. */
        CRITICAL_WARNING(0, 1),
        /** Kelvin. */
        COMPOSITE_TEMPERATURE(1, 2),
        /** Percent. */
        AVAILABLE_SPARE(3, 1),
        /** Percent. */
        AVAILABLE_SPARE_THRESHOLD(4, 1),
        /** Percent, may exceed 100. */
        PERCENTAGE_USED(5, 1),
        ENDURANCE_GROUP_CRITICAL_WARNING(6, 1),
        /** Thousands of 512 bytes, rounded up. */
        DATA_UNITS_READ(32, 16),
        /** Thousands of 512 bytes, rounded up. */
        DATA_UNITS_WRITTEN(48, 16),
        HOST_READ_COMMANDS(64, 16),
        HOST_WRITE_COMMANDS(80, 16),
        /** Minutes. */
        CONTROLLER_BUSY_TIME(96, 16),
        POWER_CYCLES(112, 16),
        POWER_ON_HOURS(128, 16),
        UNSAFE_SHUTDOWNS(144, 16),
        MEDIA_ERRORS(160, 16),
        ERROR_LOG_ENTRIES(176, 16),
        /** Minutes. */
        WARNING_TEMPERATURE_TIME(192, 4),
        /** Minutes. */
        CRITICAL_TEMPERATURE_TIME(196, 4),
        /** Kelvin; 0 = no such sensor. */
        TEMPERATURE_SENSOR_1(200, 2),
        TEMPERATURE_SENSOR_2(202, 2),
        TEMPERATURE_SENSOR_3(204, 2),
        TEMPERATURE_SENSOR_4(206, 2),
        TEMPERATURE_SENSOR_5(208, 2),
        TEMPERATURE_SENSOR_6(210, 2),
        TEMPERATURE_SENSOR_7(212, 2),
        TEMPERATURE_SENSOR_8(214, 2),
        THERMAL_MANAGEMENT_1_COUNT(216, 4),
        THERMAL_MANAGEMENT_2_COUNT(220, 4),
        /** Seconds. */
        THERMAL_MANAGEMENT_1_TIME(224, 4),
        /** Seconds. */
        THERMAL_MANAGEMENT_2_TIME(228, 4);

        private final int offset;
        private final int lengthBytes;

        Field(int offset, int lengthBytes) {
            this.offset = offset;
            this.lengthBytes = lengthBytes;
        }

        @Override
        public int offset() {
            return offset;
        }

        @Override
        public int lengthBytes() {
            return lengthBytes;
        }
    }

    // Bits of CRITICAL_WARNING.
    public static final int WARNING_TEMPERATURE = 1 << 1;
    /** Media errors: what is stored may be lost. */
    public static final int WARNING_DEGRADED = 1 << 2;
    /** The medium can only be read any more. */
    public static final int WARNING_READ_ONLY = 1 << 3;

    private SmartLog() {
        super(BYTES);
    }

    private SmartLog(ByteBuffer source, int offset) {
        super(source, offset, BYTES);
    }

    /** Data with every byte zero. */
    public static SmartLog allocate() {
        return new SmartLog();
    }

    /** A copy of 512 received bytes; {@link IllegalArgumentException} when there are fewer. */
    public static SmartLog decode(ByteBuffer source, int offset) {
        return new SmartLog(source, offset);
    }
}
