package io.nvmf.initiator.queue;

import io.nvmf.initiator.transport.ConnectionException;

/** What a queue tells of one of its connections, on the queue's event loop. */
public interface QueueListener {
    /** The connection is gone by itself. Called at most once for each connection. */
    void onLost(ConnectionException reason);

    /**
     * A command has taken as long as it may.
     *
     * @return whether its abortion was asked for: it gets as long once more then, else the connection ends
     */
    boolean onLate(int commandId);
}
