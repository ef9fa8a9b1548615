package io.nvmf.initiator.queue;

import io.nvmf.initiator.transport.NvmfException;

/** As many requests are outstanding and waiting as the queue may hold: wait until some are done. */
public final class QueueFullException extends NvmfException {
    public QueueFullException(String queue, int requests) {
        super(queue + " already holds " + requests + " requests; wait until some are done", null);
    }
}
