package io.nvmf.codec.nvm;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;

/**
 * Fields of a Dataset Management command (NVM Command Set 1.0 s3.2.3): CDW10 7:0 NR (zero based); CDW11 0 IDR, 1 IDW, 2
 * AD. Its data are as many {@link DatasetRange}s.
 */
public final class DatasetManagementCommand {
    /** Most ranges of one command. */
    public static final int MAX_RANGES = 256;

    // Bits of CDW11: the ranges will be read, or written, as a whole.
    public static final int INTEGRAL_READ = 1;
    public static final int INTEGRAL_WRITE = 1 << 1;
    /** AD: the ranges may be deallocated. */
    public static final int DEALLOCATE = 1 << 2;

    private DatasetManagementCommand() {}

    /**
     * Clears the entry and writes the command; command id and SGL1 remain the caller's to set.
     *
     * @param rangeCount 1 to {@link #MAX_RANGES}
     */
    public static Sqe encode(Sqe sqe, long nsid, int rangeCount, int attributes) {
        if (rangeCount < 1 || rangeCount > MAX_RANGES) {
            throw new IllegalArgumentException("a command has 1 to 256 ranges, not " + rangeCount);
        }
        return sqe.clear(Opcode.Nvm.DATASET_MANAGEMENT)
                .nsid(nsid)
                .cdw(10, rangeCount - 1)
                .cdw(11, attributes);
    }

    /** Number of ranges, 1 to {@link #MAX_RANGES}. */
    public static int rangeCount(Sqe sqe) {
        return (int) (sqe.cdw(10) & 0xFF) + 1;
    }

    public static boolean deallocate(Sqe sqe) {
        return (sqe.cdw(11) & DEALLOCATE) != 0;
    }
}
