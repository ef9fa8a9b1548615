package io.nvmf.initiator.controller;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.ControllerStatus;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.queue.QueueSet;
import io.nvmf.initiator.transport.ConnectionException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state machine of a controller, over all its associations: lives, is lost, connects again after a while, is given up
 * or shut down. The I/O queues stay the same all along, so that requests can wait in them. Owned by the event loop that all
 * its admin queues share.
 *
 * <pre>
 * LIVE --association lost--> RECONNECTING --connected--> LIVE
 *                            RECONNECTING --time over, refused for good--> CLOSED
 * LIVE --lost, not to connect again--> CLOSED
 * LIVE, RECONNECTING --disconnect--> CLOSING --shut down--> CLOSED
 * </pre>
 */
final class ControllerLife {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerLife.class);

    /** What the controller does at the turns of its life. */
    interface Events {
        /** A link stands, requests wait: last checks. Fails if it cannot be used. */
        CompletableFuture<Void> beforeLive(Link link);

        /** Requests are carried out. */
        void onLive(Link link);

        void onState(ControllerState state, String reason);
    }

    private final IoEventLoop loop;
    private final ConnectOptions options;
    private final QueueSet queues;
    private final Supplier<ControllerConnector> connectors;
    private final BackOff backOff;
    private final CompletableFuture<ConnectionException> ended = new CompletableFuture<>();
    private Events events;

    private volatile ControllerState state = ControllerState.LIVE;
    private volatile Link link;
    private volatile int reconnects;

    private ControllerConnector attempt;
    private int attempts;
    private long lostNanos;
    private ScheduledFuture<?> attemptTimer;
    private ScheduledFuture<?> failTimer;
    private boolean finishing;

    /** @param connectors makes a connector for the same I/O queues */
    ControllerLife(
            IoEventLoop loop, ConnectOptions options, QueueSet queues, Supplier<ControllerConnector> connectors) {
        this.loop = loop;
        this.options = options;
        this.queues = queues;
        this.connectors = connectors;
        backOff = new BackOff(options.reconnectDelayMs(), options.maxReconnectDelayMs(), new Random());
    }

    /** With the first link; called once, on the loop. Fails if it cannot be used. */
    CompletableFuture<Void> begin(Link first, Events events) {
        this.events = events;
        return events.beforeLive(first).thenAccept(nothing -> {
            if (first.association().state() != Association.State.CONNECTING) {
                throw new ConnectionException(options.peer() + " was lost while it was being connected");
            }
            goLive(first);
        });
    }

    ControllerState state() {
        return state;
    }

    /** The link there is, or the last one. */
    Link link() {
        return link;
    }

    int reconnects() {
        return reconnects;
    }

    /** Completes with the reason when all is over and every request has ended. */
    CompletableFuture<ConnectionException> ended() {
        return ended;
    }

    IoEventLoop loop() {
        return loop;
    }

    private void enter(ControllerState next, String reason) {
        LOG.info("{}: {} -> {}: {}", options.peer(), state, next, reason);
        state = next;
        try {
            events.onState(next, reason);
        } catch (RuntimeException e) {
            LOG.error("{}: a listener failed", options.peer(), e);
        }
    }

    // ---- Living

    private void goLive(Link next) {
        link = next;
        useQueues(next.ioQueues().size());
        next.association().onLive(next);
        next.association().ended().thenAccept(this::onAssociationEnded);
        events.onLive(next);
    }

    /** What waits in queues that were not granted again fails. */
    private void useQueues(int count) {
        List<HostQueue> all = queues.all();
        queues.use(count);
        ConnectionException reason =
                new ConnectionException(options.peer() + " grants only " + count + " I/O queues now");
        for (HostQueue queue : all.subList(count, all.size())) {
            queue.loop().execute(() -> queue.failRequests(reason));
        }
    }

    private void onAssociationEnded(ConnectionException reason) {
        switch (state) {
            case LIVE -> onLost(reason);
            case CLOSING -> finish(Status.ABORTED_BY_HOST, reason);
            default -> {
                // An attempt that failed tells itself.
            }
        }
    }

    // ---- Connecting again

    private void onLost(ConnectionException reason) {
        if (!options.reconnects()) {
            finish(Status.HOST_PATHING_ERROR, reason);
            return;
        }
        lostNanos = System.nanoTime();
        attempts = 0;
        backOff.reset();
        enter(ControllerState.RECONNECTING, reason.getMessage());
        if (options.fastIoFailTimeoutMs() >= 0) {
            failTimer = loop.schedule(() -> failRequests(reason), options.fastIoFailTimeoutMs(), TimeUnit.MILLISECONDS);
        }
        scheduleAttempt(reason);
    }

    private void failRequests(ConnectionException reason) {
        ConnectionException late = new ConnectionException(
                options.peer() + " has been gone for " + options.fastIoFailTimeoutMs() + " ms: " + reason.getMessage(),
                reason);
        onEachQueue(queue -> queue.failRequests(late));
    }

    private void scheduleAttempt(Throwable cause) {
        long lastedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lostNanos);
        long leftMs =
                options.controllerLossTimeoutMs() < 0 ? Long.MAX_VALUE : options.controllerLossTimeoutMs() - lastedMs;
        if (leftMs <= 0) {
            giveUp("for " + lastedMs + " ms", cause);
        } else {
            attemptTimer = loop.schedule(this::connect, Math.min(backOff.next(), leftMs), TimeUnit.MILLISECONDS);
        }
    }

    private void giveUp(String howLong, Throwable cause) {
        finish(
                Status.HOST_PATHING_ERROR,
                new ConnectionException(
                        options.peer() + " could not be connected again " + howLong + ", in " + attempts + " attempts: "
                                + cause.getMessage(),
                        cause));
    }

    private void connect() {
        attempts++;
        ControllerConnector connector = connectors.get();
        attempt = connector;
        connector
                .run()
                .thenCompose(next -> events.beforeLive(next).thenApply(nothing -> next))
                .whenComplete((next, failure) ->
                        onAttempted(connector, next, failure == null ? null : Futures.cause(failure)));
    }

    private void onAttempted(ControllerConnector connector, Link next, Throwable failure) {
        attempt = null;
        if (failure != null) {
            connector.abandon(failure.getMessage()).thenRun(() -> onAttemptFailed(failure));
        } else if (state == ControllerState.CLOSING) {
            goLive(next);
            shutDown();
        } else if (next.association().state() != Association.State.CONNECTING) {
            next.association().ended().thenAccept(this::onAttemptFailed);
        } else {
            cancel(failTimer);
            reconnects++;
            goLive(next);
            enter(ControllerState.LIVE, "connected again after " + attempts + " attempts");
        }
    }

    private void onAttemptFailed(Throwable failure) {
        if (state == ControllerState.CLOSING) {
            finish(Status.ABORTED_BY_HOST, closedByHost());
        } else if (failure instanceof ConnectRejectedException && ((ConnectRejectedException) failure).dnr()) {
            giveUp("because it says not to try", failure);
        } else {
            LOG.info("{}: attempt {} failed: {}", options.peer(), attempts, failure.getMessage());
            scheduleAttempt(failure);
        }
    }

    // ---- Ending

    /** Any thread; may be called again. */
    void disconnect() {
        if (state == ControllerState.CLOSED) {
            return;
        }
        try {
            loop.execute(() -> {
                if (state == ControllerState.LIVE) {
                    enter(ControllerState.CLOSING, closedByHost().getMessage());
                    shutDown();
                } else if (state == ControllerState.RECONNECTING) {
                    enter(ControllerState.CLOSING, closedByHost().getMessage());
                    stopReconnecting();
                }
            });
        } catch (RejectedExecutionException e) {
            ended.complete(closedByHost());
        }
    }

    private ConnectionException closedByHost() {
        return new ConnectionException(options.peer() + " was disconnected by this host");
    }

    private void stopReconnecting() {
        cancel(failTimer);
        if (attempt != null) {
            attempt.abandon(closedByHost().getMessage());
        } else {
            cancel(attemptTimer);
            finish(Status.ABORTED_BY_HOST, closedByHost());
        }
    }

    private void shutDown() {
        Association association = link.association();
        ConnectionException reason = closedByHost();
        if (!association.beginClosing()) {
            return; // it has just been lost
        }
        association
                .closeIoQueues(Status.ABORTED_BY_HOST, reason)
                .thenCompose(nothing -> link.admin()
                        .propertySet(
                                Property.CC,
                                link.facts().configuration() | ControllerConfiguration.NORMAL_SHUTDOWN_BITS))
                .thenCompose(nothing -> link.admin()
                        .propertyPoll(
                                Property.CSTS,
                                ControllerStatus::isShutdownComplete,
                                options.shutdownTimeoutMs(),
                                association.name() + " did not shut down"))
                .orTimeout(options.shutdownTimeoutMs(), TimeUnit.MILLISECONDS)
                .whenComplete((csts, failure) -> {
                    if (failure != null) {
                        LOG.warn("{}: closed without a clean shutdown: {}", association.name(), Futures.cause(failure));
                    }
                    loop.execute(() -> association.end(Status.ABORTED_BY_HOST, reason));
                });
    }

    private void finish(int status, ConnectionException reason) {
        if (finishing) {
            return;
        }
        finishing = true;
        cancel(failTimer);
        cancel(attemptTimer);
        CompletableFuture<?>[] closed = queues.all().stream()
                .map(queue -> Association.runOn(queue.loop(), () -> queue.close(status, reason)))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(closed)
                .thenCompose(nothing -> Association.runOn(loop, () -> CompletableFuture.completedFuture(null)))
                .thenRun(() -> {
                    enter(ControllerState.CLOSED, reason.getMessage());
                    ended.complete(reason);
                });
    }

    private void onEachQueue(Consumer<HostQueue> action) {
        queues.all().forEach(queue -> queue.loop().execute(() -> action.accept(queue)));
    }

    private static void cancel(ScheduledFuture<?> timer) {
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
