package io.nvmf.initiator.namespace;

import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.DatasetRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Cuts ranges of blocks into Dataset Management commands no larger than the controller takes, one after the other. */
final class Deallocation {
    private static final long MAX_RANGE_BLOCKS = 0xFFFF_FFFFL;

    private final List<BlockRange> ranges;
    private final int maxRanges;
    private final long maxRangeBlocks;
    private final long maxTotalBlocks;
    private final DatasetRange view = new DatasetRange();
    private int index;
    /** Blocks of the range at {@code index} that earlier commands hold. */
    private long passedBlocks;

    Deallocation(List<BlockRange> ranges, NamespaceLimits limits) {
        this.ranges = List.copyOf(ranges);
        maxRanges = Math.max(1, Math.min(limits.ranges(), DatasetManagementCommand.MAX_RANGES));
        maxTotalBlocks = limits.totalRangeBlocks() > 0 ? limits.totalRangeBlocks() : Long.MAX_VALUE;
        maxRangeBlocks = limits.rangeBlocks() > 0 ? limits.rangeBlocks() : MAX_RANGE_BLOCKS;
    }

    boolean hasNext() {
        return index < ranges.size();
    }

    /** The data of the next command. */
    ByteBuffer next() {
        ByteBuffer data =
                ByteBuffer.allocateDirect(maxRanges * DatasetRange.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long blocksLeft = maxTotalBlocks;
        int count = 0;
        while (hasNext() && count < maxRanges && blocksLeft > 0) {
            BlockRange range = ranges.get(index);
            long rangeLeft = range.blockCount() - passedBlocks;
            long blocks = Math.min(Math.min(rangeLeft, maxRangeBlocks), blocksLeft);
            view.wrap(data, count++ * DatasetRange.BYTES).set(range.startBlock() + passedBlocks, blocks);
            blocksLeft -= blocks;
            passedBlocks += blocks;
            if (passedBlocks == range.blockCount()) {
                index++;
                passedBlocks = 0;
            }
        }
        return data.limit(count * DatasetRange.BYTES);
    }
}
