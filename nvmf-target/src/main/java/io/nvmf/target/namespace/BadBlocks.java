package io.nvmf.target.namespace;

import io.nvmf.codec.Status;
import io.nvmf.target.state.BlockSpan;
import io.nvmf.target.state.NamespaceState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Blocks that hosts have marked as unreadable (Write Uncorrectable) and nobody has written since. Thread safe; asking reads
 * one immutable array.
 */
public final class BadBlocks {
    /** Ranges that can be marked. */
    static final int MAX_RANGES = NamespaceState.MAX_BAD_SPANS / 2;
    /** Writes into the middle of ranges may make so many of them; then what lies behind such a write is forgotten. */
    static final int MAX_PIECES = NamespaceState.MAX_BAD_SPANS;

    private static final BlockSpan[] NONE = {};

    private final KeptState kept;
    /** Ascending; none touches another. */
    private volatile BlockSpan[] ranges;

    BadBlocks(KeptState kept) {
        this.kept = kept;
        this.ranges = kept.atStart().badBlocks().toArray(NONE);
    }

    /** Whether one of these blocks is marked. @param end the first block behind them */
    public boolean overlap(long start, long end) {
        BlockSpan[] marked = ranges;
        int i = firstEndingAfter(marked, start);
        return i < marked.length && marked[i].start() < end;
    }

    private static int firstEndingAfter(BlockSpan[] marked, long block) {
        int low = 0;
        int high = marked.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (marked[middle].end() > block) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /**
     * Marks blocks, when that is kept. Any thread.
     *
     * @param end the first block behind them
     * @return a status, without flags: Capacity Exceeded when there are too many already; ends on any thread
     */
    public CompletableFuture<Integer> mark(long start, long end) {
        return kept.change(() -> markNow(new BlockSpan(start, end)), status -> status);
    }

    private int markNow(BlockSpan wanted) throws IOException {
        List<BlockSpan> marked = new ArrayList<>();
        BlockSpan added = wanted;
        for (BlockSpan range : ranges) {
            if (range.end() < added.start()) {
                marked.add(range);
            } else if (range.start() <= added.end()) {
                added = new BlockSpan(Math.min(added.start(), range.start()), Math.max(added.end(), range.end()));
            }
        }
        marked.add(added);
        for (BlockSpan range : ranges) {
            if (range.start() > added.end()) {
                marked.add(range);
            }
        }
        if (marked.size() > MAX_RANGES && marked.size() > ranges.length) {
            return Status.CAPACITY_EXCEEDED;
        }
        change(marked);
        return Status.SUCCESS;
    }

    /**
     * These blocks have been written: they can be read from now on, when that is kept. Their new data must be as durable as
     * the mark was. Any thread.
     *
     * @param end the first block behind them
     * @return a status, without flags; ends on any thread
     */
    public CompletableFuture<Integer> clear(long start, long end) {
        return kept.change(() -> clearNow(start, end), status -> status);
    }

    private int clearNow(long start, long end) throws IOException {
        List<BlockSpan> left = new ArrayList<>();
        for (BlockSpan range : ranges) {
            if (range.end() <= start || range.start() >= end) {
                left.add(range);
                continue;
            }
            if (range.start() < start) {
                left.add(new BlockSpan(range.start(), start));
            }
            boolean splits = range.start() < start && range.end() > end;
            if (range.end() > end && !(splits && ranges.length >= MAX_PIECES)) {
                left.add(new BlockSpan(end, range.end()));
            }
        }
        change(left);
        return Status.SUCCESS;
    }

    private void change(List<BlockSpan> next) throws IOException {
        kept.save(all -> all.withBadBlocks(next));
        ranges = next.isEmpty() ? NONE : next.toArray(NONE);
    }
}
