package io.nvmf.tools.perf;

import java.util.BitSet;

/**
 * What a stream knows of the blocks of its range: how often it has written each, and which have a request on its way, so
 * that no two requests that are out together have a block in common. Owned by one event loop.
 */
final class Ledger {
    /** Blocks that are followed at most: as much memory as a quarter of a gigabyte. */
    static final int MAX_BLOCKS = 1 << 26;

    private final int[] generations;
    private final BitSet busy;

    Ledger(int blocks) {
        generations = new int[blocks];
        busy = new BitSet(blocks);
    }

    /** False if a block has a request on its way; nothing happens then. */
    boolean claim(int block, int count) {
        int next = busy.nextSetBit(block);
        if (next >= 0 && next < block + count) {
            return false;
        }
        busy.set(block, block + count);
        return true;
    }

    void release(int block, int count) {
        busy.clear(block, block + count);
    }

    /** 0 for a block that this run has not written. */
    int generation(int block) {
        return generations[block];
    }

    void written(int block, int generation) {
        generations[block] = generation;
    }
}
