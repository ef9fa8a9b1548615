package io.nvmf.initiator.queue;

import io.nvmf.codec.Status;

/** Whoever stands behind requests and may have to stop them. */
@FunctionalInterface
public interface RequestOwner {
    /**
     * Asked before each command, on the queue's event loop; must be quick.
     *
     * @return {@link Status#SUCCESS}, or the status with which the request fails without being sent
     */
    int refusal();
}
