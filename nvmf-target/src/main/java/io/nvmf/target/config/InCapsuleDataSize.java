package io.nvmf.target.config;

/** What I/O commands may carry in their capsules, which IOCCSZ says in units of 16 bytes. */
public final class InCapsuleDataSize {
    private static final int UNIT_BYTES = 16;
    private static final int MOST_BYTES = 128 << 10;

    private InCapsuleDataSize() {}

    /** @throws IllegalArgumentException with a sentence if it cannot be the size */
    public static void require(long bytes) {
        if (bytes < 0 || bytes > MOST_BYTES) {
            throw new IllegalArgumentException("in-capsule data size " + bytes + " is not between 0 and " + MOST_BYTES);
        }
        if (bytes % UNIT_BYTES != 0) {
            throw new IllegalArgumentException("in-capsule data size " + bytes + " is no multiple of " + UNIT_BYTES);
        }
    }
}
