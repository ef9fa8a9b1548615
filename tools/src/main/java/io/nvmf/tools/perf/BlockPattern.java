package io.nvmf.tools.perf;

import java.nio.ByteBuffer;

/**
 * Data that tells which block it belongs to and which write of it that was: each block begins with its number and its stamp,
 * the number of the run above and the generation, how often the run has written it, below. All that follows depends on both and
 * on the seed.
 */
final class BlockPattern {
    static final long GOOD = -1;

    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;
    private static final int BLOCK_AT = 0;
    private static final int STAMP_AT = 8;
    private static final int BODY_AT = 16;

    private final int blockBytes;
    private final long seed;
    private final int run;

    /** @param run what another run, of the same seed too, hardly has: else a write that is lost shows what that has written */
    BlockPattern(int blockBytes, long seed, int run) {
        this.blockBytes = blockBytes;
        this.seed = seed;
        this.run = run;
    }

    private long stamp(int generation) {
        return (long) run << Integer.SIZE | generation;
    }

    /** Fills one block. */
    void write(ByteBuffer data, int at, long block, int generation) {
        data.putLong(at + BLOCK_AT, block);
        data.putLong(at + STAMP_AT, stamp(generation));
        long state = start(block, stamp(generation));
        for (int i = BODY_AT; i < blockBytes; i += Long.BYTES) {
            state += GOLDEN;
            data.putLong(at + i, mix(state));
        }
    }

    /** The generation that a block claims to be of. */
    int generation(ByteBuffer data, int at) {
        return (int) data.getLong(at + STAMP_AT);
    }

    /** Whether it claims to be of this run and generation. */
    boolean isOf(int generation, ByteBuffer data, int at) {
        return data.getLong(at + STAMP_AT) == stamp(generation);
    }

    /** Offset in the block of the first eight bytes that are wrong, {@link #GOOD} if all are right. */
    long firstWrong(ByteBuffer data, int at, long block) {
        if (data.getLong(at + BLOCK_AT) != block) {
            return BLOCK_AT;
        }
        long state = start(block, data.getLong(at + STAMP_AT));
        for (int i = BODY_AT; i < blockBytes; i += Long.BYTES) {
            state += GOLDEN;
            if (data.getLong(at + i) != mix(state)) {
                return i;
            }
        }
        return GOOD;
    }

    private long start(long block, long stamp) {
        return mix(seed ^ mix(block ^ mix(stamp)));
    }

    /** Changes half of the bits for each that differs (the finalizer of SplitMix64). */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D0_49BB_1331_11EBL;
        return mixed ^ mixed >>> 31;
    }
}
