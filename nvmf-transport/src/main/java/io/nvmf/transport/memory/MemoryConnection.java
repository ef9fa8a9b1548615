package io.nvmf.transport.memory;

import java.net.InetSocketAddress;

/** A connection that was accepted, to be disturbed by tests. Thread safe. */
public final class MemoryConnection {
    private final MemoryRdma rdma;
    private final MemoryCmId initiator;
    private final MemoryCmId acceptor;
    private boolean isCut;

    /** With the lock held. */
    MemoryConnection(MemoryRdma rdma, MemoryCmId initiator, MemoryCmId acceptor) {
        this.rdma = rdma;
        this.initiator = initiator;
        this.acceptor = acceptor;
        rdma.add(this);
    }

    /** The end that asked for the connection. */
    public InetSocketAddress initiatorAddress() {
        return initiator.localAddress();
    }

    /** The end that accepted. */
    public InetSocketAddress acceptorAddress() {
        return acceptor.localAddress();
    }

    /** As if the cable were pulled: nothing arrives at either end any more, not even that the other has ended. */
    public void cut() {
        synchronized (rdma) {
            isCut = true;
        }
    }

    /** Puts the queue pairs of both ends into error: work is flushed, and no event tells of it. */
    public void breakQueuePairs() {
        synchronized (rdma) {
            initiator.queuePair().fail();
            acceptor.queuePair().fail();
        }
    }

    // With the lock held from here on.

    boolean isCut() {
        return isCut;
    }

    /** Does what can be done of what is posted. */
    void advance() {
        initiator.queuePair().advance();
        acceptor.queuePair().advance();
    }

    /** One end ends it; it always hears of that, the other when it can. */
    void end(MemoryCmId from) {
        rdma.remove(this);
        from.disconnected();
        MemoryCmId other = from == initiator ? acceptor : initiator;
        if (!isCut) {
            other.disconnected();
        }
    }
}
