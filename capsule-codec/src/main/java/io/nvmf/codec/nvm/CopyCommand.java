package io.nvmf.codec.nvm;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;

/**
 * Fields of a Copy command (NVM Command Set 1.0 s3.2.2): CDW10-11 SDLBA; CDW12 7:0 NR (zero based), 11:8 descriptor format,
 * 15:12 PRINFOR, 29:26 PRINFOW, 30 FUA, 31 LR. Its data are as many {@link CopyRange}s, when the format is 0.
 */
public final class CopyCommand {
    /** Most ranges of one command. */
    public static final int MAX_RANGES = 256;

    private CopyCommand() {}

    /**
     * Clears the entry and writes a command of descriptor format 0; command id and SGL1 remain the caller's to set.
     *
     * @param targetBlock SDLBA
     * @param rangeCount 1 to {@link #MAX_RANGES}
     */
    public static Sqe encode(Sqe sqe, long nsid, long targetBlock, int rangeCount) {
        if (rangeCount < 1 || rangeCount > MAX_RANGES) {
            throw new IllegalArgumentException("a command has 1 to 256 ranges, not " + rangeCount);
        }
        return sqe.clear(Opcode.Nvm.COPY).nsid(nsid).cdwPair(10, targetBlock).cdw(12, rangeCount - 1);
    }

    /** SDLBA, unsigned. */
    public static long targetBlock(Sqe sqe) {
        return sqe.cdwPair(10);
    }

    /** Number of ranges, 1 to {@link #MAX_RANGES}. */
    public static int rangeCount(Sqe sqe) {
        return (int) (sqe.cdw(12) & 0xFF) + 1;
    }

    public static int descriptorFormat(Sqe sqe) {
        return (int) (sqe.cdw(12) >> 8) & 0xF;
    }

    /** PRINFOR, of what is read. */
    public static int readProtectionInfo(Sqe sqe) {
        return (int) (sqe.cdw(12) >> 12) & 0xF;
    }

    /** PRINFOW, of what is written. */
    public static int writeProtectionInfo(Sqe sqe) {
        return (int) (sqe.cdw(12) >> 26) & 0xF;
    }
}
