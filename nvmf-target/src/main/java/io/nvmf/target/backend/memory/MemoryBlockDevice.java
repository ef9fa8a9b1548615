package io.nvmf.target.backend.memory;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockDevice;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A sparse block device in the Java heap, for tests and scratch data; its contents end with it.
 *
 * <p>Memory comes in chunks of 64 KiB, each allocated by the first write to it and given back when a deallocate or write
 * zeroes covers it whole. All memory devices together hold at most three quarters of the largest heap; a write beyond
 * that is answered NO_SPACE.
 *
 * <p>Shared by all loops: a chunk appears and goes by one atomic step, and is copied from and to under its own monitor, for
 * not even one block would be atomic otherwise (AWUN). A monitor that nobody else wants costs one compare-and-set.
 */
public final class MemoryBlockDevice implements BlockDevice {
    /** The largest size; its table of chunks alone takes 64 MiB or more. */
    public static final long MAX_SIZE_BYTES = 1L << 40;

    static final int CHUNK_BYTES = 64 * 1024;

    private static final int CHUNK_SHIFT = 16;
    private static final int CHUNK_MASK = CHUNK_BYTES - 1;

    /** A group is 1024 chunks, hence 64 MiB. */
    private static final int GROUP_SHIFT = CHUNK_SHIFT + 10;

    private static final long GROUP_MASK = (1L << GROUP_SHIFT) - 1;

    /** Giving a chunk back takes about as long as finding so many that are absent. */
    private static final int DROP_EFFORT = 32;

    /** So many bytes are filled in about the time of finding that a chunk is absent. */
    private static final int FILL_BYTES_PER_EFFORT = 64;

    private static final int SIZE_UNIT_BYTES = 512;
    private static final Budget HEAP = new Budget(Runtime.getRuntime().maxMemory() / 4 * 3);

    private final long sizeBytes;
    private final AtomicReferenceArray<byte[]> chunks;

    /** At least the number of chunks that each group holds: raised before one appears, lowered after one has gone. */
    private final AtomicIntegerArray groupChunks;

    private final Budget budget;

    /**
     * Makes a device that reads as zeros.
     *
     * @param sizeBytes a multiple of 512, at most {@link #MAX_SIZE_BYTES}
     */
    public MemoryBlockDevice(long sizeBytes) {
        this(sizeBytes, HEAP);
    }

