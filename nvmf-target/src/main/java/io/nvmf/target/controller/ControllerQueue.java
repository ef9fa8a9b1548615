package io.nvmf.target.controller;

import io.netty.channel.IoEventLoop;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A queue of a controller, as the controller sees it. Methods may be called on any thread unless they say otherwise. */
public interface ControllerQueue {
    /** The event loop that owns the queue. */
    IoEventLoop loop();

    /** What the transport under it can do. */
    TransportTraits traits();

    /** The host's address, for a log line. */
    String peer();

    /** The address on which the host reaches us. */
    InetSocketAddress localAddress();

    /** What the queue has counted. */
    QueueCounters counters();

    /** The clock of {@link System#nanoTime}. */
    long nanoTime();

    /**
     * Ends the queue and its connection, then calls {@link Controller#ended}; and {@link Controller#drained} when nothing
     * of it can change a block any more; the reason goes to the log. */
    void close(String reason);

    /**
     * Tries to abort a command. The answer, whether it was aborted, comes on the queue's loop; the aborted command has
     * been completed before.
     */
    void abort(int commandId, Consumer<Boolean> answer);

    /**
     * Aborts the commands on a namespace that are not executed yet, with the status of Preempt and Abort: at once, or when
     * the data that the host owes has come.
     *
     * @return ends, on the queue's loop, when those that are executed now have ended
     */
    CompletableFuture<Void> abortCommands(long nsid);
}
