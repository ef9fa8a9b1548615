package io.nvmf.target.queue;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many entries all queues of a target may have together: what a command occupies of the heap is made when a host first
 * uses the entry, and a host may use all that its Connect was granted. Thread safe.
 */
public final class EntryLimit {
    /** Of the heap, for an entry in use: its {@link Request} and what the transport keeps of it. */
    private static final int HEAP_BYTES = 512;

    private final long most;
    private final AtomicLong taken = new AtomicLong();

    public EntryLimit(long most) {
        this.most = most;
    }

    /** As many as fit into a quarter of the heap. */
    public static EntryLimit ofThisProcess() {
        return new EntryLimit(Runtime.getRuntime().maxMemory() / 4 / HEAP_BYTES);
    }

    /** How many there may be. */
    public long most() {
        return most;
    }

    /** How many more there may be. */
    public long free() {
        return most - taken.get();
    }

    /** Takes the entries of a queue, all or none; false when there are not so many left. */
    public boolean tryTake(int entries) {
        if (taken.addAndGet(entries) <= most) {
            return true;
        }
        giveBack(entries);
        return false;
    }

    public void giveBack(int entries) {
        taken.addAndGet(-entries);
    }
}
