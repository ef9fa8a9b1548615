package io.nvmf.target.backend.memory;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.concurrent.locks.StampedLock;

/**
 * A piece of a memory device, and the lock that makes what is read or written here in one go atomic. Any thread.
 *
 * <p>Who reads takes no lock, so that readers on several loops share the chunk in the caches of all: copies, looks whether a
 * writer has been here meanwhile, and copies again. Only when that goes on does it keep writers away. Whoever meets a writer
 * looks again for a while before it waits, for to copy a block takes less time than to wake a thread.
 *
 * <p>It is a lock, rather than has one, to spare each chunk an object and each access a look at that.
 */
final class Chunk extends StampedLock {
    static final int BYTES = 64 * 1024;

    /** What one takes of the heap: the headers of array and lock, and the lock's fields, are 64 to 104 bytes. */
    static final int HEAP_BYTES = BYTES + 128;

    /** About a microsecond. */
    private static final int LOOKS_BEFORE_WAITING = 64;

    private static final int COPIES_WITHOUT_LOCK = 3;
    private static final long serialVersionUID = 1;

    private final byte[] bytes = new byte[BYTES];

    /** Copies bytes of the chunk to a buffer. */
    void read(int from, ByteBuf buffer, int index, int lengthBytes) {
        int copies = 0;
        for (int looks = 0; looks < LOOKS_BEFORE_WAITING && copies < COPIES_WITHOUT_LOCK; looks++) {
            long stamp = tryOptimisticRead();
            if (stamp == 0) {
                Thread.onSpinWait();
                continue;
            }
            buffer.setBytes(index, bytes, from, lengthBytes);
            if (validate(stamp)) {
                return;
            }
            copies++;
        }
        long stamp = readLock();
        try {
            buffer.setBytes(index, bytes, from, lengthBytes);
        } finally {
            unlockRead(stamp);
        }
    }

    /** As {@link #writeLock}, which waits at once. */
    long lockToWrite() {
        for (int looks = 0; looks < LOOKS_BEFORE_WAITING; looks++) {
            long stamp = tryWriteLock();
            if (stamp != 0) {
                return stamp;
            }
            Thread.onSpinWait();
        }
        return writeLock();
    }

    /** Copies bytes of a buffer here. With the lock. */
    void write(int to, ByteBuf buffer, int index, int lengthBytes) {
        buffer.getBytes(index, bytes, to, lengthBytes);
    }

    void zero(int from, int to) {
        long stamp = lockToWrite();
        try {
            Arrays.fill(bytes, from, to, (byte) 0);
        } finally {
            unlockWrite(stamp);
        }
    }
}
