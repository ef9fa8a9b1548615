package io.nvmf.target.backend.memory;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockDevice;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
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

    private static final int GROUP_CHUNKS = 1024;
    private static final int GROUP_CHUNK_MASK = GROUP_CHUNKS - 1;

    /** Of 64 MiB. */
    private static final int GROUP_SHIFT = CHUNK_SHIFT + 10;

    private static final long GROUP_MASK = (1L << GROUP_SHIFT) - 1;

    /** Giving a chunk back takes about as long as finding so many that are absent. */
    private static final int DROP_EFFORT = 32;

    /** So many bytes are filled in about the time of finding that a chunk is absent. */
    private static final int FILL_BYTES_PER_EFFORT = 64;

    private static final int SIZE_UNIT_BYTES = 512;
    private static final String SIZE_FORM = "a multiple of " + SIZE_UNIT_BYTES + " bytes, at most " + MAX_SIZE_BYTES;
    /** What is read where nothing was written. Copied, for Netty makes zeros of a buffer it has not pooled in steps of 8 bytes. */
    private static final byte[] ZEROS = new byte[CHUNK_BYTES];

    private static final Budget HEAP = new Budget(Runtime.getRuntime().maxMemory() / 4 * 3);

    private final Budget budget;

    /** As many as the device has ever needed: it keeps the same ones at every length, so that no write gets lost. */
    private volatile Group[] groups = new Group[0];

    private volatile long sizeBytes;

    /** Chunks side by side. */
    private static final class Group {
        private final AtomicReferenceArray<byte[]> chunks = new AtomicReferenceArray<>(GROUP_CHUNKS);

        /** At least the number of chunks: raised before one appears, lowered after one has gone. */
        private final AtomicInteger held = new AtomicInteger();
    }

    /**
     * Makes a device that reads as zeros.
     *
     * @param sizeBytes a multiple of 512, at most {@link #MAX_SIZE_BYTES}
     */
    public MemoryBlockDevice(long sizeBytes) {
        this(sizeBytes, HEAP);
    }

    MemoryBlockDevice(long sizeBytes, Budget budget) {
        if (!isSize(sizeBytes)) {
            throw new IllegalArgumentException("The size of a memory device must be " + SIZE_FORM + ": " + sizeBytes);
        }
        this.budget = budget;
        this.groups = groupsFor(sizeBytes);
        this.sizeBytes = sizeBytes;
    }

    private static boolean isSize(long bytes) {
        return bytes > 0 && bytes <= MAX_SIZE_BYTES && bytes % SIZE_UNIT_BYTES == 0;
    }

    /** Those there are, and more if need be. */
    private Group[] groupsFor(long bytes) {
        int before = groups.length;
        int count = Math.max(before, (int) ((bytes + GROUP_MASK) >>> GROUP_SHIFT));
        Group[] enough = Arrays.copyOf(groups, count);
        for (int i = before; i < count; i++) {
            enough[i] = new Group();
        }
        return enough;
    }

    /** What is written beyond a new end meanwhile has no effect. */
    @Override
    public synchronized void resize(long newSizeBytes) throws IOException {
        if (newSizeBytes == 0) {
            return; // nothing else lies under it
        }
        if (!isSize(newSizeBytes)) {
            throw new IOException("memory can be " + SIZE_FORM + " long, not " + newSizeBytes);
        }
        long before = sizeBytes;
        groups = groupsFor(newSizeBytes);
        sizeBytes = newSizeBytes;
        // A writer looks at the size after its chunk has appeared, and again with the chunk's monitor: either it sees
        // the
        // new one, or what it has stored is seen here.
        clear(newSizeBytes, before);
    }

    private void clear(long fromBytes, long toBytes) {
        for (long offset = fromBytes; offset < toBytes; offset = (offset | CHUNK_MASK) + 1) {
            int i = (int) (offset >>> CHUNK_SHIFT);
            int from = (int) offset & CHUNK_MASK;
            byte[] chunk = chunk(groups, i);
            if (chunk != null && from == 0) {
                drop(groups, i);
            } else if (chunk != null) {
                synchronized (chunk) {
                    Arrays.fill(chunk, from, CHUNK_BYTES, (byte) 0);
                }
            }
        }
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
        for (Group group : groups) {
            for (int i = 0; i < GROUP_CHUNKS; i++) {
                allocated += group.chunks.getPlain(i) == null ? 0 : CHUNK_BYTES;
            }
        }
        return allocated;
    }

    @Override
    public void close() {
        for (int i = 0; i < groups.length * GROUP_CHUNKS; i++) {
            drop(groups, i);
        }
    }

    private static byte[] chunk(Group[] groups, int i) {
        return groups[groupOfChunk(i)].chunks.getAcquire(i & GROUP_CHUNK_MASK);
    }

    void read(long offsetBytes, ByteBuf buffer, int index, int lengthBytes) {
        Group[] now = groups;
        long offset = offsetBytes;
        int to = index;
        int end = index + lengthBytes;
        while (to < end) {
            int from = (int) offset & CHUNK_MASK;
            int piece = Math.min(CHUNK_BYTES - from, end - to);
            byte[] chunk = chunk(now, (int) (offset >>> CHUNK_SHIFT));
            if (chunk == null) {
                buffer.setBytes(to, ZEROS, 0, piece);
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
        Group[] now = groups;
        long offset = offsetBytes;
        int from = index;
        int end = index + lengthBytes;
        while (from < end) {
            int to = (int) offset & CHUNK_MASK;
            int piece = Math.min(CHUNK_BYTES - to, end - from);
            byte[] chunk = chunkForWrite(now, (int) (offset >>> CHUNK_SHIFT));
            if (chunk == null) {
                return false;
            }
            synchronized (chunk) {
                int inside = (int) Math.min(piece, Math.max(0, sizeBytes - offset));
                buffer.getBytes(from, chunk, to, inside);
            }
            offset += piece;
            from += piece;
        }
        return true;
    }

    private byte[] chunkForWrite(Group[] groups, int i) {
        byte[] chunk = chunk(groups, i);
        if (chunk != null) {
            return chunk;
        }
        if (!budget.take(CHUNK_BYTES)) {
            return null;
        }
        byte[] fresh = new byte[CHUNK_BYTES];
        Group group = groups[groupOfChunk(i)];
        group.held.incrementAndGet();
        byte[] other = group.chunks.compareAndExchange(i & GROUP_CHUNK_MASK, null, fresh);
        if (other != null) {
            onChunkGone(group);
            return other;
        }
        if ((long) i << CHUNK_SHIFT >= sizeBytes) {
            drop(groups, i);
        }
        return fresh;
    }

    /**
     * Makes a range read as zeros, from its beginning on, until all of it does or the effort is spent. A group without
     * chunks is passed in one step.
     *
     * @return where the rest begins; {@code endBytes} when nothing is left
     */
    long zero(long offsetBytes, long endBytes, Effort effort) {
        Group[] now = groups;
        long offset = offsetBytes;
        while (offset < endBytes && effort.left > 0) {
            effort.left--;
            if (now[(int) (offset >>> GROUP_SHIFT)].held.get() == 0) {
                offset = Math.min((offset | GROUP_MASK) + 1, endBytes);
            } else {
                offset += zeroInChunk(now, offset, endBytes - offset, effort);
            }
        }
        return offset;
    }

    /** Makes the part of the range that lies in the chunk of {@code offset} read as zeros; returns that part's length. */
    private long zeroInChunk(Group[] groups, long offset, long lengthBytes, Effort effort) {
        int i = (int) (offset >>> CHUNK_SHIFT);
        int from = (int) offset & CHUNK_MASK;
        int piece = (int) Math.min(CHUNK_BYTES - from, lengthBytes);
        byte[] chunk = chunk(groups, i);
        if (chunk == null) {
            return piece;
        }
        if (piece == CHUNK_BYTES) {
            effort.left -= DROP_EFFORT;
            drop(groups, i);
        } else {
            effort.left -= piece / FILL_BYTES_PER_EFFORT;
            synchronized (chunk) {
                Arrays.fill(chunk, from, from + piece, (byte) 0);
            }
        }
        return piece;
    }

    private void drop(Group[] groups, int i) {
        Group group = groups[groupOfChunk(i)];
        int at = i & GROUP_CHUNK_MASK;
        if (group.chunks.getPlain(at) != null && group.chunks.getAndSet(at, null) != null) {
            onChunkGone(group);
        }
    }

    private void onChunkGone(Group group) {
        group.held.decrementAndGet();
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
