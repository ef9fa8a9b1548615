package io.nvmf.target.config;

/**
 * What holds for NVMe/RDMA alone.
 *
 * @param inCapsuleDataBytes data that an I/O command may carry in its capsule, 0 to 131072, a multiple of 16. Memory for
 *     it is held for every entry of every I/O queue, in whole pages
 * @param receiveMemoryBytes memory for capsules over all queues; a queue for which too little is left is refused
 */
public record RdmaConfig(int inCapsuleDataBytes, long receiveMemoryBytes) {
    public static final RdmaConfig DEFAULT = new RdmaConfig(4096, 256L << 20);

    private static final long LEAST_RECEIVE_MEMORY_BYTES = 1 << 20;

    public RdmaConfig {
        InCapsuleDataSize.require(inCapsuleDataBytes);
        if (receiveMemoryBytes < LEAST_RECEIVE_MEMORY_BYTES) {
            throw new IllegalArgumentException(
                    "receive memory of " + receiveMemoryBytes + " bytes is less than " + LEAST_RECEIVE_MEMORY_BYTES);
        }
    }

    /** The same with no more receive memory than a machine has. */
    public RdmaConfig withReceiveMemoryUpTo(long mostBytes) {
        long bytes = Math.max(LEAST_RECEIVE_MEMORY_BYTES, Math.min(receiveMemoryBytes, mostBytes));
        return new RdmaConfig(inCapsuleDataBytes, bytes);
    }
}
