package io.nvmf.initiator.controller;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.Status;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.queue.QueueListener;
import io.nvmf.initiator.transport.ConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues of one controller, which live and die together: the loss of one ends all (NVMe-oF 1.1 s4.3). Owned by the
 * event loop of the admin queue.
 */
final class Association {
    private static final Logger LOG = LoggerFactory.getLogger(Association.class);

    private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

    enum State {
        CONNECTING,
        LIVE,
        /** This host is shutting the controller down. */
        CLOSING,
        CLOSED
    }

    private final String name;
    private final IoEventLoop loop;
    private final List<HostQueue> queues = new ArrayList<>();
    private final CompletableFuture<ConnectionException> ended = new CompletableFuture<>();
    private volatile State state = State.CONNECTING;
    private Runnable stopTimers = () -> {};
    private Aborts aborts;

    /** @param loop the one of the admin queue */
    Association(String name, IoEventLoop loop) {
        this.name = name;
        this.loop = loop;
    }

    String name() {
        return name;
    }

    IoEventLoop loop() {
        return loop;
    }

    State state() {
        return state;
    }

    /** Completes with the reason when the association is over and its requests have ended. */
    CompletableFuture<ConnectionException> ended() {
        return ended;
    }

    /** The first is the admin queue. */
    void add(HostQueue queue) {
        queues.add(queue);
    }

    /** Lets requests flow. */
    void onLive(Link link) {
        if (link.keepAlive() != null) {
            stopTimers = link.keepAlive()::stop;
        }
        aborts = new Aborts(name, link.admin(), link.facts());
        state = State.LIVE;
        for (HostQueue queue : ioQueues()) {
            queue.loop().execute(queue::resume);
        }
    }

    private List<HostQueue> ioQueues() {
        return queues.subList(Math.min(1, queues.size()), queues.size());
    }

    /** What a queue of this association tells. */
    QueueListener listener(int queueId) {
        return new QueueListener() {
            @Override
            public void onLost(ConnectionException reason) {
                lost(reason);
            }

            @Override
            public boolean onLate(int commandId) {
                boolean abortable = queueId != QueueConnector.ADMIN_QUEUE_ID && state == State.LIVE;
                if (abortable) {
                    loop.execute(() -> aborts.abort(queueId, commandId));
                }
                return abortable;
            }
        };
    }

    /** A queue has lost its connection. Any thread. */
    void lost(ConnectionException reason) {
        runOn(loop, () -> {
            if (state == State.LIVE) {
                LOG.warn("{}: the association ends: {}", name, reason.getMessage());
            }
            end(Status.HOST_PATHING_ERROR, reason);
            return NOTHING;
        });
    }

    /** Begins to close: no more keep alives; says whether it was live. */
    boolean beginClosing() {
        if (state != State.LIVE) {
            return false;
        }
        state = State.CLOSING;
        stopTimers.run();
        return true;
    }

    /** Ends the I/O queues for good; completes on the loop of the admin queue when their requests have failed. */
    CompletableFuture<Void> closeIoQueues(int status, ConnectionException reason) {
        return onQueues(ioQueues(), queue -> queue.close(status, reason));
    }

    /**
     * Ends the association: the admin queue for good, its requests fail with the status; the connections of the I/O
     * queues, which may get others.
     */
    void end(int status, ConnectionException reason) {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        stopTimers.run();
        HostQueue adminQueue = queues.isEmpty() ? null : queues.get(0);
        onQueues(queues, queue -> queue == adminQueue ? queue.close(status, reason) : queue.disconnect(reason))
                .thenRun(() -> ended.complete(reason));
    }

    private CompletableFuture<Void> onQueues(
            List<HostQueue> list, Function<HostQueue, CompletableFuture<Void>> action) {
        CompletableFuture<?>[] done = list.stream()
                .map(queue -> runOn(queue.loop(), () -> action.apply(queue)))
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(done).thenCompose(nothing -> runOn(loop, () -> NOTHING));
    }

    /** A loop that has ended has closed its connections itself. */
    static CompletableFuture<Void> runOn(IoEventLoop loop, Supplier<CompletableFuture<Void>> task) {
        try {
            return CompletableFuture.supplyAsync(task, loop).thenCompose(done -> done);
        } catch (RejectedExecutionException e) {
            return NOTHING;
        }
    }
}
