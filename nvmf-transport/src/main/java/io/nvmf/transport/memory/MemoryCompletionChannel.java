package io.nvmf.transport.memory;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.CompletionChannel;
import io.nvmf.transport.rdma.CompletionQueue;
import io.nvmf.transport.rdma.RdmaException;

/** Brings the events of completion queues to a loop. */
final class MemoryCompletionChannel implements CompletionChannel {
    final MemoryRdma rdma;
    final IoEventLoop loop;
    private int openQueues;
    private boolean isClosed;

    /** With the lock held. */
    MemoryCompletionChannel(MemoryRdma rdma, IoEventLoop loop) {
        this.rdma = rdma;
        this.loop = loop;
        rdma.opened(MemoryRdma.Kind.COMPLETION_CHANNEL);
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries, Runnable onEvent) throws RdmaException {
        synchronized (rdma) {
            if (isClosed) {
                throw new IllegalStateException("the completion channel is closed");
            }
            rdma.requireDevice();
            if (entries < 1 || entries > rdma.limits().maxCompletions()) {
                throw new RdmaException("a completion queue of the device holds "
                        + rdma.limits().maxCompletions() + " entries at most");
            }
            openQueues++;
            return new MemoryCompletionQueue(this, entries, onEvent);
        }
    }

    /** With the lock held. */
    void queueClosed() {
        openQueues--;
    }

    @Override
    public void close() {
        MemoryRdma.requireLoop(loop);
        synchronized (rdma) {
            if (openQueues > 0) {
                throw new IllegalStateException("the completion channel still has " + openQueues + " queues");
            }
            if (!isClosed) {
                isClosed = true;
                rdma.closed(MemoryRdma.Kind.COMPLETION_CHANNEL);
            }
        }
    }
}
