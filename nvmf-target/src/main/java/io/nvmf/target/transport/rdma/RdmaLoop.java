package io.nvmf.target.transport.rdma;

import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.transport.ConnectionGroup;
import io.nvmf.transport.rdma.CompletionPoller;

/**
 * An event loop that carries RDMA connections.
 *
 * @param group its connections
 * @param poller brings their completions
 */
record RdmaLoop(TargetLoop target, ConnectionGroup group, CompletionPoller poller) {
    /** Has the loop run something, later. */
    void execute(Runnable task) {
        target.loop().execute(task);
    }
}
