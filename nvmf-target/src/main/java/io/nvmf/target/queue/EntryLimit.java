package io.nvmf.target.queue;

import io.nvmf.target.backend.memory.MemoryBlockDevice;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many entries all queues of a target may have together: what a command occupies of the heap is made when a host first
 * uses the entry, and a host may use all that its Connect was granted. Thread safe.
 */
public final class EntryLimit {
    /** Of the heap, for an entry in use: its {@link Request}, what the transport keeps of it, and its places in lists. */
    private static final int HEAP_BYTES = 640;

    /** Of the heap, beside memory devices and entries: for connections, classes, and room to collect garbage. */
    private static final long REST_BYTES = 16L << 20;

    private final long most;
    private final AtomicLong taken = new AtomicLong();

    public EntryLimit(long most) {
        this.most = most;
    }

    public static EntryLimit ofThisProcess() {
        return of(Runtime.getRuntime().maxMemory());
    }

    /**
     * As many as fit into half of what memory devices, should they be full, and the rest leave.
     *
     * @param heapBytes the largest heap
     */
    static EntryLimit of(long heapBytes) {
        long leftBytes = heapBytes - MemoryBlockDevice.mostBytes(heapBytes) - REST_BYTES;
        return new EntryLimit(Math.max(heapBytes / 32, leftBytes / 2) / HEAP_BYTES);
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
