package io.nvmf.initiator.namespace;

import io.nvmf.codec.nvm.CopyCommand;
import io.nvmf.codec.nvm.CopyRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Cuts ranges of blocks into Copy commands no larger than the namespace takes, one after the other. */
final class CopyPlan {
    private final List<BlockRange> sources;
    private final int maxRanges;
    private final int maxRangeBlocks;
    private final long maxBlocks;
    private final CopyRange view = new CopyRange();
    private int index;
    /** Blocks of the source at {@code index} that earlier commands hold. */
    private long passedBlocks;
    /** Blocks of all sources that earlier commands hold. */
    private long copiedBlocks;

    /**
     * @param maxRanges of one command, at least 1
     * @param maxRangeBlocks blocks of one range; 0 = no limit told
     * @param maxBlocks blocks of one command; 0 = no limit told
     */
    CopyPlan(List<BlockRange> sources, int maxRanges, int maxRangeBlocks, long maxBlocks) {
        this.sources = List.copyOf(sources);
        this.maxRanges = Math.min(maxRanges, CopyCommand.MAX_RANGES);
        this.maxRangeBlocks = maxRangeBlocks > 0 ? maxRangeBlocks : CopyRange.MAX_BLOCKS;
        this.maxBlocks = maxBlocks > 0 ? maxBlocks : Long.MAX_VALUE;
    }

    boolean hasNext() {
        return index < sources.size();
    }

    /** How many blocks the commands made so far copy. */
    long copiedBlocks() {
        return copiedBlocks;
    }

    /** The data of the next command. */
    ByteBuffer next() {
        ByteBuffer data = ByteBuffer.allocateDirect(maxRanges * CopyRange.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long blocksLeft = maxBlocks;
        int count = 0;
        while (hasNext() && count < maxRanges && blocksLeft > 0) {
            BlockRange source = sources.get(index);
            long sourceLeft = source.blockCount() - passedBlocks;
            int blocks = (int) Math.min(Math.min(sourceLeft, maxRangeBlocks), blocksLeft);
            view.wrap(data, count++ * CopyRange.BYTES).set(source.startBlock() + passedBlocks, blocks);
            blocksLeft -= blocks;
            copiedBlocks += blocks;
            passedBlocks += blocks;
            if (passedBlocks == source.blockCount()) {
                index++;
                passedBlocks = 0;
            }
        }
        return data.limit(count * CopyRange.BYTES);
    }
}
