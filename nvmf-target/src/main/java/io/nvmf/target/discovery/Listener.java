package io.nvmf.target.discovery;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.config.AnaState;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.subsystem.SubsystemPort;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An address on which hosts are served, as it really is: with the port that was taken. Thread safe: which subsystems are
 * reached here is swapped as a whole.
 */
public final class Listener {
    private final int portId;
    private final TransportType transport;
    private final InetSocketAddress address;
    private volatile List<SubsystemPort> ports;
    private volatile boolean forDiscovery;

    /**
     * @param address bound, perhaps to a wildcard
     * @param subsystems those reached here, the discovery subsystem among them
     */
    public Listener(ListenerConfig config, InetSocketAddress address, List<Subsystem> subsystems) {
        this.portId = config.portId();
        this.transport = config.transport();
        this.address = address;
        this.forDiscovery = config.isForDiscovery();
        this.ports = subsystems.stream()
                .map(subsystem -> new SubsystemPort(subsystem, config.ana().getOrDefault(subsystem.nqn(), Map.of())))
                .toList();
    }

    /** PORTID of the discovery log. */
    public int portId() {
        return portId;
    }

    /** How hosts speak to it. */
    public TransportType transport() {
        return transport;
    }

    public InetSocketAddress address() {
        return address;
    }

    /** Whether it is this address; the port is the one that was taken. */
    public boolean is(TransportType transport, InetSocketAddress address) {
        return this.transport == transport && this.address.equals(address);
    }

    /** What it would be opened with again, as it is now. */
    public ListenerConfig config() {
        Set<String> nqns = new HashSet<>(forDiscovery ? Set.of(Nqn.DISCOVERY) : Set.of());
        Map<String, Map<Integer, AnaState>> ana = new HashMap<>();
        for (SubsystemPort port : ports) {
            String nqn = port.subsystem().nqn();
            if (!port.subsystem().isDiscovery()) {
                nqns.add(nqn);
                Map<Integer, AnaState> others = port.ana().others();
                if (!others.isEmpty()) {
                    ana.put(nqn, others);
                }
            }
        }
        return new ListenerConfig(portId, transport, address, nqns, ana);
    }

    /** Whether it stays for discovery when no subsystem is reached here. */
    public boolean isForDiscovery() {
        return forDiscovery;
    }

    /** One at a time. */
    public void forDiscovery(boolean stays) {
        forDiscovery = stays;
    }

    /** All that is reached here now. */
    public List<SubsystemPort> ports() {
        return ports;
    }

    /** The subsystem with this name as it is reached here now, or null. */
    public SubsystemPort port(String nqn) {
        for (SubsystemPort port : ports) {
            if (port.subsystem().nqn().equals(nqn)) {
                return port;
            }
        }
        return null;
    }

    /** Those reached here now, without the discovery subsystem. */
    public List<Subsystem> subsystems() {
        return ports.stream()
                .map(SubsystemPort::subsystem)
                .filter(subsystem -> !subsystem.isDiscovery())
                .toList();
    }

    /** From now on a subsystem is reached here. One at a time; the caller sees that it is not reached yet. */
    public void add(Subsystem subsystem) {
        List<SubsystemPort> more = new ArrayList<>(ports);
        more.add(new SubsystemPort(subsystem, Map.of()));
        ports = List.copyOf(more);
    }

    /** A subsystem is not reached here any more. One at a time; controllers at the port must be ended after this. */
    public void remove(SubsystemPort port) {
        port.close();
        ports = ports.stream().filter(other -> other != port).toList();
    }
}
