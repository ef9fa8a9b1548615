package io.nvmf.initiator.queue;

import io.nvmf.initiator.transport.Command;

/**
 * The measures of a queue.
 *
 * @param name for messages: peer and queue
 * @param slots commands outstanding at most; no more than SQSIZE (zero based), so that the submission queue never is full
 * @param reservedSlots of them only urgent requests may use
 * @param waitingRequests how many requests may wait for a slot beside those that have one
 * @param holdsRequests whether requests wait for another connection when there is none
 * @param tickMs how often late commands are looked for
 */
public record QueueOptions(
        String name, int slots, int reservedSlots, int waitingRequests, boolean holdsRequests, long tickMs) {
    public QueueOptions {
        if (slots <= reservedSlots || slots > Command.MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "A queue has " + (reservedSlots + 1) + " to " + Command.MAX_SLOTS + " slots, not " + slots);
        }
    }
}
