package io.nvmf.target.namespace;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Blocks that one command has to itself, see {@link RangeLocks}. Used once. Thread safe. */
public final class RangeLock {
    private final long start;
    private final long end;
    private final Set<Runnable> waiting = new LinkedHashSet<>();
    private boolean released;

    /** @param end the first block behind it */
    public RangeLock(long start, long end) {
        this.start = start;
        this.end = end;
    }

    long start() {
        return start;
    }

    long end() {
        return end;
    }

    boolean overlaps(long otherStart, long otherEnd) {
        return start < otherEnd && otherStart < end;
    }

    /** Runs something, on any thread, when the blocks are free again; at once when they are. */
    public void whenReleased(Runnable action) {
        synchronized (this) {
            if (!released) {
                waiting.add(action);
                return;
            }
        }
        action.run();
    }

    /** Does not run it any more, if that has not begun: who waits may give up, and nothing is to be kept of it. */
    public synchronized void forget(Runnable action) {
        waiting.remove(action);
    }

    /** How many wait. */
    synchronized int waiting() {
        return waiting.size();
    }

    void released() {
        List<Runnable> actions;
        synchronized (this) {
            released = true;
            actions = List.copyOf(waiting);
            waiting.clear();
        }
        actions.forEach(Runnable::run);
    }
}
