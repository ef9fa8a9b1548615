package io.nvmf.target.transport.tcp;

import io.netty.channel.WriteBufferWaterMark;

/**
 * How much may wait for a host that does not take its answers: an equal share for each connection of an event loop of a part
 * of the memory that its commands have for data. Beyond it, nothing is copied into memory that has no bound, and no more
 * commands are read.
 */
final class UntakenAnswers {
    /** For each, however many there are; {@link io.nvmf.target.transport.ConnectionLimit} sees to it that it can be had. */
    static final int LEAST_BYTES = 32 << 10;

    private static final int MOST_BYTES = 1 << 20;
    private static final int LEAST_READ_ON_BYTES = 128 << 10;
    private static final int MOST_READ_ON_BYTES = 4 << 20;
    private static final int PARTS = 4;

    private UntakenAnswers() {}

    /**
     * Whether so many bytes are more than one connection's share.
     *
     * @param memoryBytes for the data of commands, of the event loop
     * @param connections of the event loop; the one asked for may have gone already
     */
    static boolean isMuch(long bytes, long memoryBytes, int connections) {
        return bytes >= LEAST_BYTES && bytes >= between(LEAST_BYTES, share(memoryBytes, connections), MOST_BYTES);
    }

    /** At how many bytes a connection is read no more, and read again. */
    static WriteBufferWaterMark waterMark(long memoryBytes, int connections) {
        int high = between(LEAST_READ_ON_BYTES, share(memoryBytes, connections), MOST_READ_ON_BYTES);
        return new WriteBufferWaterMark(high / 4, high);
    }

    private static long share(long memoryBytes, int connections) {
        return memoryBytes / PARTS / Math.max(1, connections);
    }

    private static int between(int least, long bytes, int most) {
        return (int) Math.max(least, Math.min(bytes, most));
    }
}
