package io.nvmf.target.config;

import io.nvmf.codec.Nqn;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** What a target serves and where; checked as a whole when it is made. */
public record TargetConfig(
        List<ListenerConfig> listeners,
        List<SubsystemConfig> subsystems,
        DiscoveryConfig discovery,
        TargetLimits limits,
        RdmaConfig rdma) {
    public TargetConfig {
        Objects.requireNonNull(discovery, "discovery");
        Objects.requireNonNull(limits, "limits");
        Objects.requireNonNull(rdma, "rdma");
        listeners = List.copyOf(listeners);
        subsystems = List.copyOf(subsystems);
        Set<String> nqns = new HashSet<>();
        for (SubsystemConfig subsystem : subsystems) {
            if (subsystem.nqn().equals(Nqn.DISCOVERY) || subsystem.nqn().equals(discovery.nqn())) {
                throw new IllegalArgumentException(
                        subsystem.nqn() + " names the discovery subsystem, which every target has: take another name");
            }
            if (!nqns.add(subsystem.nqn())) {
                throw new IllegalArgumentException("two subsystems are called " + subsystem.nqn());
            }
        }
        Set<Integer> portIds = new HashSet<>();
        for (ListenerConfig listener : listeners) {
            if (!portIds.add(listener.portId())) {
                throw new IllegalArgumentException("two listeners have port id " + listener.portId());
            }
            for (String nqn : listener.subsystems()) {
                if (!nqns.contains(nqn) && !nqn.equals(Nqn.DISCOVERY)) {
                    throw new IllegalArgumentException(
                            "listener " + listener.address() + " names an unknown subsystem " + nqn);
                }
            }
        }
    }

    /** One whose discovery service is as {@link DiscoveryConfig#DEFAULT} says. */
    public TargetConfig(
            List<ListenerConfig> listeners, List<SubsystemConfig> subsystems, TargetLimits limits, RdmaConfig rdma) {
        this(listeners, subsystems, DiscoveryConfig.DEFAULT, limits, rdma);
    }

    /** One whose RDMA listeners, if it has any, are as {@link RdmaConfig#DEFAULT} says, too. */
    public TargetConfig(List<ListenerConfig> listeners, List<SubsystemConfig> subsystems, TargetLimits limits) {
        this(listeners, subsystems, limits, RdmaConfig.DEFAULT);
    }
}
