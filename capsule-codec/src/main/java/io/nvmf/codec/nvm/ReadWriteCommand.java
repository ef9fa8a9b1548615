package io.nvmf.codec.nvm;

import io.nvmf.codec.Sqe;

/**
 * Fields that Read, Write, Compare, Verify, Write Uncorrectable and Write Zeroes share (NVM Command Set 1.0 s3.2).
 *
 * <pre>
 * CDW10-11 SLBA   CDW12 15:0 NLB (zero based), 29:26 PRINFO, 30 FUA, 31 LR
 * </pre>
 */
public final class ReadWriteCommand {
    /** Most blocks of one command. */
    public static final int MAX_BLOCKS = 0x1_0000;

    private static final long FORCE_UNIT_ACCESS = 1L << 30;
    private static final long LIMITED_RETRY = 1L << 31;

    private ReadWriteCommand() {}

    /**
     * Clears the entry and writes a command; command id and SGL1 remain the caller's to set.
     *
     * @param blockCount 1 to {@link #MAX_BLOCKS}
     */
    public static Sqe encode(Sqe sqe, int opcode, long nsid, long startBlock, int blockCount) {
        if (blockCount < 1 || blockCount > MAX_BLOCKS) {
            throw new IllegalArgumentException("a command has 1 to 65536 blocks, not " + blockCount);
        }
        return sqe.clear(opcode).nsid(nsid).cdwPair(10, startBlock).cdw(12, blockCount - 1);
    }

    /** SLBA, unsigned. */
    public static long startBlock(Sqe sqe) {
        return sqe.cdwPair(10);
    }

    /** Number of blocks, 1 to {@link #MAX_BLOCKS}. */
    public static int blockCount(Sqe sqe) {
        return (int) (sqe.cdw(12) & 0xFFFF) + 1;
    }

    /** PRINFO: bit 0 check reference tag, 1 application tag, 2 guard, 3 PRACT. */
    public static int protectionInfo(Sqe sqe) {
        return (int) (sqe.cdw(12) >> 26) & 0xF;
    }

    /** FUA: the data is on the medium before the command completes. */
    public static boolean forceUnitAccess(Sqe sqe) {
        return (sqe.cdw(12) & FORCE_UNIT_ACCESS) != 0;
    }

    public static Sqe forceUnitAccess(Sqe sqe, boolean forceUnitAccess) {
        return setBit(sqe, FORCE_UNIT_ACCESS, forceUnitAccess);
    }

    /** LR. */
    public static boolean limitedRetry(Sqe sqe) {
        return (sqe.cdw(12) & LIMITED_RETRY) != 0;
    }

    public static Sqe limitedRetry(Sqe sqe, boolean limitedRetry) {
        return setBit(sqe, LIMITED_RETRY, limitedRetry);
    }

    static Sqe setBit(Sqe sqe, long bit, boolean value) {
        return sqe.cdw(12, sqe.cdw(12) & ~bit | (value ? bit : 0));
    }
}
