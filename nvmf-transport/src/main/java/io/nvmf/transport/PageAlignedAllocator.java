package io.nvmf.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;

/**
 * Pooled direct buffers that start on a page of memory, so that a disk may read and write them in place. May be used from
 * any thread.
 */
public final class PageAlignedAllocator {
    /** Every buffer's address is a multiple of this. */
    public static final int PAGE_BYTES = 4096;

    private static final int POOL_PAGE_BYTES = 8192;
    private static final int CHUNK_ORDER = 9;
    private static final int NORMAL_CACHE_SIZE = 64;

    private final PooledByteBufAllocator pool;
    private final boolean poolAligns;

    /** @param arenas number of pools: one for each event loop keeps them out of each other's way */
    public PageAlignedAllocator(int arenas) {
        this(arenas, PooledByteBufAllocator.isDirectMemoryCacheAlignmentSupported());
    }

    /** Netty aligns its pools with the help of Unsafe, which it does without from Java 25 on. */
    PageAlignedAllocator(int arenas, boolean poolAligns) {
        this.poolAligns = poolAligns;
        this.pool = new PooledByteBufAllocator(
                true, 0, arenas, POOL_PAGE_BYTES, CHUNK_ORDER, 0, NORMAL_CACHE_SIZE, true, poolAligns ? PAGE_BYTES : 0);
    }

    /** A direct buffer in one piece, empty, of exactly this capacity. The caller releases it. */
    public ByteBuf allocate(int lengthBytes) {
        if (poolAligns) {
            return pool.directBuffer(lengthBytes, lengthBytes);
        }
        ByteBuf larger = pool.directBuffer(lengthBytes + PAGE_BYTES);
        int offset = (int) (-larger.memoryAddress() & PAGE_BYTES - 1);
        return larger.slice(offset, lengthBytes).clear();
    }
}
