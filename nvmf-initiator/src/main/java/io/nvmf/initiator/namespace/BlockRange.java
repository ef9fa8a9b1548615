package io.nvmf.initiator.namespace;

/**
 * Consecutive blocks.
 *
 * @param startBlock the first, from 0
 * @param blockCount how many, at least 1
 */
public record BlockRange(long startBlock, long blockCount) {
    public BlockRange {
        if (startBlock < 0 || blockCount < 1) {
            throw new IllegalArgumentException("There are no " + blockCount + " blocks at " + startBlock);
        }
    }
}
