package io.nvmf.tools.demo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Content that differs from one 8-byte word to the next and from one seed to another, so that misplaced data shows. */
final class Pattern {
    /** Every byte is as it should be. */
    static final int MATCHES = -1;

    private Pattern() {}

    /** Fills a buffer, whose length is a multiple of 8, from its start to its capacity. */
    static void fill(ByteBuffer buffer, long seed) {
        ByteBuffer words = buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < words.capacity(); at += Long.BYTES) {
            words.putLong(at, word(seed, at));
        }
    }

    /** Index of the first byte that {@link #fill} did not write there, or {@link #MATCHES}. */
    static int firstMismatch(ByteBuffer buffer, long seed) {
        ByteBuffer words = buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < words.capacity(); at += Long.BYTES) {
            long difference = words.getLong(at) ^ word(seed, at);
            if (difference != 0) {
                return at + Long.numberOfTrailingZeros(difference) / Byte.SIZE;
            }
        }
        return MATCHES;
    }

    /** The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every bit of the input moves every bit of the output. */
    private static long word(long seed, int at) {
        long z = seed * 0x9E3779B97F4A7C15L + at;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
