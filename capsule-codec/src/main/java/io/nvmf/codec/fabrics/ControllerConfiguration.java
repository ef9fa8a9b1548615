package io.nvmf.codec.fabrics;

/** The CC property (NVMe Base 2.0 figure 42). */
public final class ControllerConfiguration {
    private ControllerConfiguration() {}

    public static final long ENABLE = 1;
    /** CSS: the NVM command set; all I/O command sets the controller has; none. */
    public static final int COMMAND_SET_NVM = 0;

    public static final int COMMAND_SET_ALL = 6;
    public static final int COMMAND_SET_ADMIN_ONLY = 7;
    public static final int SHUTDOWN_NONE = 0;
    public static final int SHUTDOWN_NORMAL = 1;
    public static final int SHUTDOWN_ABRUPT = 2;
    /** SHN in place, for a normal shutdown. */
    public static final long NORMAL_SHUTDOWN_BITS = 1L << 14;
    /** IOSQES 6 and IOCQES 4 in place: 64-byte and 16-byte entries, the only sizes there are. */
    public static final long ENTRY_SIZES = 6L << 16 | 4L << 20;

    public static final int ENTRY_SIZE_SUBMISSION = 6;
    public static final int ENTRY_SIZE_COMPLETION = 4;

    public static boolean isEnabled(long cc) {
        return (cc & ENABLE) != 0;
    }

    public static int commandSet(long cc) {
        return (int) (cc >> 4) & 0x7;
    }

    public static int memoryPageSize(long cc) {
        return (int) (cc >> 7) & 0xF;
    }

    public static int arbitration(long cc) {
        return (int) (cc >> 11) & 0x7;
    }

    public static int shutdownNotification(long cc) {
        return (int) (cc >> 14) & 0x3;
    }

    public static int submissionEntrySize(long cc) {
        return (int) (cc >> 16) & 0xF;
    }

    public static int completionEntrySize(long cc) {
        return (int) (cc >> 20) & 0xF;
    }
}
