package io.nvmf.transport.memory;

import io.nvmf.transport.rdma.CompletionQueue;
import io.nvmf.transport.rdma.Completions;
import java.util.ArrayList;
import java.util.List;

/** A ring of completions. */
final class MemoryCompletionQueue implements CompletionQueue {
    /** A completion, and what becomes free when it is polled. */
    static final class Entry {
        MemoryQueuePair queuePair;
        long workId;
        int status;
        int lengthBytes;
        boolean hasInvalidated;
        int invalidatedKey;
        WorkQueue.Kind kind;
        /** How much of the work queue is free again. */
        long freedUpTo;

        Entry() {}

        Entry(Entry other) {
            set(other);
        }

        void set(Entry other) {
            queuePair = other.queuePair;
            workId = other.workId;
            status = other.status;
            lengthBytes = other.lengthBytes;
            hasInvalidated = other.hasInvalidated;
            invalidatedKey = other.invalidatedKey;
            kind = other.kind;
            freedUpTo = other.freedUpTo;
        }
    }

    final MemoryCompletionChannel channel;
    private final MemoryRdma rdma;
    private final Runnable event;
    private final Entry[] entries;
    private final List<MemoryQueuePair> queuePairs = new ArrayList<>();
    private int first;
    private int count;
    private boolean isArmed;
    private boolean isBroken;
    private boolean isClosed;

    /** With the lock held. */
    MemoryCompletionQueue(MemoryCompletionChannel channel, int capacity, Runnable onEvent) {
        this.channel = channel;
        this.rdma = channel.rdma;
        entries = new Entry[capacity];
        for (int i = 0; i < capacity; i++) {
            entries[i] = new Entry();
        }
        event = () -> {
            if (isOpen()) {
                onEvent.run();
            }
        };
        rdma.opened(MemoryRdma.Kind.COMPLETION_QUEUE);
    }

    private boolean isOpen() {
        synchronized (rdma) {
            return !isClosed;
        }
    }

    @Override
    public int poll(Completions into) {
        MemoryRdma.requireLoop(channel.loop);
        synchronized (rdma) {
            requireOpen();
            if (isBroken) {
                return -1;
            }
            int taken = Math.min(count, into.capacity());
            for (int i = 0; i < taken; i++) {
                Entry entry = entries[(first + i) % entries.length];
                entry.queuePair.polled(entry);
                into.set(i, entry.workId, entry.status, entry.lengthBytes, entry.hasInvalidated, entry.invalidatedKey);
            }
            first = (first + taken) % entries.length;
            count -= taken;
            return taken;
        }
    }

    @Override
    public boolean arm() {
        MemoryRdma.requireLoop(channel.loop);
        synchronized (rdma) {
            requireOpen();
            isArmed = !isBroken;
            return isArmed;
        }
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the completion queue is closed");
        }
    }

    // With the lock held.
    void add(MemoryQueuePair queuePair) {
        requireOpen();
        queuePairs.add(queuePair);
    }

    void remove(MemoryQueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    void push(Entry entry) {
        if (isBroken) {
            return;
        }
        if (count == entries.length) {
            isBroken = true;
            List.copyOf(queuePairs).forEach(MemoryQueuePair::fail);
        } else {
            entries[(first + count) % entries.length].set(entry);
            count++;
        }
        if (isArmed) {
            isArmed = false;
            MemoryRdma.execute(channel.loop, event);
        }
    }

    @Override
    public void close() {
        synchronized (rdma) {
            if (!queuePairs.isEmpty()) {
                throw new IllegalStateException("the completion queue still has a queue pair");
            }
            if (!isClosed) {
                isClosed = true;
                channel.queueClosed();
                rdma.closed(MemoryRdma.Kind.COMPLETION_QUEUE);
            }
        }
    }
}
