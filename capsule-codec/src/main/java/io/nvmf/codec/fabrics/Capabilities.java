package io.nvmf.codec.fabrics;

/** The CAP property (NVMe Base 2.0 figure 36): bit positions of the fields that matter on fabrics. */
public final class Capabilities {
    private Capabilities() {}

    /** CQR: queues are contiguous; always set for fabrics. */
    public static final long CONTIGUOUS_QUEUES_REQUIRED = 1L << 16;
    /** NSSRS: there is the property NSSR. */
    public static final long SUBSYSTEM_RESET = 1L << 36;
    /** CSS: the NVM command set. */
    public static final long NVM_COMMAND_SET = 1L << 37;
    /** CSS: one or more I/O command sets, to be enabled by CC.CSS 110b. */
    public static final long IO_COMMAND_SETS = 1L << 43;
    /** CRWMS: CRTO tells how long becoming ready may take. */
    public static final long CONTROLLER_READY_WITH_MEDIA = 1L << 59;

    /**
     * @param maxQueueEntriesZeroBased MQES, 1 to 65535
     * @param readyTimeoutHalfSeconds TO, 0 to 255
     */
    public static long encode(int maxQueueEntriesZeroBased, int readyTimeoutHalfSeconds) {
        return maxQueueEntriesZeroBased
                | CONTIGUOUS_QUEUES_REQUIRED
                | (long) readyTimeoutHalfSeconds << 24
                | NVM_COMMAND_SET;
    }

    /** Whether a bit is set. */
    public static boolean has(long cap, long bit) {
        return (cap & bit) != 0;
    }

    public static int maxQueueEntriesZeroBased(long cap) {
        return (int) cap & 0xFFFF;
    }

    /** How long CSTS.RDY may take to follow CC.EN, in milliseconds. */
    public static int readyTimeoutMs(long cap) {
        return (int) (cap >> 24 & 0xFF) * 500;
    }

    /** MPSMIN as a page size in bytes: the unit of MDTS. */
    public static long minimumPageBytes(long cap) {
        return 1L << 12 + (int) (cap >> 48 & 0xF);
    }
}
