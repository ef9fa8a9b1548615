package io.nvmf.codec.log;

/** Log page identifiers, LID (NVMe Base 2.0 s5.16.1). */
public final class LogPageId {
    private LogPageId() {}

    public static final int SUPPORTED_LOG_PAGES = 0x00;
    public static final int ERROR_INFORMATION = 0x01;
    public static final int SMART_HEALTH = 0x02;
    public static final int FIRMWARE_SLOT = 0x03;
    public static final int CHANGED_NAMESPACE_LIST = 0x04;
    public static final int COMMANDS_SUPPORTED_AND_EFFECTS = 0x05;
    public static final int DEVICE_SELF_TEST = 0x06;
    public static final int TELEMETRY_HOST = 0x07;
    public static final int TELEMETRY_CONTROLLER = 0x08;
    public static final int ENDURANCE_GROUP = 0x09;
    public static final int ANA = 0x0C;
    public static final int PERSISTENT_EVENT = 0x0D;
    public static final int LBA_STATUS = 0x0E;
    public static final int FEATURES_SUPPORTED_AND_EFFECTS = 0x12;
    public static final int DISCOVERY = 0x70;
    public static final int RESERVATION_NOTIFICATION = 0x80;
    public static final int SANITIZE_STATUS = 0x81;
    public static final int CHANGED_ZONE_LIST = 0xBF;
}
