package io.nvmf.initiator.transport;

import java.util.BitSet;

/** Runs of pages of one piece of memory, taken and given back. Allocates nothing. Owned by the queue's event loop. */
final class PagePool {
    static final int PAGE_BYTES = 4096;

    private final int pages;
    private final BitSet taken;

    PagePool(int pages) {
        this.pages = pages;
        taken = new BitSet(pages);
    }

    static int pagesFor(int lengthBytes) {
        return (lengthBytes + PAGE_BYTES - 1) / PAGE_BYTES;
    }

    /** The first page of a run that is the caller's now, or negative when there is none. */
    int take(int count) {
        for (int from = taken.nextClearBit(0); from + count <= pages; ) {
            int end = taken.nextSetBit(from);
            if (end < 0 || end - from >= count) {
                taken.set(from, from + count);
                return from;
            }
            from = taken.nextClearBit(end);
        }
        return -1;
    }

    void giveBack(int from, int count) {
        taken.clear(from, from + count);
    }
}
