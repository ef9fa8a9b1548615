package io.nvmf.codec.feature;

/**
 * The data of feature 16h (NVMe Base 2.0 s5.27.1.18), 512 bytes: 0 ACRE, 1 ETDAS, 2 LBAFEE, 3 HDISNS, 4 CDFE, each 0 or 1;
 * the rest is reserved.
 */
public final class HostBehavior {
    public static final int BYTES = 512;
    /** ACRE: the host obeys command retry delays. */
    public static final int COMMAND_RETRY_OFFSET = 0;

    private static final int SWITCHES = 5;

    private HostBehavior() {}

    /** Whether every switch is 0 or 1. */
    public static boolean isValid(byte[] data) {
        for (int i = 0; i < SWITCHES; i++) {
            if (data[i] != 0 && data[i] != 1) {
                return false;
            }
        }
        return true;
    }
}
