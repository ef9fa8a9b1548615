package io.nvmf.target.namespace;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The commands of one event loop that work on blocks at this moment. Owned by that loop.
 *
 * <p>It costs a command two changes to a list. With it a command that wants blocks to itself ({@link RangeLocks}) learns when
 * all that had begun before it have ended, on every loop, though no loop tells another of its commands.
 */
public final class BlockTraffic {
    private final Executor loop;
    private final List<BlockTraffic> all;
    private final BlockUse ends = new BlockUse();

    /** @param all of every loop of the target; this one adds itself */
    public BlockTraffic(Executor loop, List<BlockTraffic> all) {
        this.loop = loop;
        this.all = all;
        ends.next = ends;
        ends.previous = ends;
        all.add(this);
    }

    /** A command begins to work on blocks. @param end the first block behind them */
    public void begin(BlockUse use, RangeLocks blocks, long start, long end) {
        use.begin(blocks, start, end);
        use.previous = ends.previous;
        use.next = ends;
        ends.previous.next = use;
        ends.previous = use;
    }

    /** It has ended; one that never began is left alone. */
    public void end(BlockUse use) {
        if (use.isActive()) {
            use.previous.next = use.next;
            use.next.previous = use.previous;
            use.end();
        }
    }

    /**
     * Runs something on this loop when no command on any loop, of those that do not wait for the lock, works on its blocks.
     *
     * @param lock has been acquired
     */
    public void whenAllClear(RangeLocks blocks, RangeLock lock, Runnable action) {
        List<BlockTraffic> others = List.copyOf(all);
        AtomicInteger left = new AtomicInteger(others.size());
        Runnable loopClear = () -> {
            if (left.decrementAndGet() == 0) {
                loop.execute(action);
            }
        };
        for (BlockTraffic each : others) {
            each.loop.execute(() -> each.whenClear(blocks, lock, loopClear));
        }
    }

    private void whenClear(RangeLocks blocks, RangeLock lock, Runnable action) {
        List<BlockUse> touching = new ArrayList<>();
        for (BlockUse use = ends.next; use != ends; use = use.next) {
            if (use.touches(blocks, lock)) {
                touching.add(use);
            }
        }
        if (touching.isEmpty()) {
            action.run();
            return;
        }
        int[] left = {touching.size()};
        for (BlockUse use : touching) {
            use.whenEnded(() -> {
                if (--left[0] == 0) {
                    action.run();
                }
            });
        }
    }
}
