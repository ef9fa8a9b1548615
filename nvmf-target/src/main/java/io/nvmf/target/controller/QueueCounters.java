package io.nvmf.target.controller;

import java.util.concurrent.atomic.AtomicLong;

/** What one queue has counted. Written by the queue's event loop alone; read by anyone, perhaps a moment late. */
public final class QueueCounters {
    private final AtomicLong readCommands = new AtomicLong();
    private final AtomicLong writeCommands = new AtomicLong();
    private final AtomicLong readBytes = new AtomicLong();
    private final AtomicLong writtenBytes = new AtomicLong();
    private final AtomicLong mediaErrors = new AtomicLong();

    public void onRead(long bytes) {
        add(readCommands, 1);
        add(readBytes, bytes);
    }

    public void onWrite(long bytes) {
        add(writeCommands, 1);
        add(writtenBytes, bytes);
    }

    public void onMediaError() {
        add(mediaErrors, 1);
    }

    /** Adds another queue's counts, when that queue ends. */
    public void addAll(QueueCounters ended) {
        add(readCommands, ended.readCommands());
        add(writeCommands, ended.writeCommands());
        add(readBytes, ended.readBytes());
        add(writtenBytes, ended.writtenBytes());
        add(mediaErrors, ended.mediaErrors());
    }

    public long readCommands() {
        return readCommands.get();
    }

    public long writeCommands() {
        return writeCommands.get();
    }

    public long readBytes() {
        return readBytes.get();
    }

    public long writtenBytes() {
        return writtenBytes.get();
    }

    public long mediaErrors() {
        return mediaErrors.get();
    }

    private static void add(AtomicLong counter, long n) {
        counter.lazySet(counter.get() + n);
    }
}
