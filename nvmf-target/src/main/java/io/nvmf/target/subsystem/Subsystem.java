package io.nvmf.target.subsystem;

import io.nvmf.codec.Nqn;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.namespace.NamespaceTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An NVM subsystem, or the discovery subsystem, which every target has and which has no namespaces. Thread safe: what
 * changes is swapped as a whole.
 */
public final class Subsystem {
    private final SubsystemConfig config;
    private final boolean discovery;
    private final List<SubsystemObserver> observers = new CopyOnWriteArrayList<>();
    private volatile NamespaceTable namespaces;

    private Subsystem(SubsystemConfig config, boolean discovery) {
        this.config = config;
        this.discovery = discovery;
        this.namespaces = new NamespaceTable(
                config.namespaces().stream().map(Namespace::new).toList());
    }

    public static Subsystem nvm(SubsystemConfig config) {
        return new Subsystem(config, false);
    }

    /** The discovery subsystem under its well-known name, open to every host (NVMe-oF 1.1 s5). */
    public static Subsystem discovery(String serialNumber, String modelNumber) {
        return new Subsystem(
                new SubsystemConfig(Nqn.DISCOVERY, serialNumber, modelNumber, true, Set.of(), List.of()), true);
    }

    public String nqn() {
        return config.nqn();
    }

    public String serialNumber() {
        return config.serialNumber();
    }

    public String modelNumber() {
        return config.modelNumber();
    }

    public boolean isDiscovery() {
        return discovery;
    }

    public boolean allows(String hostNqn) {
        return config.allowAnyHost() || config.allowedHosts().contains(hostNqn);
    }

    /** The namespaces as they are now. */
    public NamespaceTable namespaces() {
        return namespaces;
    }

    public void addObserver(SubsystemObserver observer) {
        observers.add(observer);
    }

    public void removeObserver(SubsystemObserver observer) {
        observers.remove(observer);
    }

    /** @throws IllegalArgumentException when the NSID is taken */
    public synchronized void addNamespace(NamespaceConfig added) {
        if (namespaces.get(added.nsid()) != null) {
            throw new IllegalArgumentException("subsystem " + nqn() + " has a namespace " + added.nsid() + " already");
        }
        List<Namespace> all = new ArrayList<>(namespaces.all());
        all.add(new Namespace(added));
        swap(all, added.nsid());
    }

    /**
     * Takes a namespace out; commands that have it keep it until they end.
     *
     * @return the namespace
     * @throws IllegalArgumentException when there is none
     */
    public synchronized Namespace removeNamespace(long nsid) {
        Namespace removed = namespaces.get(nsid);
        if (removed == null) {
            throw new IllegalArgumentException("subsystem " + nqn() + " has no namespace " + nsid);
        }
        List<Namespace> all = new ArrayList<>(namespaces.all());
        all.remove(removed);
        swap(all, nsid);
        return removed;
    }

    private void swap(List<Namespace> all, long changedNsid) {
        namespaces = new NamespaceTable(all);
        onAttributesChanged(changedNsid);
    }

    /** What Identify says of a namespace has changed: hosts are told. */
    public void onAttributesChanged(long nsid) {
        for (SubsystemObserver observer : observers) {
            observer.onNamespaceAttributeChanged(nsid);
        }
    }

    /** An operation on a namespace's device has failed: hosts are told when that is news of its health. */
    public void onDeviceError(Namespace namespace, BlockError error) {
        if (namespace.health().onError(error)) {
            observers.forEach(SubsystemObserver::onHealthChanged);
        }
    }
}
