package io.nvmf.initiator.queue;

import io.nvmf.codec.Status;

/** Whoever stands behind requests and decides what becomes of them. */
public interface RequestOwner {
    /**
     * Asked before each command, on the queue's event loop; must be quick.
     *
     * @return {@link Status#SUCCESS}, or the status with which the request fails without being sent
     */
    int refusal();

    /** Where its requests go, which says what happens to those that fail. */
    IoQueues queues();
}
