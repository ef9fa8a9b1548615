package io.nvmf.initiator.queue;

import java.util.concurrent.TimeUnit;

/** How long the command of each slot may still take. Owned by the queue's event loop. */
final class CommandTimers {
    private final long[] deadlines;
    private final boolean[] running;
    private final boolean[] extended;

    CommandTimers(int slots) {
        deadlines = new long[slots];
        running = new boolean[slots];
        extended = new boolean[slots];
    }

    /** @param timeoutMs 0 = as long as it likes */
    void start(int slot, long now, long timeoutMs) {
        running[slot] = timeoutMs > 0;
        extended[slot] = false;
        deadlines[slot] = now + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    }

    /** Gives it as long once more, counted from now. */
    void extend(int slot, long now, long timeoutMs) {
        start(slot, now, timeoutMs);
        extended[slot] = true;
    }

    void stop(int slot) {
        running[slot] = false;
    }

    boolean isLate(int slot, long now) {
        return running[slot] && deadlines[slot] - now < 0;
    }

    boolean wasExtended(int slot) {
        return extended[slot];
    }
}
