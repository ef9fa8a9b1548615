package io.nvmf.codec.feature;

/**
 * The value of feature 04h (NVMe Base 2.0 s5.27.1.3): 15:0 TMPTH in Kelvin, 19:16 TMPSEL the sensor, 21:20 THSEL which
 * threshold.
 */
public final class TemperatureThreshold {
    /** TMPSEL: the composite temperature. */
    public static final int COMPOSITE = 0;
    /** TMPSEL of a Set: every sensor. */
    public static final int ALL_SENSORS = 0xF;
    /** THSEL: the temperature must not reach it. */
    public static final int OVER = 0;
    /** THSEL: the temperature must not fall to it. */
    public static final int UNDER = 1;

    private TemperatureThreshold() {}

    public static int kelvin(long value) {
        return (int) value & 0xFFFF;
    }

    public static int sensor(long value) {
        return (int) (value >> 16) & 0xF;
    }

    public static int threshold(long value) {
        return (int) (value >> 20) & 0x3;
    }
}
