package io.nvmf.transport.rdma;

import java.nio.ByteBuffer;

/**
 * What {@link CmId#connect} and {@link CmId#accept} say to the peer.
 *
 * @param privateData the bytes between position and limit go along, at most 56 of a request and 196 of an accept
 * @param responderResources RDMA READs that the peer may have outstanding at this end
 * @param initiatorDepth RDMA READs that this end will have outstanding at the peer at most
 */
public record ConnectionParameters(ByteBuffer privateData, int responderResources, int initiatorDepth) {
    /** Tries again so often when packets are lost; the most there is. */
    public static final int RETRY_COUNT = 7;

    /** Tries again for ever when the peer has posted no receive. */
    public static final int RNR_RETRY_COUNT = 7;
}
