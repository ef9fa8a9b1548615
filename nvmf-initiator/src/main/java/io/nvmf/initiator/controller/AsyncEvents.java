package io.nvmf.initiator.controller;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Status;
import io.nvmf.codec.StatusNames;
import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.feature.AsyncEventConfig;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.queue.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one Asynchronous Event Request outstanding (NVMe Base 2.0 s5.2): the next is sent when an event has been acted on.
 * The controller keeps events that happen in between. One that tells of events without end is heard a number of times a
 * second. Owned by the event loop of the admin queue.
 */
final class AsyncEvents {
    /** The notices this host asks for, where the controller has them. */
    static final long NOTICES = AsyncEventConfig.NAMESPACE_ATTRIBUTE
            | AsyncEventConfig.FIRMWARE_ACTIVATION
            | AsyncEventConfig.ANA_CHANGE
            | AsyncEventConfig.DISCOVERY_LOG_CHANGE;

    /** So many events within {@link #PERIOD_MS} are heard at once. */
    static final int BURST = 64;

    private static final long PERIOD_MS = 1000;
    private static final Logger LOG = LoggerFactory.getLogger(AsyncEvents.class);

    private final HostQueue queue;
    private final Function<AsyncEvent, CompletableFuture<Void>> handler;
    private final Request request = Request.standalone();
    private long periodStartNanos = System.nanoTime();
    private int heard;

    /** @param handler acts on an event; what it answers never fails, and completes on the loop */
    AsyncEvents(HostQueue queue, Function<AsyncEvent, CompletableFuture<Void>> handler) {
        this.queue = queue;
        this.handler = handler;
    }

    /** Sends the request; it has no time limit. */
    void request() {
        request.sqe().clear(Opcode.Admin.ASYNC_EVENT_REQUEST);
        queue.submit(request.urgent().callback(this::onAnswered));
    }

    private void onAnswered(int status, long result) {
        if (Status.isSuccess(status)) {
            handler.apply(AsyncEvent.decode(result)).thenRun(this::requestInTime);
        } else if (Status.sct(status) != Status.TYPE_PATH) {
            LOG.warn(
                    "{}: no more asynchronous events: {}",
                    queue.name(),
                    StatusNames.describe(status, StatusNames.Kind.ADMIN));
        }
    }

    private void requestInTime() {
        long nowNanos = System.nanoTime();
        if (nowNanos - periodStartNanos > TimeUnit.MILLISECONDS.toNanos(PERIOD_MS)) {
            periodStartNanos = nowNanos;
            heard = 0;
        }
        if (++heard < BURST) {
            request();
            return;
        }
        if (heard == BURST) {
            LOG.warn("{}: {} asynchronous events in a second; it is heard less often", queue.name(), heard);
        }
        queue.loop().schedule(this::request, PERIOD_MS, TimeUnit.MILLISECONDS);
    }
}
