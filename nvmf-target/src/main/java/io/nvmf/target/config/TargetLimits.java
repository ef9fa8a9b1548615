package io.nvmf.target.config;

/**
 * Sizes and bounds that hold for the whole target.
 *
 * @param maxQueueDepth entries of an I/O queue, 16 to 1024 (MQES + 1, MAXCMD)
 * @param maxIoQueues I/O queues a controller may have, 1 to 1024
 * @param inCapsuleDataBytes data that an I/O command may carry in its capsule, 0 to 131072, a multiple of 16
 * @param maxTransferBytes data of one command (MDTS), a power of two from 4096 to 4 MiB
 * @param bufferMemoryBytes memory for the data of commands that does not travel in capsules, over all event loops; with an
 *     RDMA listener all of it is taken, and locked, at the start
 * @param eventLoops threads that serve connections, up to 1024; given as 0 it becomes the number of processors
 * @param poll whether event loops look for work all the time and never sleep: answers come sooner, for a processor each
 */
public record TargetLimits(
        int maxQueueDepth,
        int maxIoQueues,
        int inCapsuleDataBytes,
        int maxTransferBytes,
        long bufferMemoryBytes,
        int eventLoops,
        boolean poll) {
    public static final long MAX_NSID = 1024;

    private static final int MOST_FUSED_BLOCKS = 16;
    private static final int LARGEST_BLOCK_BYTES = 4096;

    public static final TargetLimits DEFAULT = new TargetLimits(1024, 128, 8192, 1 << 20, 256L << 20, 0, false);

    public TargetLimits {
        require("queue depth", maxQueueDepth, 16, 1024);
        require("number of I/O queues", maxIoQueues, 1, 1024);
        InCapsuleDataSize.require(inCapsuleDataBytes);
        require("maximum transfer size", maxTransferBytes, 4096, 4 << 20);
        require("number of event loops", eventLoops, 0, 1024);
        if (Integer.bitCount(maxTransferBytes) != 1) {
            throw new IllegalArgumentException("maximum transfer size " + maxTransferBytes + " is no power of two");
        }
        if (eventLoops == 0) {
            eventLoops = Runtime.getRuntime().availableProcessors();
        }
        if (bufferMemoryBytes / eventLoops < maxTransferBytes) {
            throw new IllegalArgumentException("buffer memory of " + bufferMemoryBytes
                    + " bytes is less than one maximum transfer for each of " + eventLoops + " event loops");
        }
    }

    /** Those of a target whose event loops sleep when there is nothing to do. */
    public TargetLimits(
            int maxQueueDepth,
            int maxIoQueues,
            int inCapsuleDataBytes,
            int maxTransferBytes,
            long bufferMemoryBytes,
            int eventLoops) {
        this(maxQueueDepth, maxIoQueues, inCapsuleDataBytes, maxTransferBytes, bufferMemoryBytes, eventLoops, false);
    }

    /**
     * Blocks, of any size, that the fused commands Compare and Write may have (ACWU + 1); 0 when they are not offered. Buffers for
     * both are always to be had: together they are no longer than one transfer.
     */
    public int maxFusedBlocks() {
        return Math.min(MOST_FUSED_BLOCKS, maxTransferBytes / (2 * LARGEST_BLOCK_BYTES));
    }

    /**
     * The same with no more buffer memory than a machine has.
     *
     * @throws IllegalArgumentException when too little is left to serve anybody
     */
    public TargetLimits withBufferMemoryUpTo(long mostBytes) {
        return new TargetLimits(
                maxQueueDepth,
                maxIoQueues,
                inCapsuleDataBytes,
                maxTransferBytes,
                Math.min(bufferMemoryBytes, mostBytes),
                eventLoops,
                poll);
    }

    private static void require(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " " + value + " is not between " + min + " and " + max);
        }
    }
}
