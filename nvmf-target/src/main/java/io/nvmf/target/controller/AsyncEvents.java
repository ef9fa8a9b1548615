package io.nvmf.target.controller;

import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.feature.AsyncEventConfig;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Asynchronous events of one controller (NVMe Base 2.0 s5.2): requests that wait for an event, events that wait for a
 * request, and events that stay silent until their log page has been read. Owned by the admin queue's event loop.
 */
public final class AsyncEvents {
    /** AERL + 1: how many requests may wait. */
    public static final int MAX_REQUESTS = 4;

    /** A request that waits: its command id, and what completes it with DW0. */
    private record Waiting(int commandId, LongConsumer completion, Runnable abort) {}

    private final ArrayDeque<Waiting> requests = new ArrayDeque<>(MAX_REQUESTS);
    private final Set<AsyncEvent> pending = new LinkedHashSet<>();
    private final Set<AsyncEvent> silentUntilRead = new LinkedHashSet<>();
    private long config;

    /** Feature 0Bh: bits of {@link AsyncEventConfig}. */
    public long config() {
        return config;
    }

    public void config(long config) {
        this.config = config;
    }

    /**
     * Keeps a request until an event occurs, or completes it with one that has occurred.
     *
     * @return false when too many requests wait already
     */
    public boolean park(int commandId, LongConsumer completion, Runnable abort) {
        if (requests.size() == MAX_REQUESTS) {
            return false;
        }
        requests.add(new Waiting(commandId, completion, abort));
        deliver();
        return true;
    }

    /** Takes a waiting request out and aborts it; false when none has this command id. */
    public boolean abort(int commandId) {
        for (Iterator<Waiting> i = requests.iterator(); i.hasNext(); ) {
            Waiting waiting = i.next();
            if (waiting.commandId == commandId) {
                i.remove();
                waiting.abort.run();
                return true;
            }
        }
        return false;
    }

    /** Something happened. Reported once, when the host wants to know, and again only after it has read the log page. */
    public void occurred(AsyncEvent event, long configBit) {
        if ((config & configBit) != 0) {
            occurred(event);
        }
    }

    /** As {@link #occurred(AsyncEvent, long)}, of something that feature 0Bh has no say in. */
    public void occurred(AsyncEvent event) {
        if (!silentUntilRead.contains(event)) {
            pending.add(event);
            deliver();
        }
    }

    /** The host has read a log page without RAE: what it tells may be reported anew. */
    public void onLogRead(int logPageId) {
        silentUntilRead.removeIf(event -> event.logPageId() == logPageId);
        pending.removeIf(event -> event.logPageId() == logPageId);
    }

    /** Forgets everything and aborts the waiting requests. */
    public void reset() {
        while (!requests.isEmpty()) {
            requests.remove().abort.run();
        }
        pending.clear();
        silentUntilRead.clear();
        config = 0;
    }

    private void deliver() {
        while (!pending.isEmpty() && !requests.isEmpty()) {
            AsyncEvent event = pending.iterator().next();
            pending.remove(event);
            silentUntilRead.add(event);
            requests.remove().completion.accept(event.dw0());
        }
    }
}
