package io.nvmf.initiator.namespace;

/**
 * How large one command may be.
 *
 * @param transferBytes data of a read or write
 * @param writeZeroesBytes blocks of a Write Zeroes, in bytes; 0 = no limit but its own field
 * @param verifyBytes blocks of a Verify, likewise
 * @param writeUncorrectableBytes blocks of a Write Uncorrectable, likewise
 * @param ranges of a Dataset Management command, 1 to 256
 * @param rangeBlocks blocks of one range; 0 = no limit
 * @param totalRangeBlocks blocks of all ranges; 0 = no limit, unsigned
 */
public record NamespaceLimits(
        long transferBytes,
        long writeZeroesBytes,
        long verifyBytes,
        long writeUncorrectableBytes,
        int ranges,
        long rangeBlocks,
        long totalRangeBlocks) {
    /** What both allow. */
    public NamespaceLimits and(NamespaceLimits other) {
        return new NamespaceLimits(
                Math.min(transferBytes, other.transferBytes),
                least(writeZeroesBytes, other.writeZeroesBytes),
                least(verifyBytes, other.verifyBytes),
                least(writeUncorrectableBytes, other.writeUncorrectableBytes),
                Math.min(ranges, other.ranges),
                least(rangeBlocks, other.rangeBlocks),
                least(totalRangeBlocks, other.totalRangeBlocks));
    }

    /** 0 is no limit. */
    private static long least(long one, long other) {
        return one == 0 ? other : other == 0 ? one : Math.min(one, other);
    }
}
