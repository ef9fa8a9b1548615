package io.nvmf.transport;

import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Memory with a bound, in a few large chunks that a device can have registered, handed out in blocks of whole pages. A
 * block starts on a page, so that a disk may read and write it in place, and lies inside one chunk. Handing out and taking
 * back allocates nothing once a page has begun a block before.
 *
 * <p>Not thread safe: it has one owner, whose thread takes blocks and releases them.
 */
public final class MemorySlab {
    /** Every block's address is a multiple of this. */
    public static final int PAGE_BYTES = 4096;
    /** The longest block there can be. */
    public static final int CHUNK_BYTES = 4 << 20;

    private final List<Chunk> chunks = new ArrayList<>();
    private final long capacityBytes;
    private final Runnable onFree;
    private long freeBytes;

    /** @param capacityBytes how much there may be, rounded down to pages; a chunk is made when it is first needed */
    public MemorySlab(long capacityBytes) {
        this(capacityBytes, () -> {});
    }

    /** @param onFree called each time that a block has come back */
    public MemorySlab(long capacityBytes, Runnable onFree) {
        this.capacityBytes = capacityBytes / PAGE_BYTES * PAGE_BYTES;
        this.freeBytes = this.capacityBytes;
        this.onFree = onFree;
        for (long left = this.capacityBytes; left > 0; left -= CHUNK_BYTES) {
            chunks.add(new Chunk(chunks.size(), (int) Math.min(left, CHUNK_BYTES)));
        }
    }

    /**
     * Makes all memory now: what a device is to know must not come later.
     *
     * @throws OutOfMemoryError when there is too little
     */
    public void makeAll() {
        chunks.forEach(Chunk::make);
    }

    /** What there is, made or not. The list never changes. */
    public List<Chunk> chunks() {
        return chunks;
    }

    public long capacityBytes() {
        return capacityBytes;
    }

    public long freeBytes() {
        return freeBytes;
    }

    /** How many bytes a block takes up. */
    public static long roundedUp(long lengthBytes) {
        return (lengthBytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }

    /**
     * A block of this capacity, empty, to be released once; null when no chunk has that many free pages in a row.
     *
     * @param lengthBytes more than 0
     * @throws OutOfMemoryError when its chunk is to be made and cannot be; the slab is as it was
     */
    public MemoryBlock allocate(int lengthBytes) {
        int pages = (int) (roundedUp(lengthBytes) / PAGE_BYTES);
        for (int i = 0; i < chunks.size(); i++) {
            Chunk chunk = chunks.get(i);
            int page = chunk.findRun(pages);
            if (page >= 0) {
                MemoryBlock block = chunk.take(page, pages, lengthBytes);
                freeBytes -= (long) pages * PAGE_BYTES;
                return block;
            }
        }
        return null;
    }

    private void free(long bytes) {
        freeBytes += bytes;
        onFree.run();
    }

    /** A large piece of memory. */
    public final class Chunk {
        private final int index;
        private final int pages;
        private final BitSet used;
        private final MemoryBlock[] blocks;
        private ByteBuffer memory;
        private long address;
        /** No run of free pages is longer than this; it may be an over-estimate. */
        private int longestRunAtMost;

        private Chunk(int index, int lengthBytes) {
            this.index = index;
            this.pages = lengthBytes / PAGE_BYTES;
            this.used = new BitSet(pages);
            this.blocks = new MemoryBlock[pages];
            this.longestRunAtMost = pages;
        }

        /** Its place among {@link #chunks}. */
        public int index() {
            return index;
        }

        /**
         * All of it, from position 0 to its capacity, made now if it was not.
         *
         * @throws OutOfMemoryError when it cannot be made
         */
        public ByteBuffer memory() {
            make();
            return memory;
        }

        private void make() {
            if (memory == null) {
                ByteBuffer larger = ByteBuffer.allocateDirect((pages + 1) * PAGE_BYTES);
                ByteBuffer aligned = larger.alignedSlice(PAGE_BYTES);
                memory = aligned.slice(0, pages * PAGE_BYTES);
                address = Unpooled.wrappedBuffer(memory).memoryAddress();
            }
        }

        /** The first of so many free pages in a row, or -1. */
        private int findRun(int wanted) {
            int start = 0;
            while (wanted <= longestRunAtMost) {
                start = used.nextClearBit(start);
                if (start + wanted > pages) {
                    longestRunAtMost = wanted - 1;
                    return -1;
                }
                int end = used.nextSetBit(start);
                if (end < 0 || end - start >= wanted) {
                    return start;
                }
                start = end;
            }
            return -1;
        }

        private MemoryBlock take(int page, int count, int lengthBytes) {
            make();
            MemoryBlock block = blocks[page];
            if (block == null) {
                int offset = page * PAGE_BYTES;
                block = new MemoryBlock(this, page, memory.slice(offset, memory.capacity() - offset), address + offset);
                blocks[page] = block;
            }
            used.set(page, page + count);
            block.handOut(lengthBytes);
            return block;
        }

        void giveBack(int page, int lengthBytes) {
            long bytes = roundedUp(lengthBytes);
            used.clear(page, page + (int) (bytes / PAGE_BYTES));
            longestRunAtMost = pages;
            free(bytes);
        }
    }
}
