package io.nvmf.initiator.queue;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The I/O queues of a controller, of which it may have granted fewer when it was connected again. Any thread. */
public final class QueueSet implements IoQueues {
    private static final AtomicInteger NEXT_THREAD_NUMBER = new AtomicInteger();
    private static final AtomicLong NEXT_SET_NUMBER = new AtomicLong();
    private static final ThreadLocal<Home> HOME = ThreadLocal.withInitial(Home::new);

    /** A thread's number, and its queue in the set it used last. Keeps neither alive. */
    private static final class Home {
        private final int threadNumber = NEXT_THREAD_NUMBER.getAndIncrement() & Integer.MAX_VALUE;
        private long setNumber = -1;
        private int index;
    }

    private final HostQueue[] queues;
    /** Those that have a connection, or will: the first ones. */
    private volatile int inUse;

    private final QueueSelection selection;
    private final long number = NEXT_SET_NUMBER.getAndIncrement();
    private final AtomicInteger turn = new AtomicInteger();

    public QueueSet(List<HostQueue> queues, QueueSelection selection) {
        this.queues = queues.toArray(new HostQueue[0]);
        this.selection = selection;
        inUse = this.queues.length;
    }

    /** How many are in use. */
    public int size() {
        return inUse;
    }

    /** All of them, in use or not. */
    public List<HostQueue> all() {
        return List.of(queues);
    }

    /** Uses the first {@code count} only. */
    public void use(int count) {
        inUse = count;
    }

    /** Another one when it is not in use. */
    @Override
    public HostQueue get(int index) {
        int count = inUse;
        return index < count || count == 0 ? queues[index] : queues[index % count];
    }

    /** @throws IllegalStateException if the controller has no I/O queues */
    @Override
    public HostQueue select() {
        int count = inUse;
        if (count == 0) {
            throw new IllegalStateException("This controller was connected without I/O queues");
        }
        if (selection == QueueSelection.ROUND_ROBIN) {
            return queues[(turn.getAndIncrement() & Integer.MAX_VALUE) % count];
        }
        Home home = HOME.get();
        if (home.setNumber != number) {
            home.setNumber = number;
            home.index = homeIndex(home.threadNumber);
        }
        return queues[home.index < count ? home.index : home.index % count];
    }

    @Override
    public boolean failsOver() {
        return false;
    }

    @Override
    public boolean retry(Request request, HostQueue queue) {
        return false;
    }

    private int homeIndex(int threadNumber) {
        for (int i = 0; i < queues.length; i++) {
            if (queues[i].loop().inEventLoop()) {
                return i;
            }
        }
        return threadNumber % queues.length;
    }
}
