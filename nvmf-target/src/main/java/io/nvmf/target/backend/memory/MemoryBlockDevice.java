package io.nvmf.target.backend.memory;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.netty.util.internal.PlatformDependent;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockDevice;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A sparse block device in the Java heap, for tests and scratch data; its contents end with it.
 *
 * <p>Memory comes in chunks of 64 KiB, each allocated by the first write to it and given back when a deallocate or write
 * zeroes covers it whole. All memory devices together hold at most {@link #mostBytes}; a write beyond that is answered
 * NO_SPACE.
 *
 * <p>Shared by all loops: a chunk appears and goes by one atomic step, and is copied from and to under a lock of its own, for
 * not even one block would be atomic otherwise (AWUN). What a loop has not touched for long is in no cache, and to wait for
 * memory once more takes longer than all else that a read does: so locks lie side by side, apart from the chunks, and nothing
 * looks at a chunk's length or type.
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

    /** About ten microseconds, longer than a chunk is copied. */
    private static final int LOCK_SPINS = 200;

    private static final int SIZE_UNIT_BYTES = 512;
    private static final String SIZE_FORM = "a multiple of " + SIZE_UNIT_BYTES + " bytes, at most " + MAX_SIZE_BYTES;
    /** What is read where nothing was written. Copied, for Netty makes zeros of a buffer it has not pooled in steps of 8 bytes. */
    private static final byte[] ZEROS = new byte[CHUNK_BYTES];

    private static final Budget HEAP = new Budget(mostBytes(Runtime.getRuntime().maxMemory()));

    /** Of the heap, for all else, however small the heap is: connections, commands, what Java needs for itself. */
    private static final long OTHERS_BYTES = 24L << 20;

    private final Budget budget;

    /** As many as the device has ever needed: it keeps the same ones at every length, so that no write gets lost. */
    private volatile Group[] groups = new Group[0];

    private volatile long sizeBytes;

    /** Chunks side by side, with their locks: 1 when taken, else 0. Asked for a chunk by its number in the device. */
    private static final class Group {
        /** Knows what the elements are; an AtomicReferenceArray would look at each chunk. */
        private static final VarHandle CHUNK = MethodHandles.arrayElementVarHandle(byte[][].class);

        private final byte[][] chunks = new byte[GROUP_CHUNKS][];
        private final AtomicIntegerArray locks = new AtomicIntegerArray(GROUP_CHUNKS);

        /** At least the number of chunks: raised before one appears, lowered after one has gone. */
        private final AtomicInteger held = new AtomicInteger();

        byte[] chunk(int i) {
            return (byte[]) CHUNK.getAcquire(chunks, i & GROUP_CHUNK_MASK);
        }

        /** @return what was there before; {@code chunk} is stored only when that is null */
        byte[] putIfAbsent(int i, byte[] chunk) {
            return (byte[]) CHUNK.compareAndExchange(chunks, i & GROUP_CHUNK_MASK, (byte[]) null, chunk);
        }

        byte[] remove(int i) {
            return (byte[]) CHUNK.getAndSet(chunks, i & GROUP_CHUNK_MASK, (byte[]) null);
        }

        /** For as long as a chunk is copied or filled, microseconds; whoever has it must be let go on when it lasts longer. */
        void lock(int i) {
            for (int tries = 0; !locks.weakCompareAndSetAcquire(i & GROUP_CHUNK_MASK, 0, 1); tries++) {
                if (tries < LOCK_SPINS) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
        }

        void unlock(int i) {
            locks.setRelease(i & GROUP_CHUNK_MASK, 0);
        }

        void fillZero(byte[] chunk, int i, int from, int to) {
            lock(i);
            Arrays.fill(chunk, from, to, (byte) 0);
            unlock(i);
        }
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

    /**
     * How much all memory devices together may hold: three quarters of the heap, but of a heap below 96 MiB less, down to half,
     * for all else needs more than the rest.
     *
     * @param heapBytes the largest heap
     */
    public static long mostBytes(long heapBytes) {
        return Math.max(heapBytes / 2, Math.min(heapBytes / 4 * 3, heapBytes - OTHERS_BYTES));
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
        // A writer looks at the size after its chunk has appeared, and again with the chunk's lock: either it sees the
        // new one, or what it has stored is seen here.
        clear(newSizeBytes, before);
    }

    private void clear(long fromBytes, long toBytes) {
        for (long offset = fromBytes; offset < toBytes; offset = (offset | CHUNK_MASK) + 1) {
            int i = (int) (offset >>> CHUNK_SHIFT);
            int from = (int) offset & CHUNK_MASK;
            Group group = group(groups, i);
            byte[] chunk = group.chunk(i);
            if (chunk != null && from == 0) {
                drop(group, i);
            } else if (chunk != null) {
                group.fillZero(chunk, i, from, CHUNK_BYTES);
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
                allocated += group.chunk(i) == null ? 0 : CHUNK_BYTES;
            }
        }
        return allocated;
    }

    @Override
    public void close() {
        for (int i = 0; i < groups.length * GROUP_CHUNKS; i++) {
            drop(group(groups, i), i);
        }
    }

    private static Group group(Group[] groups, int i) {
        return groups[i >>> (GROUP_SHIFT - CHUNK_SHIFT)];
    }

    void read(long offsetBytes, ByteBuf buffer, int index, int lengthBytes) {
        Objects.checkFromIndexSize(index, lengthBytes, buffer.capacity());
        Group[] now = groups;
        long offset = offsetBytes;
        int to = index;
        int end = index + lengthBytes;
        while (to < end) {
            int from = (int) offset & CHUNK_MASK;
            int piece = Math.min(CHUNK_BYTES - from, end - to);
            int i = (int) (offset >>> CHUNK_SHIFT);
            Group group = group(now, i);
            byte[] chunk = group.chunk(i);
            if (chunk == null) {
                buffer.setBytes(to, ZEROS, 0, piece);
            } else {
                group.lock(i);
                try {
                    copy(chunk, from, buffer, to, piece);
                } finally {
                    group.unlock(i);
                }
            }
            offset += piece;
            to += piece;
        }
    }

    /** Returns false when the budget ran out; what fitted is stored. */
    boolean write(long offsetBytes, ByteBuf buffer, int index, int lengthBytes) {
        Objects.checkFromIndexSize(index, lengthBytes, buffer.capacity());
        Group[] now = groups;
        long offset = offsetBytes;
        int from = index;
        int end = index + lengthBytes;
        while (from < end) {
            int to = (int) offset & CHUNK_MASK;
            int piece = Math.min(CHUNK_BYTES - to, end - from);
            int i = (int) (offset >>> CHUNK_SHIFT);
            Group group = group(now, i);
            byte[] chunk = chunkForWrite(group, i);
            if (chunk == null) {
                return false;
            }
            group.lock(i);
            try {
                int inside = (int) Math.min(piece, Math.max(0, sizeBytes - offset));
                copy(buffer, from, chunk, to, inside);
            } finally {
                group.unlock(i);
            }
            offset += piece;
            from += piece;
        }
        return true;
    }

    /** Without a look at the length of the chunk, which the caller has no doubt about. */
    private static void copy(byte[] chunk, int from, ByteBuf buffer, int to, int lengthBytes) {
        if (buffer.hasMemoryAddress() && PlatformDependent.hasUnsafe()) {
            PlatformDependent.copyMemory(chunk, from, buffer.memoryAddress() + to, lengthBytes);
        } else {
            buffer.setBytes(to, chunk, from, lengthBytes);
        }
    }

    private static void copy(ByteBuf buffer, int from, byte[] chunk, int to, int lengthBytes) {
        if (buffer.hasMemoryAddress() && PlatformDependent.hasUnsafe()) {
            PlatformDependent.copyMemory(buffer.memoryAddress() + from, chunk, to, lengthBytes);
        } else {
            buffer.getBytes(from, chunk, to, lengthBytes);
        }
    }

    private byte[] chunkForWrite(Group group, int i) {
        byte[] chunk = group.chunk(i);
        if (chunk != null) {
            return chunk;
        }
        if (!budget.take(CHUNK_BYTES)) {
            return null;
        }
        byte[] fresh = new byte[CHUNK_BYTES];
        group.held.incrementAndGet();
        byte[] other = group.putIfAbsent(i, fresh);
        if (other != null) {
            onChunkGone(group);
            return other;
        }
        if ((long) i << CHUNK_SHIFT >= sizeBytes) {
            drop(group, i);
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
        Group group = group(groups, i);
        byte[] chunk = group.chunk(i);
        if (chunk == null) {
            return piece;
        }
        if (piece == CHUNK_BYTES) {
            effort.left -= DROP_EFFORT;
            drop(group, i);
        } else {
            effort.left -= piece / FILL_BYTES_PER_EFFORT;
            group.fillZero(chunk, i, from, from + piece);
        }
        return piece;
    }

    private void drop(Group group, int i) {
        if (group.chunk(i) != null && group.remove(i) != null) {
            onChunkGone(group);
        }
    }

    private void onChunkGone(Group group) {
        group.held.decrementAndGet();
        budget.giveBack(CHUNK_BYTES);
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
