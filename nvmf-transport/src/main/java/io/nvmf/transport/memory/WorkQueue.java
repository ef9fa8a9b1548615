package io.nvmf.transport.memory;

/**
 * A ring of work requests in four parts, oldest first: done but still in their place, posted, added, free. Used with the
 * lock held.
 */
final class WorkQueue {
    /** What is to be done. */
    enum Kind {
        RECEIVE,
        SEND,
        SEND_WITH_INVALIDATE,
        WRITE,
        READ
    }

    /** A work request: up to two pieces of memory here, and one of the peer. */
    static final class Work {
        Kind kind;
        long workId;
        final long[] addresses = new long[2];
        final int[] lengths = new int[2];
        final int[] keys = new int[2];
        long remoteAddress;
        /** Of the peer's memory, or to be invalidated there. */
        int remoteKey;
        /** A READ more than was agreed. */
        boolean isReadTooMany;

        long lengthBytes() {
            return (long) lengths[0] + lengths[1];
        }
    }

    private final Work[] ring;
    private long freed;
    private long done;
    private long posted;
    private long added;

    WorkQueue(int capacity) {
        ring = new Work[capacity];
        for (int i = 0; i < capacity; i++) {
            ring[i] = new Work();
        }
    }

    /** The next place, to be filled in; {@link IllegalStateException} when all are taken. */
    Work add(Kind kind, long workId, long address, int length, int key) {
        if (added - freed == ring.length) {
            throw new IllegalStateException("more than the " + ring.length + " work requests that the queue holds");
        }
        Work work = ring[(int) (added++ % ring.length)];
        work.kind = kind;
        work.workId = workId;
        work.addresses[0] = address;
        work.lengths[0] = length;
        work.keys[0] = key;
        work.lengths[1] = 0;
        work.isReadTooMany = false;
        return work;
    }

    /** Posts what was added. */
    void post() {
        posted = added;
    }

    /** Forgets what was added and not posted. */
    void dropAdded() {
        added = posted;
    }

    /** The oldest that is posted and not done; null when all is. */
    Work peek() {
        return done == posted ? null : ring[(int) (done % ring.length)];
    }

    /** The oldest is done. @return up to where the ring is free when its completion has been polled */
    long complete() {
        return ++done;
    }

    void free(long upTo) {
        freed = Math.max(freed, upTo);
    }
}
