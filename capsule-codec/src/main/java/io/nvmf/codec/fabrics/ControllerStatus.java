package io.nvmf.codec.fabrics;

/** The CSTS property (NVMe Base 2.0 figure 43). */
public final class ControllerStatus {
    private ControllerStatus() {}

    public static final long READY = 1;
    /** CFS: a fatal error; only a reset helps. */
    public static final long FATAL = 1 << 1;
    /** SHST in place: shutdown in progress. */
    public static final long SHUTDOWN_IN_PROGRESS = 1 << 2;
    /** SHST in place: shutdown complete. */
    public static final long SHUTDOWN_COMPLETE = 2 << 2;

    public static boolean isReady(long csts) {
        return (csts & READY) != 0;
    }

    public static boolean isFatal(long csts) {
        return (csts & FATAL) != 0;
    }

    public static boolean isShutdownComplete(long csts) {
        return (csts >> 2 & 0x3) == 2;
    }
}
