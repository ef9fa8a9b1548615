package io.nvmf.transport.rdma;

import io.netty.channel.IoEventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives the completion queues of one event loop. A queue that has had completions is polled again for a short while, one
 * turn after the other; then it is armed, and the loop may sleep. Between two turns the loop serves whatever else it has, its
 * sockets too; in a turn each queue has a bounded share. A busy poller never arms, and its loop never sleeps.
 *
 * <p>Queues are added and closed on any thread, the control loop's usually; started, removed and served on the loop. Nothing
 * is allocated for an event.
 */
public final class CompletionPoller implements AutoCloseable {
    /** Who takes the completions of one queue. Called on the loop; may remove its queue from inside. */
    public interface Handler {
        /** @param batch the first {@code count} entries are valid until this returns */
        void onCompletions(Completions batch, int count);

        /** All batches of this turn have been given: what was added to queue pairs meanwhile may be posted. */
        default void onBatchesDone() {}

        /** The queue is broken, or the handler has thrown: nothing follows, but it is still to be removed and closed. */
        void onBroken();
    }

    private static final Logger LOG = LoggerFactory.getLogger(CompletionPoller.class);

    private static final int BATCH_ENTRIES = 64;
    /** Of one queue in one turn. */
    private static final int MAX_BATCHES = 4;
    /**
     * About what an arm, an event and a wake-up cost. Much more would starve a device that is software on a processor of this
     * machine.
     */
    private static final long SPIN_NS = 20_000;

    private final IoEventLoop loop;
    private final SingleThreadEventLoop iterations;
    private final boolean busy;
    private final LongSupplier nanoClock;
    private final Completions batch = new Completions(BATCH_ENTRIES);
    private final List<Polled> polled = new ArrayList<>();
    private final Runnable turn = this::turn;
    private final Runnable scheduleTurn = this::scheduleTurn;
    private boolean isTurnDue;

    /** Guarded by itself. */
    private final Map<RdmaDevice, Channel> channels = new HashMap<>();

    /** A device's channel to the loop, open while it has queues. */
    private static final class Channel {
        final CompletionChannel channel;
        int queues;

        Channel(CompletionChannel channel) {
            this.channel = channel;
        }
    }

    /** @param busy whether to poll without end */
    public CompletionPoller(IoEventLoop loop, boolean busy) {
        this(loop, busy, System::nanoTime);
    }

    CompletionPoller(IoEventLoop loop, boolean busy, LongSupplier nanoClock) {
        this.loop = loop;
        this.iterations = (SingleThreadEventLoop) loop;
        this.busy = busy;
        this.nanoClock = nanoClock;
    }

    /** The loop that the queues are served on. */
    public IoEventLoop loop() {
        return loop;
    }

    /**
     * Makes a completion queue, which is served once it is started. On any thread; takes its time.
     *
     * @throws RdmaException when the device cannot
     */
    public Polled add(RdmaDevice device, int entries, Handler handler) throws RdmaException {
        Polled added = new Polled(device, handler);
        synchronized (channels) {
            Channel channel = channels.get(device);
            if (channel == null) {
                channel = new Channel(device.openCompletionChannel(loop));
                channels.put(device, channel);
            }
            channel.queues++;
            try {
                added.queue = channel.channel.createCompletionQueue(entries, added::onEvent);
                return added;
            } finally {
                if (added.queue == null) {
                    release(device);
                }
            }
        }
    }

    /** A queue of the device is closed; with the last the channel. Holds the lock. */
    private void release(RdmaDevice device) {
        Channel channel = channels.get(device);
        if (--channel.queues == 0) {
            channels.remove(device);
            onLoop(channel.channel::close);
        }
    }

