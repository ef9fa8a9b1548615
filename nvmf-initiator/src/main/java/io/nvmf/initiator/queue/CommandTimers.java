package io.nvmf.initiator.queue;

import java.util.concurrent.TimeUnit;

/**
 * How long the command of each slot may still take. Its time counts from the first look at it, so that no command costs a
 * look at the clock. Owned by the queue's event loop.
 */
final class CommandTimers {
    /** Of the commands that are out; 0 = as long as it likes. */
    private final long[] timeoutsMs;

    private final boolean[] seen;
    /** Of those that were seen. */
    private final long[] deadlines;

    private final boolean[] extended;

    CommandTimers(int slots) {
        timeoutsMs = new long[slots];
        seen = new boolean[slots];
        deadlines = new long[slots];
        extended = new boolean[slots];
    }

    /** @param timeoutMs 0 = as long as it likes */
    void start(int slot, long timeoutMs) {
        timeoutsMs[slot] = timeoutMs;
        seen[slot] = false;
        extended[slot] = false;
    }

    /** Gives it as long once more. */
    void extend(int slot) {
        seen[slot] = false;
        extended[slot] = true;
    }

    void stop(int slot) {
        timeoutsMs[slot] = 0;
    }

    /** Looks at a command; to be called again and again. */
    boolean isLate(int slot, long now) {
        if (timeoutsMs[slot] == 0) {
            return false;
        }
        if (!seen[slot]) {
            seen[slot] = true;
            deadlines[slot] = now + TimeUnit.MILLISECONDS.toNanos(timeoutsMs[slot]);
        }
        return deadlines[slot] - now < 0;
    }

    boolean wasExtended(int slot) {
        return extended[slot];
    }
}
