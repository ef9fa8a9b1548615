package io.nvmf.initiator.controller;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Status;
import io.nvmf.codec.StatusNames;
import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.feature.AsyncEventConfig;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.queue.Request;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one Asynchronous Event Request outstanding (NVMe Base 2.0 s5.2) and hands events on. The controller keeps events
 * that happen in between. Owned by the event loop of the admin queue.
 */
final class AsyncEvents {
    /** The notices this host asks for, where the controller has them. */
    static final long NOTICES = AsyncEventConfig.NAMESPACE_ATTRIBUTE
            | AsyncEventConfig.FIRMWARE_ACTIVATION
            | AsyncEventConfig.ANA_CHANGE
            | AsyncEventConfig.DISCOVERY_LOG_CHANGE;

    private static final Logger LOG = LoggerFactory.getLogger(AsyncEvents.class);

    private final HostQueue queue;
    private final Consumer<AsyncEvent> listener;
    private final Request request = Request.standalone();

    AsyncEvents(HostQueue queue, Consumer<AsyncEvent> listener) {
        this.queue = queue;
        this.listener = listener;
    }

    /** Sends the request; it has no time limit. */
    void request() {
        request.sqe().clear(Opcode.Admin.ASYNC_EVENT_REQUEST);
        queue.submit(request.urgent().callback(this::onAnswered));
    }

    private void onAnswered(int status, long result) {
        if (Status.isSuccess(status)) {
            request();
            listener.accept(AsyncEvent.decode(result));
        } else if (Status.sct(status) != Status.TYPE_PATH) {
            LOG.warn(
                    "{}: no more asynchronous events: {}",
                    queue.name(),
                    StatusNames.describe(status, StatusNames.Kind.ADMIN));
        }
    }
}
