package io.nvmf.target.discovery;

import io.netty.util.NetUtil;
import io.nvmf.codec.Bytes;
import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogEntry.Field;
import io.nvmf.codec.log.DiscoveryLogHeader;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.subsystem.Subsystem;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Finds subsystems for a Connect and describes them for the discovery log. Thread safe. */
public final class DiscoveryService {
    private static final int ADMIN_QUEUE_ENTRIES = 32;

    private final Subsystem discovery;
    private volatile List<Listener> listeners = List.of();
    private volatile long generation;

    public DiscoveryService(Subsystem discovery) {
        this.discovery = discovery;
    }

    /** Swaps in the listeners as they are now; GENCTR moves. */
    public synchronized void listeners(List<Listener> listeners) {
        this.listeners = List.copyOf(listeners);
        generation++;
    }

    /** The subsystem with this name among those reached on a listener, or null. */
    public Subsystem find(Listener listener, String nqn) {
        if (nqn.equals(Nqn.DISCOVERY)) {
            return discovery;
        }
        for (Subsystem subsystem : listener.subsystems()) {
            if (subsystem.nqn().equals(nqn)) {
                return subsystem;
            }
        }
        return null;
    }

    /**
     * The whole log page 70h for one host.
     *
     * @param local the address on which the host asks; it stands in for wildcard addresses of its family
     */
    public ByteBuffer log(String hostNqn, InetSocketAddress local) {
        long generationNow = generation;
        List<DiscoveryLogEntry> entries = new ArrayList<>();
        for (Listener listener : listeners) {
            for (Subsystem subsystem : listener.subsystems()) {
                if (subsystem.allows(hostNqn)) {
                    entries.add(entry(listener, subsystem, local));
                }
            }
        }
        ByteBuffer page = Bytes.allocate(DiscoveryLogHeader.BYTES + entries.size() * DiscoveryLogEntry.BYTES);
        new DiscoveryLogHeader(generationNow, entries.size(), 0).encode(page, 0);
        for (int i = 0; i < entries.size(); i++) {
            entries.get(i).encode(page, DiscoveryLogHeader.BYTES + i * DiscoveryLogEntry.BYTES);
        }
        return page;
    }

    private static DiscoveryLogEntry entry(Listener listener, Subsystem subsystem, InetSocketAddress local) {
        InetAddress address = listener.address().getAddress();
        if (address.isAnyLocalAddress()) {
            address = local.getAddress();
        }
        DiscoveryLogEntry entry = DiscoveryLogEntry.allocate();
        entry.set(Field.TRTYPE, listener.transport().trtype());
        entry.set(
                Field.ADRFAM,
                address instanceof Inet6Address ? DiscoveryLogEntry.ADRFAM_IPV6 : DiscoveryLogEntry.ADRFAM_IPV4);
        entry.set(Field.SUBTYPE, DiscoveryLogEntry.SUBTYPE_NVM);
        entry.set(Field.TREQ, DiscoveryLogEntry.TREQ_NOT_REQUIRED | DiscoveryLogEntry.TREQ_DISABLE_SQ_FLOW_CONTROL);
        entry.set(Field.PORTID, listener.portId());
        entry.set(Field.CNTLID, DiscoveryLogEntry.CNTLID_DYNAMIC);
        entry.set(Field.ASQSZ, ADMIN_QUEUE_ENTRIES);
        if (listener.transport() == TransportType.RDMA) {
            entry.set(Field.RDMA_QPTYPE, DiscoveryLogEntry.RDMA_QPTYPE_CONNECTED);
            entry.set(Field.RDMA_PRTYPE, DiscoveryLogEntry.RDMA_PRTYPE_NOT_SPECIFIED);
            entry.set(Field.RDMA_CMS, DiscoveryLogEntry.RDMA_CMS_RDMA_CM);
        }
        entry.serviceId(Integer.toString(listener.address().getPort()));
        entry.subsystemNqn(subsystem.nqn());
        entry.transportAddress(NetUtil.toAddressString(address));
        return entry;
    }
}
