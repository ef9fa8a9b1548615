package io.nvmf.target.namespace;

import java.util.ArrayList;
import java.util.List;

/**
 * The blocks of a namespace that single commands have to themselves, while they look at them and then change them. Every
 * other command asks here before it begins, and waits when it is in the way; whoever takes blocks then waits for those that
 * had begun before, see {@link BlockTraffic#whenAllClear}. Thread safe; asking reads one immutable array.
 */
public final class RangeLocks {
    private static final RangeLock[] NONE = {};

    private volatile RangeLock[] held = NONE;

    /** What keeps a command from these blocks, or null. @param end the first block behind them */
    public RangeLock conflict(long start, long end) {
        for (RangeLock lock : held) {
            if (lock.overlaps(start, end)) {
                return lock;
            }
        }
        return null;
    }

    /** Takes blocks from now on. @return what is in the way, or null when they are taken */
    public synchronized RangeLock acquire(RangeLock lock) {
        RangeLock conflict = conflict(lock.start(), lock.end());
        if (conflict == null) {
            List<RangeLock> all = new ArrayList<>(List.of(held));
            all.add(lock);
            held = all.toArray(NONE);
        }
        return conflict;
    }

    /** Gives them back; those that wait go on. */
    public void release(RangeLock lock) {
        synchronized (this) {
            List<RangeLock> all = new ArrayList<>(List.of(held));
            all.remove(lock);
            held = all.isEmpty() ? NONE : all.toArray(NONE);
        }
        lock.released();
    }
}
