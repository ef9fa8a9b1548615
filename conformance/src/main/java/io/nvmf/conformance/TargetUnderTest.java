package io.nvmf.conformance;

import io.nvmf.codec.log.TransportType;
import io.nvmf.transport.rdma.Rdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.net.InetSocketAddress;
import java.util.UUID;

/**
 * Which target, and as which host.
 *
 * @param address resolved
 * @param subsystemNqn empty when discovery alone is checked
 * @param nsid 0 for the first active namespace
 * @param answerMs how long an answer may take, in ms
 * @param seed of everything random
 * @param rdma the way to RDMA devices; used when that is the transport
 */
public record TargetUnderTest(
        TransportType transport,
        InetSocketAddress address,
        String subsystemNqn,
        long nsid,
        String hostNqn,
        UUID hostId,
        int answerMs,
        long seed,
        RdmaProvider rdma) {
    /** With the RDMA devices of this machine. */
    public TargetUnderTest(
            TransportType transport,
            InetSocketAddress address,
            String subsystemNqn,
            long nsid,
            String hostNqn,
            UUID hostId,
            int answerMs,
            long seed) {
        this(transport, address, subsystemNqn, nsid, hostNqn, hostId, answerMs, seed, Rdma.provider());
    }

    /** Another HOSTID, made of the first, as which checks appear that need two hosts. */
    public UUID secondHostId() {
        return new UUID(hostId.getMostSignificantBits(), ~hostId.getLeastSignificantBits());
    }

    /** Whether checks appear as this host. */
    boolean isOwn(UUID other) {
        return other.equals(hostId) || other.equals(secondHostId());
    }
}
