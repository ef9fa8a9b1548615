package io.nvmf.codec.feature;

/**
 * Bits of feature 0Bh (NVMe Base 2.0 s5.27.1.8): which events may be reported. Those from bit 8 on have the same place in
 * OAES of the controller's identify data.
 */
public final class AsyncEventConfig {
    private AsyncEventConfig() {}

    /** 7:0, the critical warnings of the SMART log. */
    public static final long SMART_CRITICAL_WARNINGS = 0xFF;

    public static final long NAMESPACE_ATTRIBUTE = 1L << 8;
    public static final long FIRMWARE_ACTIVATION = 1L << 9;
    public static final long TELEMETRY = 1L << 10;
    public static final long ANA_CHANGE = 1L << 11;
    public static final long PREDICTABLE_LATENCY = 1L << 12;
    public static final long LBA_STATUS = 1L << 13;
    public static final long ENDURANCE_GROUP = 1L << 14;
    public static final long NORMAL_SHUTDOWN = 1L << 15;
    public static final long ZONE_DESCRIPTOR_CHANGED = 1L << 27;
    public static final long DISCOVERY_LOG_CHANGE = 1L << 31;
}
