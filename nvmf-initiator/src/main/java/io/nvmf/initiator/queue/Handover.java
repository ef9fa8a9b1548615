package io.nvmf.initiator.queue;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Requests on their way from any thread to the event loop. Bounded by the pool they come from; whoever finds it empty
 * wakes the loop, so that a batch costs one wake-up.
 */
final class Handover {
    private final AtomicReference<Request> newest = new AtomicReference<>();

    /** Hands a request over; says whether the loop must be woken. */
    boolean put(Request request) {
        Request before;
        do {
            before = newest.get();
            request.next = before;
        } while (!newest.compareAndSet(before, request));
        return before == null;
    }

    /** Takes everything, linked oldest first; null when there is nothing. */
    Request takeAll() {
        Request request = newest.getAndSet(null);
        Request oldestFirst = null;
        while (request != null) {
            Request older = request.next;
            request.next = oldestFirst;
            oldestFirst = request;
            request = older;
        }
        return oldestFirst;
    }
}
