package io.nvmf.target.namespace;

import java.util.ArrayList;
import java.util.List;

/** Blocks that one command has to itself, see {@link RangeLocks}. Used once. Thread safe. */
public final class RangeLock {
    private final long start;
    private final long end;
    private final List<Runnable> waiting = new ArrayList<>();
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
