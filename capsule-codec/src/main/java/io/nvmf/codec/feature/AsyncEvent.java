package io.nvmf.codec.feature;

import io.nvmf.codec.log.LogPageId;

/**
 * DW0 of an Asynchronous Event Request's completion (NVMe Base 2.0 s5.2.1): 2:0 type, 15:8 information, 23:16 the log to
 * read, which clears the event.
 *
 * @param type see {@code TYPE_} constants
 * @param info what happened, a number of its own for each type
 * @param logPageId see {@link LogPageId}
 */
public record AsyncEvent(int type, int info, int logPageId) {
    public static final int TYPE_ERROR = 0;
    public static final int TYPE_SMART = 1;
    public static final int TYPE_NOTICE = 2;
    public static final int TYPE_IMMEDIATE = 4;
    /** Specific to an I/O command set. */
    public static final int TYPE_IO_COMMAND_SET = 6;

    public static final int TYPE_VENDOR = 7;

    public static final AsyncEvent NAMESPACE_ATTRIBUTE_CHANGED =
            new AsyncEvent(TYPE_NOTICE, 0x00, LogPageId.CHANGED_NAMESPACE_LIST);
    public static final AsyncEvent FIRMWARE_ACTIVATION_STARTING =
            new AsyncEvent(TYPE_NOTICE, 0x01, LogPageId.FIRMWARE_SLOT);
    public static final AsyncEvent ANA_CHANGE = new AsyncEvent(TYPE_NOTICE, 0x03, LogPageId.ANA);
    public static final AsyncEvent DISCOVERY_LOG_CHANGE = new AsyncEvent(TYPE_NOTICE, 0xF0, LogPageId.DISCOVERY);
    public static final AsyncEvent RESERVATION_LOG_AVAILABLE =
            new AsyncEvent(TYPE_IO_COMMAND_SET, 0x00, LogPageId.RESERVATION_NOTIFICATION);
    public static final AsyncEvent SMART_RELIABILITY = new AsyncEvent(TYPE_SMART, 0x00, LogPageId.SMART_HEALTH);
    public static final AsyncEvent SMART_TEMPERATURE = new AsyncEvent(TYPE_SMART, 0x01, LogPageId.SMART_HEALTH);
    public static final AsyncEvent SMART_SPARE = new AsyncEvent(TYPE_SMART, 0x02, LogPageId.SMART_HEALTH);

    public long dw0() {
        return (logPageId & 0xFFL) << 16 | (info & 0xFF) << 8 | type & 0x7;
    }

    public static AsyncEvent decode(long dw0) {
        return new AsyncEvent((int) dw0 & 0x7, (int) dw0 >> 8 & 0xFF, (int) dw0 >> 16 & 0xFF);
    }
}
