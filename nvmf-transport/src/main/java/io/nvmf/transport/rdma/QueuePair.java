package io.nvmf.transport.rdma;

/**
 * A reliable connected queue pair (ibv_qp). Sends are added one after the other and posted together, which costs one call
 * and at most one doorbell. The caller keeps within {@link QueuePairSize}. Receives, SENDs and RDMA READs
 * complete once each, in the order of their queue, flushed if the queue pair fails before. An RDMA WRITE completes only
 * when it fails: it is done, and has left its place in the send queue, when a later SEND or READ is. Nothing is allocated.
 *
 * <p>Owned by the event loop of its completion queue; before the connection is accepted, or {@link CmId#connect} called,
 * the control loop may post receives.
 */
public interface QueuePair extends AutoCloseable {
    /**
     * Posts memory for one message of the peer, in one or two pieces.
     *
     * @param length2 0 for one piece
     * @return false when the queue pair is broken
     */
    boolean postReceive(long workId, long address1, int length1, int key1, long address2, int length2, int key2);

    /** Adds a SEND of one or two pieces. @param length2 0 for one piece */
    void addSend(long workId, long address1, int length1, int key1, long address2, int length2, int key2);

    /** Adds a SEND WITH INVALIDATE of one piece: the peer's {@code invalidatedKey} is no more when it arrives. */
    void addSendWithInvalidate(long workId, long address, int length, int key, int invalidatedKey);

    /** Adds an RDMA WRITE of local memory to the peer's. */
    void addWrite(long workId, long address, int length, int key, long remoteAddress, int remoteKey);

    /** Adds an RDMA READ of the peer's memory into local memory. */
    void addRead(long workId, long address, int length, int key, long remoteAddress, int remoteKey);

    /**
     * Posts what was added since.
     *
     * @return false when the queue pair is broken: what was added may or may not complete
     */
    boolean post();

    /**
     * Destroys it: when this returns the device touches no memory on its behalf any more. Called on the control loop, when
     * its own loop does not use it any more. May be called again.
     */
    @Override
    void close();
}
