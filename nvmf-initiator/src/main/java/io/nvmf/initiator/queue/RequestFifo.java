package io.nvmf.initiator.queue;

/** Requests in order of arrival, linked through themselves. Owned by the queue's event loop. */
final class RequestFifo {
    private Request head;
    private Request tail;

    void add(Request request) {
        request.next = null;
        if (head == null) {
            head = request;
        } else {
            tail.next = request;
        }
        tail = request;
    }

    /** The oldest, or null. */
    Request peek() {
        return head;
    }

    /** Removes the oldest and returns it, or null. */
    Request poll() {
        Request request = head;
        if (request != null) {
            head = request.next;
            request.next = null;
        }
        return request;
    }
}
