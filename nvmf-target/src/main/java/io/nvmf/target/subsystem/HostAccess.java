package io.nvmf.target.subsystem;

import java.util.Set;

/**
 * Who may connect to a subsystem. Immutable: a change makes another.
 *
 * @param anyHost whether every host may; then {@code hosts} is kept, and not looked at
 * @param hosts NQNs of the hosts that may
 */
public record HostAccess(boolean anyHost, Set<String> hosts) {
    public HostAccess {
        hosts = Set.copyOf(hosts);
    }

    public boolean allows(String hostNqn) {
        return anyHost || hosts.contains(hostNqn);
    }
}
