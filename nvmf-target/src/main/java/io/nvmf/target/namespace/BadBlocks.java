package io.nvmf.target.namespace;

import java.util.ArrayList;
import java.util.List;

/**
 * Blocks that hosts have marked as unreadable (Write Uncorrectable) and nobody has written since. They end with the target.
 * Thread safe; asking reads one immutable array.
 */
public final class BadBlocks {
    /** Ranges that can be marked. */
    static final int MAX_RANGES = 4096;
    /** Writes into the middle of ranges may make so many of them; then what lies behind such a write is forgotten. */
    static final int MAX_PIECES = 2 * MAX_RANGES;

    private static final Range[] NONE = {};

    /** @param end the first block behind it */
    private record Range(long start, long end) {}

    /** Ascending; none touches another. */
    private volatile Range[] ranges = NONE;

    /** Whether one of these blocks is marked. @param end the first block behind them */
    public boolean overlap(long start, long end) {
        Range[] marked = ranges;
        int i = firstEndingAfter(marked, start);
        return i < marked.length && marked[i].start < end;
    }

    private static int firstEndingAfter(Range[] marked, long block) {
        int low = 0;
        int high = marked.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (marked[middle].end > block) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** @return false when there are too many already */
    public synchronized boolean mark(long start, long end) {
        List<Range> marked = new ArrayList<>();
        Range added = new Range(start, end);
        for (Range range : ranges) {
            if (range.end < added.start) {
                marked.add(range);
            } else if (range.start <= added.end) {
                added = new Range(Math.min(added.start, range.start), Math.max(added.end, range.end));
            }
        }
        marked.add(added);
        for (Range range : ranges) {
            if (range.start > added.end) {
                marked.add(range);
            }
        }
        if (marked.size() > MAX_RANGES && marked.size() > ranges.length) {
            return false;
        }
        ranges = marked.toArray(NONE);
        return true;
    }

    /** These blocks have been written. */
    public synchronized void clear(long start, long end) {
        List<Range> left = new ArrayList<>();
        for (Range range : ranges) {
            if (range.end <= start || range.start >= end) {
                left.add(range);
                continue;
            }
            if (range.start < start) {
                left.add(new Range(range.start, start));
            }
            boolean splits = range.start < start && range.end > end;
            if (range.end > end && !(splits && ranges.length >= MAX_PIECES)) {
                left.add(new Range(end, range.end));
            }
        }
        ranges = left.isEmpty() ? NONE : left.toArray(NONE);
    }
}