    MemoryBlockDevice(long sizeBytes, Budget budget) {
        if (sizeBytes <= 0 || sizeBytes > MAX_SIZE_BYTES || sizeBytes % SIZE_UNIT_BYTES != 0) {
            throw new IllegalArgumentException("The size of a memory device must be a multiple of " + SIZE_UNIT_BYTES
                    + " bytes, at most " + MAX_SIZE_BYTES + ": " + sizeBytes);
        }
        this.sizeBytes = sizeBytes;
        this.budget = budget;
        this.chunks = new AtomicReferenceArray<>((int) ((sizeBytes + CHUNK_MASK) >>> CHUNK_SHIFT));
        this.groupChunks = new AtomicIntegerArray((int) ((sizeBytes + GROUP_MASK) >>> GROUP_SHIFT));
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public int alignmentBytes() {
        return 1;
    }

    /** No: a flush would keep nothing that a loss of power takes. */
    @Override
    public boolean isVolatile() {
        return true;
    }

    @Override
    public boolean hasVolatileWriteCache() {
        return false;
    }

    @Override
    public String description() {
        return "memory";
    }

    @Override
    public BlockChannel openChannel(IoEventLoop loop) {
        return new MemoryBlockChannel(this, loop);
    }

    /** Bytes of heap that hold data. */
    public long allocatedBytes() {
        long allocated = 0;
        for (int i = 0; i < chunks.length(); i++) {
            allocated += chunks.getPlain(i) == null ? 0 : CHUNK_BYTES;
        }
        return allocated;
    }

    @Override
    public void close() {
        for (int i = 0; i < chunks.length(); i++) {
            drop(i);
        }
    }

    void read(long offsetBytes, ByteBuf buffer, int index, int lengthBytes) {
        long offset = offsetBytes;
        int to = index;
        int end = index + lengthBytes;
        while (to < end) {
            int from = (int) offset & CHUNK_MASK;
            int piece = Math.min(CHUNK_BYTES - from, end - to);
            byte[] chunk = chunks.getAcquire((int) (offset >>> CHUNK_SHIFT));
            if (chunk == null) {
                buffer.setZero(to, piece);
            } else {
                synchronized (chunk) {
                    buffer.setBytes(to, chunk, from, piece);
                }
            }
            offset += piece;
            to += piece;
        }
    }

    /** Returns false when the budget ran out; what fitted is stored. */
    boolean write(long offsetBytes, ByteBuf buffer, int index, int lengthBytes) {
        long offset = offsetBytes;
        int from = index;
        int end = index + lengthBytes;
        while (from < end) {
            int to = (int) offset & CHUNK_MASK;
            int piece = Math.min(CHUNK_BYTES - to, end - from);
            byte[] chunk = chunkForWrite((int) (offset >>> CHUNK_SHIFT));
            if (chunk == null) {
                return false;
            }
            synchronized (chunk) {
                buffer.getBytes(from, chunk, to, piece);
            }
            offset += piece;
            from += piece;
        }
        return true;
    }

    private byte[] chunkForWrite(int i) {
        byte[] chunk = chunks.getAcquire(i);
        if (chunk != null) {
            return chunk;
        }
        if (!budget.take(CHUNK_BYTES)) {
            return null;
        }
        byte[] fresh = new byte[CHUNK_BYTES];
        groupChunks.incrementAndGet(groupOfChunk(i));
        byte[] other = chunks.compareAndExchange(i, null, fresh);
        if (other == null) {
            return fresh;
        }
        onChunkGone(i);
        return other;
    }

    /**
     * Makes a range read as zeros, from its beginning on, until all of it does or the effort is spent. A group without
     * chunks is passed in one step.
     *
     * @return where the rest begins; {@code endBytes} when nothing is left
     */
    long zero(long offsetBytes, long endBytes, Effort effort) {
        long offset = offsetBytes;
        while (offset < endBytes && effort.left > 0) {
            effort.left--;
            if (groupChunks.get((int) (offset >>> GROUP_SHIFT)) == 0) {
                offset = Math.min((offset | GROUP_MASK) + 1, endBytes);
            } else {
                offset += zeroInChunk(offset, endBytes - offset, effort);
            }
        }
        return offset;
    }

    /** Makes the part of the range that lies in the chunk of {@code offset} read as zeros; returns that part's length. */
    private long zeroInChunk(long offset, long lengthBytes, Effort effort) {
        int i = (int) (offset >>> CHUNK_SHIFT);
        int from = (int) offset & CHUNK_MASK;
        int piece = (int) Math.min(CHUNK_BYTES - from, lengthBytes);
        boolean wholeChunk = from == 0 && (piece == CHUNK_BYTES || offset + piece == sizeBytes);
        byte[] chunk = chunks.getAcquire(i);
        if (chunk == null) {
            return piece;
        }
        if (wholeChunk) {
            effort.left -= DROP_EFFORT;
            drop(i);
        } else {
            effort.left -= piece / FILL_BYTES_PER_EFFORT;
            synchronized (chunk) {
                Arrays.fill(chunk, from, from + piece, (byte) 0);
            }
        }
        return piece;
    }

    private void drop(int i) {
        if (chunks.getPlain(i) != null && chunks.getAndSet(i, null) != null) {
            onChunkGone(i);
        }
    }

    private void onChunkGone(int i) {
        groupChunks.decrementAndGet(groupOfChunk(i));
        budget.giveBack(CHUNK_BYTES);
    }

    private static int groupOfChunk(int i) {
        return i >>> (GROUP_SHIFT - CHUNK_SHIFT);
    }

    /** How much work may still be done before others have their turn; about a nanosecond each. Owned by a channel. */
    static final class Effort {
        int left;

        Effort(int left) {
            this.left = left;
        }
    }

    /** How many bytes may still be allocated. Any thread. */
    static final class Budget {
        private final AtomicLong leftBytes;

        Budget(long bytes) {
            leftBytes = new AtomicLong(bytes);
        }

        boolean take(long bytes) {
            if (leftBytes.addAndGet(-bytes) >= 0) {
                return true;
            }
            giveBack(bytes);
            return false;
        }

        void giveBack(long bytes) {
            leftBytes.addAndGet(bytes);
        }

        long leftBytes() {
            return leftBytes.get();
        }
    }
}
