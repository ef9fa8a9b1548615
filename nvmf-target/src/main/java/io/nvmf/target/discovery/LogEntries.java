package io.nvmf.target.discovery;

import io.netty.util.NetUtil;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogEntry.Field;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.subsystem.Subsystem;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Entries of the discovery log (NVMe Base 2.0 s5.16.1.23). */
final class LogEntries {
    private static final int ADMIN_QUEUE_ENTRIES = 32;

    private LogEntries() {}

    /** An NVM subsystem on a listener. */
    static DiscoveryLogEntry of(Listener listener, Subsystem subsystem, InetSocketAddress local) {
        DiscoveryLogEntry entry = here(listener, local);
        entry.set(Field.SUBTYPE, DiscoveryLogEntry.SUBTYPE_NVM);
        entry.subsystemNqn(subsystem.nqn());
        return entry;
    }

    /** The discovery subsystem itself, where it was asked. A host may stay connected to hear of changes. */
    static DiscoveryLogEntry ofDiscovery(Listener asked, Subsystem discovery, InetSocketAddress local) {
        DiscoveryLogEntry entry = here(asked, local);
        entry.set(Field.SUBTYPE, DiscoveryLogEntry.SUBTYPE_CURRENT_DISCOVERY);
        entry.set(Field.EFLAGS, DiscoveryLogEntry.EFLAGS_EXPLICIT_PERSISTENT_CONNECTIONS);
        entry.subsystemNqn(discovery.nqn());
        return entry;
    }

    /** Another discovery service. Of its flow control and secure channels nothing is known here. */
    static DiscoveryLogEntry of(ReferralConfig referral) {
        InetSocketAddress address = referral.address();
        DiscoveryLogEntry entry = at(referral.transport(), address.getAddress(), address.getPort());
        entry.set(Field.SUBTYPE, DiscoveryLogEntry.SUBTYPE_REFERRAL);
        entry.set(Field.TREQ, DiscoveryLogEntry.TREQ_NOT_SPECIFIED);
        entry.subsystemNqn(referral.nqn());
        return entry;
    }

    private static DiscoveryLogEntry here(Listener listener, InetSocketAddress local) {
        InetAddress address = reachable(listener.address().getAddress(), local.getAddress());
        DiscoveryLogEntry entry =
                at(listener.transport(), address, listener.address().getPort());
        entry.set(Field.TREQ, DiscoveryLogEntry.TREQ_NOT_REQUIRED | DiscoveryLogEntry.TREQ_DISABLE_SQ_FLOW_CONTROL);
        entry.set(Field.PORTID, listener.portId());
        return entry;
    }

    /** What to say for a wildcard: the address that the host has used, for it reaches that. */
    private static InetAddress reachable(InetAddress listening, InetAddress local) {
        if (!listening.isAnyLocalAddress()) {
            return listening;
        }
        boolean sameMachineOverIpv6 = listening instanceof Inet4Address && local instanceof Inet6Address;
        return sameMachineOverIpv6 ? NetUtil.LOCALHOST4 : local;
    }

    private static DiscoveryLogEntry at(TransportType transport, InetAddress address, int port) {
        DiscoveryLogEntry entry = DiscoveryLogEntry.allocate();
        entry.set(Field.TRTYPE, transport.trtype());
        entry.set(
                Field.ADRFAM,
                address instanceof Inet6Address ? DiscoveryLogEntry.ADRFAM_IPV6 : DiscoveryLogEntry.ADRFAM_IPV4);
        entry.set(Field.CNTLID, DiscoveryLogEntry.CNTLID_DYNAMIC);
        entry.set(Field.ASQSZ, ADMIN_QUEUE_ENTRIES);
        if (transport == TransportType.RDMA) {
            entry.set(Field.RDMA_QPTYPE, DiscoveryLogEntry.RDMA_QPTYPE_CONNECTED);
            entry.set(Field.RDMA_PRTYPE, DiscoveryLogEntry.RDMA_PRTYPE_NOT_SPECIFIED);
            entry.set(Field.RDMA_CMS, DiscoveryLogEntry.RDMA_CMS_RDMA_CM);
        }
        entry.serviceId(Integer.toString(port));
        entry.transportAddress(NetUtil.toAddressString(address));
        return entry;
    }
}
