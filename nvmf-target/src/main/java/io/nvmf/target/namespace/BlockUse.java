package io.nvmf.target.namespace;

import java.util.ArrayList;
import java.util.List;

/**
 * Which blocks a command works on at this moment. Made once for each slot of a queue and used for many commands. Owned by the
 * event loop of its {@link BlockTraffic}.
 */
public final class BlockUse {
    private RangeLocks blocks;
    private long start;
    private long end;
    private List<Runnable> awaiting;
    BlockUse previous;
    BlockUse next;

    void begin(RangeLocks newBlocks, long newStart, long newEnd) {
        blocks = newBlocks;
        start = newStart;
        end = newEnd;
    }

    boolean isActive() {
        return blocks != null;
    }

    boolean touches(RangeLocks others, RangeLock lock) {
        return blocks == others && lock.overlaps(start, end);
    }

    /** Runs something when it has ended. */
    void whenEnded(Runnable action) {
        if (awaiting == null) {
            awaiting = new ArrayList<>();
        }
        awaiting.add(action);
    }

    void end() {
        blocks = null;
        if (awaiting != null) {
            List<Runnable> actions = awaiting;
            awaiting = null;
            actions.forEach(Runnable::run);
        }
    }
}
