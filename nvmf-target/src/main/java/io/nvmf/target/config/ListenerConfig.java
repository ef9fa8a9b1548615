package io.nvmf.target.config;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.TransportType;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * One address on which hosts reach subsystems (a port of nvmetcli). The discovery subsystem answers on
 * each.
 *
 * @param portId PORTID of the discovery log, 0 to 65535, unique in the target
 * @param transport how hosts speak to it
 * @param address to listen on; port 0 takes a free one
 * @param subsystems NQNs of the subsystems reached here; none, or {@link Nqn#DISCOVERY} among them, makes it an address for
 *     discovery itself, which stays when the others have gone
 * @param ana states of ANA groups here, by subsystem and group; what is not named is optimized
 */
public record ListenerConfig(
        int portId,
        TransportType transport,
        InetSocketAddress address,
        Set<String> subsystems,
        Map<String, Map<Integer, AnaState>> ana) {
    public ListenerConfig {
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(address, "address");
        subsystems = Set.copyOf(subsystems);
        ana = Map.copyOf(ana);
        ana.values().forEach(states -> states.keySet().forEach(AnaGroups::require));
        if (portId < 0 || portId > 0xFFFF) {
            throw new IllegalArgumentException("port id " + portId + " is not between 0 and 65535");
        }
    }

    /** Whether it stays for discovery when no subsystem is reached here. */
    public boolean isForDiscovery() {
        return subsystems.isEmpty() || subsystems.contains(Nqn.DISCOVERY);
    }

    /** One where everything is optimized. */
    public ListenerConfig(int portId, TransportType transport, InetSocketAddress address, Set<String> subsystems) {
        this(portId, transport, address, subsystems, Map.of());
    }
}
