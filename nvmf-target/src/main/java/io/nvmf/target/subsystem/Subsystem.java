package io.nvmf.target.subsystem;

import io.nvmf.target.backend.BlockError;
import io.nvmf.target.config.AnaGroups;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.namespace.IoCounts;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.namespace.NamespaceTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An NVM subsystem, or the discovery subsystem, which every target has and which has no namespaces. Thread safe: what
 * changes is swapped as a whole.
 */
public final class Subsystem {
    private final String nqn;
    private final String serialNumber;
    private final String modelNumber;
    private final int maxNamespaces;
    private final boolean discovery;
    private final List<SubsystemObserver> observers = new CopyOnWriteArrayList<>();
    private volatile HostAccess access;
    private volatile NamespaceTable namespaces;
    private IoCounts ofRemoved = IoCounts.NONE;

    private Subsystem(SubsystemConfig config, boolean discovery) {
        this.nqn = config.nqn();
        this.serialNumber = config.serialNumber();
        this.modelNumber = config.modelNumber();
        this.maxNamespaces = config.maxNamespaces();
        this.discovery = discovery;
        this.access = new HostAccess(config.allowAnyHost(), config.allowedHosts());
        this.namespaces = NamespaceTable.of(
                config.namespaces().stream().map(Namespace::new).toList());
    }

    public static Subsystem nvm(SubsystemConfig config) {
        return new Subsystem(config, false);
    }

    /**
     * The discovery subsystem, open to every host (NVMe-oF 1.1 s5).
     *
     * @param nqn the well-known name, or one of its own
     */
    public static Subsystem discovery(String nqn, String serialNumber, String modelNumber) {
        return new Subsystem(new SubsystemConfig(nqn, serialNumber, modelNumber, true, Set.of(), List.of()), true);
    }

    public String nqn() {
        return nqn;
    }

    public String serialNumber() {
        return serialNumber;
    }

    public String modelNumber() {
        return modelNumber;
    }

    /** What it would be made of anew, as it is now. */
    public SubsystemConfig config() {
        HostAccess accessNow = access;
        return new SubsystemConfig(
                nqn,
                serialNumber,
                modelNumber,
                accessNow.anyHost(),
                accessNow.hosts(),
                namespaces.all().stream().map(Namespace::config).toList(),
                maxNamespaces);
    }

    /** How many namespaces it may have. */
    public int maxNamespaces() {
        return maxNamespaces;
    }

    public boolean isDiscovery() {
        return discovery;
    }

    /** Who may connect, now. */
    public HostAccess access() {
        return access;
    }

    /** Swaps in who may connect. Controllers of others must be ended after this. */
    public void access(HostAccess access) {
        this.access = access;
    }

    /** The namespaces as they are now. */
    public NamespaceTable namespaces() {
        return namespaces;
    }

    /** What hosts have done with all namespaces, those too that have been removed. */
    public synchronized IoCounts ioCounts() {
        return namespaces.all().stream()
                .map(namespace -> namespace.counters().counts())
                .reduce(ofRemoved, IoCounts::plus);
    }

    public void addObserver(SubsystemObserver observer) {
        observers.add(observer);
    }

    public void removeObserver(SubsystemObserver observer) {
        observers.remove(observer);
    }

    /** @throws IllegalArgumentException when the NSID or an identifier is taken, or there are as many as there may be */
    public synchronized void addNamespace(NamespaceConfig added) {
        if (namespaces.get(added.nsid()) != null) {
            throw new IllegalArgumentException("subsystem " + nqn() + " has a namespace " + added.nsid() + " already");
        }
        List<Namespace> all = new ArrayList<>(namespaces.all());
        if (all.size() >= maxNamespaces) {
            throw new IllegalArgumentException(
                    "subsystem " + nqn + " has " + all.size() + " namespaces, as many as it may have");
        }
        List<NamespaceConfig> configs =
                new ArrayList<>(all.stream().map(Namespace::config).toList());
        configs.add(added);
        SubsystemConfig.requireDistinct(nqn, configs);
        all.add(new Namespace(added));
        regroup(all, Set.of(added.anaGroup()), added.nsid());
    }

    /**
     * Takes a namespace out; commands that have it keep it until they end.
     *
     * @return the namespace
     * @throws IllegalArgumentException when there is none
     */
    public synchronized Namespace removeNamespace(long nsid) {
        Namespace removed = requireNamespace(nsid);
        List<Namespace> all = new ArrayList<>(namespaces.all());
        all.remove(removed);
        ofRemoved = ofRemoved.plus(removed.counters().counts());
        regroup(all, Set.of(removed.anaGroup()), nsid);
        return removed;
    }

    /**
     * Sees a namespace's device at the length that it has now.
     *
     * @throws IllegalArgumentException when there is no such namespace, or the device is shorter than one block
     */
    public synchronized void resizeNamespace(long nsid) {
        Namespace old = requireNamespace(nsid);
        List<Namespace> all = new ArrayList<>(namespaces.all());
        all.set(all.indexOf(old), old.resized());
        namespaces = namespaces.with(all, Set.of());
        onAttributesChanged(nsid);
    }

    /**
     * Moves a namespace to another ANA group.
     *
     * @throws IllegalArgumentException when there is no such namespace or group
     */
    public synchronized void moveNamespace(long nsid, int anaGroup) {
        Namespace old = requireNamespace(nsid);
        List<Namespace> all = new ArrayList<>(namespaces.all());
        all.set(all.indexOf(old), old.inAnaGroup(AnaGroups.require(anaGroup)));
        if (old.anaGroup() != anaGroup) {
            regroup(all, Set.of(old.anaGroup(), anaGroup), nsid);
        }
    }

    private Namespace requireNamespace(long nsid) {
        Namespace namespace = namespaces.get(nsid);
        if (namespace == null) {
            throw new IllegalArgumentException("subsystem " + nqn + " has no namespace " + nsid);
        }
        return namespace;
    }

    /** Tells the controllers of the discovery subsystem that its log has changed. */
    public void discoveryLogChanged(DiscoveryAudience audience) {
        observers.forEach(observer -> observer.onDiscoveryLogChanged(audience));
    }

    /** The ANA log comes first: a host that knows of a namespace before its group would not use it. */
    private void regroup(List<Namespace> all, Set<Integer> groups, long changedNsid) {
        namespaces = namespaces.with(all, groups);
        anaChanged(null);
        onAttributesChanged(changedNsid);
    }

    void anaChanged(SubsystemPort port) {
        observers.forEach(observer -> observer.onAnaChanged(port));
    }

    /** What Identify says of a namespace has changed: hosts are told. */
    public void onAttributesChanged(long nsid) {
        for (SubsystemObserver observer : observers) {
            observer.onNamespaceAttributeChanged(nsid);
        }
    }

    /**
     * Tells the controllers of some hosts of a reservation or registration that has ended.
     *
     * @param type of a reservation notification
     */
    public void noticeReservation(long nsid, int type, Set<UUID> hostIds) {
        observers.forEach(observer -> observer.onReservationNotice(nsid, type, hostIds));
    }

    /** An operation on a namespace's device has failed: hosts are told when that is news of its health. */
    public void onDeviceError(Namespace namespace, BlockError error) {
        if (namespace.health().onError(error)) {
            observers.forEach(SubsystemObserver::onHealthChanged);
        }
    }
}