    private void onLoop(Runnable task) {
        if (loop.inEventLoop()) {
            task.run();
            return;
        }
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.warn("the event loop ended before its completion channels were closed");
        }
    }

    /** Where a queue is in its life. */
    private enum State {
        /** Not started. */
        NEW,
        /** Polled in each turn. */
        POLLED,
        /** Armed. */
        SLEEPING,
        /** Takes no more completions. */
        BROKEN,
        REMOVED
    }

    /** A completion queue in this poller's care. */
    public final class Polled {
        private final RdmaDevice device;
        private final Handler handler;
        private CompletionQueue queue;
        private State state = State.NEW;
        private boolean isListed;
        private boolean isArmed;
        private long lastFoundNs;
        private boolean isClosed;

        private Polled(RdmaDevice device, Handler handler) {
            this.device = device;
            this.handler = handler;
        }

        /** To make a queue pair with; polled, armed and closed by this object alone. */
        public CompletionQueue queue() {
            return queue;
        }

        /** Begins to serve it. On the loop. */
        public void start() {
            requireLoop();
            if (state != State.NEW) {
                throw new IllegalStateException("started in state " + state);
            }
            poll();
        }

        /** Neither polls nor arms it any more. On the loop; may be called again. */
        public void remove() {
            requireLoop();
            state = State.REMOVED;
        }

        /** Closes the completion queue, which is removed or was never started, and has no queue pair any more. On any thread. */
        public void close() {
            synchronized (channels) {
                if (isClosed) {
                    return;
                }
                isClosed = true;
                queue.close();
                release(device);
            }
        }

        private void onEvent() {
            isArmed = false;
            if (state == State.SLEEPING) {
                poll();
            }
        }

        private void poll() {
            state = State.POLLED;
            lastFoundNs = nanoClock.getAsLong();
            if (!isListed) {
                polled.add(this);
                isListed = true;
            }
            scheduleTurn();
        }

        private void turn(long nowNs) {
            if (takeAll(nowNs) || busy || nowNs - lastFoundNs < SPIN_NS || state != State.POLLED) {
                return;
            }
            // An event that is still under way wakes this up, too.
            if (!isArmed && !queue.arm()) {
                broken();
                return;
            }
            isArmed = true;
            if (!takeAll(nowNs) && state == State.POLLED) {
                state = State.SLEEPING;
            }
        }

        /** @return whether there was something */
        private boolean takeAll(long nowNs) {
            int taken = 0;
            int count = BATCH_ENTRIES;
            for (int i = 0; i < MAX_BATCHES && count == BATCH_ENTRIES && state == State.POLLED; i++) {
                count = queue.poll(batch);
                if (count > 0) {
                    handler.onCompletions(batch, count);
                    taken += count;
                }
            }
            if (count < 0) {
                broken();
            } else if (taken > 0 && state == State.POLLED) {
                lastFoundNs = nowNs;
                handler.onBatchesDone();
            }
            return taken > 0;
        }

        private void broken() {
            if (state != State.REMOVED) {
                state = State.BROKEN;
                handler.onBroken();
            }
        }
    }

    private void turn() {
        isTurnDue = false;
        long nowNs = nanoClock.getAsLong();
        // A queue that is added meanwhile comes in the next turn.
        int end = polled.size();
        for (int i = 0; i < end; i++) {
            serve(polled.get(i), nowNs);
        }
        int kept = 0;
        for (int i = 0; i < polled.size(); i++) {
            Polled each = polled.get(i);
            each.isListed = each.state == State.POLLED;
            if (each.isListed) {
                polled.set(kept++, each);
            }
        }
        while (polled.size() > kept) {
            polled.remove(polled.size() - 1);
        }
        if (kept > 0) {
            // Not as a task at once: the loop would run one after the other, and leave its sockets waiting.
            iterations.executeAfterEventLoopIteration(scheduleTurn);
        }
    }

    /** A queue whose handler fails does not take the others with it. */
    private void serve(Polled each, long nowNs) {
        try {
            each.turn(nowNs);
        } catch (Throwable e) {
            LOG.error("a handler of completions failed", e);
            try {
                each.broken();
            } catch (Throwable again) {
                LOG.error("and failed when it was told so", again);
            }
        }
    }

    private void scheduleTurn() {
        if (!isTurnDue) {
            loop.execute(turn);
            isTurnDue = true;
        }
    }

    private void requireLoop() {
        if (!loop.inEventLoop()) {
            throw new IllegalStateException(
                    "called by " + Thread.currentThread().getName() + ", which is not the event loop of the queue");
        }
    }

    /** Closes the channels that are still open; all queues are closed already. On the loop. */
    @Override
    public void close() {
        requireLoop();
        synchronized (channels) {
            channels.values().forEach(channel -> channel.channel.close());
            channels.clear();
        }
    }
}
