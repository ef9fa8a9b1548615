package io.nvmf.codec.feature;

/**
 * The value of feature 07h (NVMe Base 2.0 s5.27.1.5): 15:0 I/O submission queues, 31:16 I/O completion queues, both zero
 * based on the wire and plain counts (1 to 65536) here. FFFFh on the wire is not allowed.
 */
public final class NumberOfQueues {
    private NumberOfQueues() {}

    public static int submissionQueues(long value) {
        return (int) (value & 0xFFFF) + 1;
    }

    public static int completionQueues(long value) {
        return (int) (value >> 16 & 0xFFFF) + 1;
    }

    /** The value for as many submission as completion queues. */
    public static long encode(int queuePairs) {
        if (queuePairs < 1 || queuePairs > 0xFFFF) {
            throw new IllegalArgumentException("a controller has 1 to 65535 I/O queues, not " + queuePairs);
        }
        return (queuePairs - 1) * 0x1_0001L;
    }

    /** Whether neither count is the forbidden FFFFh. */
    public static boolean isValid(long value) {
        return submissionQueues(value) <= 0xFFFF && completionQueues(value) <= 0xFFFF;
    }
}
