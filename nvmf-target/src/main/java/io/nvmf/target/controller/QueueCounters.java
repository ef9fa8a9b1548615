package io.nvmf.target.controller;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What one queue has counted. Written by the queue's event loop alone, without locks; read by anyone, perhaps a moment
 * late.
 */
public final class QueueCounters {
    /** What is counted. */
    public enum Counter {
        /** Every command that arrived. */
        COMMANDS,
        /** Commands whose data came in the capsule. */
        IN_CAPSULE_COMMANDS,
        IN_CAPSULE_BYTES,
        /** Commands whose data was fetched from the host. */
        FETCHED_COMMANDS,
        FETCHED_BYTES,
        /** R2Ts, or work requests of RDMA READ, that fetched it. */
        FETCH_REQUESTS,
        /** Commands whose data was sent to the host before they were completed. */
        SENT_COMMANDS,
        SENT_BYTES,
        /** C2HData PDUs, or work requests of RDMA WRITE, that sent it. */
        SEND_REQUESTS
    }

    private static final Counter[] COUNTERS = Counter.values();

    private final AtomicLongArray counts = new AtomicLongArray(COUNTERS.length);

    public void onCommand() {
        add(Counter.COMMANDS, 1);
    }

    public void onInCapsule(long bytes) {
        add(Counter.IN_CAPSULE_COMMANDS, 1);
        add(Counter.IN_CAPSULE_BYTES, bytes);
    }

    /** All data of a command has been fetched. */
    public void onFetched(long bytes) {
        add(Counter.FETCHED_COMMANDS, 1);
        add(Counter.FETCHED_BYTES, bytes);
    }

    public void onFetchRequest() {
        add(Counter.FETCH_REQUESTS, 1);
    }

    /** All data of a command goes to the host. */
    public void onSent(long bytes) {
        add(Counter.SENT_COMMANDS, 1);
        add(Counter.SENT_BYTES, bytes);
    }

    public void onSendRequest() {
        add(Counter.SEND_REQUESTS, 1);
    }

    /** Begins anew. */
    public void clear() {
        for (Counter counter : COUNTERS) {
            counts.setOpaque(counter.ordinal(), 0);
        }
    }

    /** Adds another queue's counts, when that queue ends. */
    public void addAll(QueueCounters ended) {
        for (Counter counter : COUNTERS) {
            add(counter, ended.get(counter));
        }
    }

    public long get(Counter counter) {
        return counts.getOpaque(counter.ordinal());
    }

    private void add(Counter counter, long n) {
        counts.setOpaque(counter.ordinal(), counts.getPlain(counter.ordinal()) + n);
    }
}
