package io.nvmf.transport.rdma;

/**
 * The measures of a queue pair, to be within the device's {@link DeviceLimits}.
 *
 * @param sends work requests of all kinds that may be posted to the send queue at a time
 * @param receives receives that may be posted at a time
 */
public record QueuePairSize(int sends, int receives) {
    /** Pieces of memory of each send and receive: a capsule's entry and its data. */
    public static final int SEGMENTS = 2;
}
