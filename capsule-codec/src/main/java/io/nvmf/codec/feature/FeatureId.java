package io.nvmf.codec.feature;

/** Feature identifiers, FID (NVMe Base 2.0 s5.27.1). The value is CDW11 of Set Features and DW0 of Get Features. */
public final class FeatureId {
    private FeatureId() {}

    public static final int ARBITRATION = 0x01;
    public static final int POWER_MANAGEMENT = 0x02;
    public static final int TEMPERATURE_THRESHOLD = 0x04;
    public static final int ERROR_RECOVERY = 0x05;
    /** Bit 0: cache enabled. */
    public static final int VOLATILE_WRITE_CACHE = 0x06;
    /** See {@link NumberOfQueues}. */
    public static final int NUMBER_OF_QUEUES = 0x07;

    public static final int INTERRUPT_COALESCING = 0x08;
    public static final int INTERRUPT_VECTOR = 0x09;
    public static final int WRITE_ATOMICITY = 0x0A;
    /** See {@link AsyncEventConfig}. */
    public static final int ASYNC_EVENT_CONFIG = 0x0B;

    public static final int TIMESTAMP = 0x0E;
    /** KATO in milliseconds; 0 = off. */
    public static final int KEEP_ALIVE_TIMER = 0x0F;

    public static final int HOST_BEHAVIOR = 0x16;
    public static final int IO_COMMAND_SET_PROFILE = 0x19;
    public static final int KEY_VALUE_CONFIG = 0x20;
    public static final int SOFTWARE_PROGRESS = 0x80;
    public static final int HOST_IDENTIFIER = 0x81;
    public static final int RESERVATION_NOTIFICATION_MASK = 0x82;
    public static final int RESERVATION_PERSISTENCE = 0x83;
    public static final int NAMESPACE_WRITE_PROTECTION = 0x84;
}
