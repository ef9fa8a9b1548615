package io.nvmf.transport.rdma;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A connection as the communication manager sees it (rdma_cm_id). Owned by the control loop. */
public interface CmId {
    /** The reason of a rejection that the peer's own program decided (IBA 12.6.7.2). */
    int REJECTED_BY_CONSUMER = 28;

    /** Takes the events from now on; an id that came with a request has none before. */
    void listener(CmListener listener);

    /** The device it goes through; known once the route is resolved, and of every request. */
    RdmaDevice device();

    InetSocketAddress localAddress();

    InetSocketAddress remoteAddress();

    /**
     * Makes the queue pair, reliable connected, both of whose directions complete into one queue. It can take receives at
     * once, sends when the connection is established. Closed with this id, or by {@link QueuePair#close} before.
     *
     * @throws RdmaException when the device cannot
     */
    QueuePair createQueuePair(CompletionQueue completions, QueuePairSize size) throws RdmaException;

    /** Asks the peer for the connection; {@link CmListener#onEstablished} or a refusal follows. */
    void connect(ConnectionParameters parameters) throws RdmaException;

    /** Lets the peer in; {@link CmListener#onEstablished} follows. */
    void accept(ConnectionParameters parameters) throws RdmaException;

    /** Refuses the peer; the id is still to be closed. @param privateData the bytes between position and limit */
    void reject(ByteBuffer privateData) throws RdmaException;

    /** Ends the connection at both ends: work that is posted is flushed. May be called again. */
    void disconnect();

    /** Destroys the queue pair, if it still is there, and the id; no event comes after. May be called again. */
    void close();
}
