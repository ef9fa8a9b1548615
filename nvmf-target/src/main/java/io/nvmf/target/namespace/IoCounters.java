package io.nvmf.target.namespace;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what hosts do with a namespace, on whatever event loop: none waits for another, nor for who asks. Thread safe.
 */
public final class IoCounters {
    private final LongAdder readCommands = new LongAdder();
    private final LongAdder readBytes = new LongAdder();
    private final LongAdder writeCommands = new LongAdder();
    private final LongAdder writtenBytes = new LongAdder();
    private final LongAdder mediaErrors = new LongAdder();

    /** A Read or Compare begins. */
    public void onRead(long bytes) {
        readCommands.increment();
        readBytes.add(bytes);
    }

    /** A Verify begins: it reads, and is no read command. */
    public void onVerify(long bytes) {
        readBytes.add(bytes);
    }

    /** A Write begins. */
    public void onWrite(long bytes) {
        writeCommands.increment();
        writtenBytes.add(bytes);
    }

    public void onMediaError() {
        mediaErrors.increment();
    }

    /** What has been counted so far. */
    public IoCounts counts() {
        return new IoCounts(
                readCommands.sum(), readBytes.sum(), writeCommands.sum(), writtenBytes.sum(), mediaErrors.sum());
    }
}
