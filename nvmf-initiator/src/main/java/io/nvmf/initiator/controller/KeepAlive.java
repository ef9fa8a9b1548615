package io.nvmf.initiator.controller;

import io.netty.util.concurrent.ScheduledFuture;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Status;
import io.nvmf.codec.StatusNames;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.queue.Request;
import io.nvmf.initiator.transport.ConnectionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Sends Keep Alive twice in each keep alive timeout (NVMe Base 2.0 s5.18), one at a time; one that is not answered within
 * the timeout ends the connection as any late command does. Owned by the event loop of the admin queue.
 */
final class KeepAlive {
    private final HostQueue queue;
    private final int timeoutMs;
    private final Consumer<ConnectionException> failureListener;
    private final Request request = Request.standalone();
    private ScheduledFuture<?> timer;
    private boolean outstanding;

    KeepAlive(HostQueue queue, int timeoutMs, Consumer<ConnectionException> failureListener) {
        this.queue = queue;
        this.timeoutMs = timeoutMs;
        this.failureListener = failureListener;
    }

    void start() {
        long periodMs = Math.max(1, timeoutMs / 2);
        timer = queue.loop().scheduleAtFixedRate(this::send, periodMs, periodMs, TimeUnit.MILLISECONDS);
    }

    void stop() {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    private void send() {
        if (outstanding) {
            return;
        }
        outstanding = true;
        request.sqe().clear(Opcode.Admin.KEEP_ALIVE);
        queue.submit(request.urgent().timeoutMs(timeoutMs).callback(this::onAnswered));
    }

    private void onAnswered(int status, long result) {
        outstanding = false;
        if (!Status.isSuccess(status) && Status.sct(status) != Status.TYPE_PATH) {
            failureListener.accept(new ConnectionException(
                    queue.name() + " refuses Keep Alive: " + StatusNames.describe(status, StatusNames.Kind.ADMIN)));
        }
    }
}
