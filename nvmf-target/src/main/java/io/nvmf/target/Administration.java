package io.nvmf.target;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.config.AnaGroups;
import io.nvmf.target.config.AnaState;
import io.nvmf.target.config.DiscoveryConfig;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.controller.ControllerTable;
import io.nvmf.target.discovery.DiscoveryService;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.namespace.IoCounts;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.subsystem.HostAccess;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.subsystem.SubsystemPort;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What of a target can be changed while it serves. Thread safe, one change at a time; some block, so none is for an event
 * loop.
 *
 * <p>A change is made whole, or not at all: {@link IllegalArgumentException} says what cannot be, {@link IOException} what
 * the machine refuses, each in one sentence. Hosts are told by the events of the specification. Once the target is closed,
 * nothing changes any more: {@link IllegalStateException}.
 */
public final class Administration {
    private static final Logger LOG = LoggerFactory.getLogger(Administration.class);
    private static final int MAX_PORT_ID = 0xFFFF;

    private final DiscoveryService discovery;
    private final ControllerTable controllers;
    private final List<TargetLoop> loops;
    private final Listeners opened;
    private final Map<String, Subsystem> subsystems = new LinkedHashMap<>();
    /** What was asked for at the start and could not be opened; it is not forgotten. */
    private final List<ListenerConfig> unopened = new ArrayList<>();

    private TargetConfig started;
    private boolean closed;

    Administration(DiscoveryService discovery, ControllerTable controllers, List<TargetLoop> loops, Listeners opened) {
        this.discovery = discovery;
        this.controllers = controllers;
        this.loops = loops;
        this.opened = opened;
    }

    /**
     * Serves all that a configuration says.
     *
     * @return why RDMA listeners are not there
     * @throws IOException as {@link NvmfTarget#start(TargetConfig, RdmaProvider)}
     */
    synchronized List<String> start(TargetConfig config) throws IOException {
        List<String> failures = new ArrayList<>();
        started = config;
        config.subsystems().forEach(subsystem -> subsystems.put(subsystem.nqn(), Subsystem.nvm(subsystem)));
        discovery.change(() -> {
            config.discovery().referrals().forEach(discovery::add);
            for (ListenerConfig listener : config.listeners()) {
                List<Subsystem> reached = new ArrayList<>(List.of(discovery.subsystem()));
                listener.subsystems().stream()
                        .sorted()
                        .filter(subsystems::containsKey)
                        .map(subsystems::get)
                        .forEach(reached::add);
                try {
                    discovery.add(opened.open(listener, reached));
                } catch (IOException e) {
                    if (listener.transport() == TransportType.TCP) {
                        throw e;
                    }
                    failures.add(e.getMessage());
                    unopened.add(listener);
                }
            }
        });
        if (discovery.listeners().isEmpty() && !failures.isEmpty()) {
            throw new IOException(String.join("; ", failures));
        }
        return failures;
    }

    // ---- subsystems

    /** The subsystems as they are now, without discovery, in the order in which they were made. */
    public synchronized List<SubsystemConfig> subsystems() {
        return subsystems.values().stream().map(Subsystem::config).toList();
    }

    /**
     * Serves one more subsystem, on no listener yet. Its devices belong to the target from now on, if this succeeds.
     *
     * @throws IllegalArgumentException when its name is taken
     */
    public synchronized void createSubsystem(SubsystemConfig config) {
        requireOpen();
        if (subsystems.containsKey(config.nqn()) || isDiscovery(config.nqn())) {
            throw new IllegalArgumentException("there is a subsystem " + config.nqn() + " already");
        }
        subsystems.put(config.nqn(), Subsystem.nvm(config));
    }

    /**
     * Ends a subsystem, its controllers, and with them what they still do; then closes its devices. Addresses where nothing
     * else is reached are closed, as by {@link #removeListener}.
     */
    public void deleteSubsystem(String nqn) {
        Subsystem subsystem;
        synchronized (this) {
            requireOpen();
            subsystem = subsystem(nqn);
            subsystems.remove(nqn);
            Set<SubsystemPort> ended = unreach(
                    subsystem,
                    discovery.listeners().stream()
                            .filter(listener -> listener.port(nqn) != null)
                            .toList());
            controllers.end(
                    controller -> controller.subsystem() == subsystem || ended.contains(controller.port()),
                    "the subsystem was deleted");
        }
        closeDevices(subsystem.namespaces().all());
    }

    // ---- namespaces

    /**
     * Adds a namespace to a subsystem. Its device belongs to the target from now on, if this succeeds.
     *
     * @throws IllegalArgumentException when there is no such subsystem, or the NSID or an identifier is taken
     */
    public synchronized void addNamespace(String nqn, NamespaceConfig namespace) {
        requireOpen();
        subsystem(nqn).addNamespace(namespace);
    }

    /** Takes a namespace out of a subsystem; what is under way on it ends, then its device is closed. */
    public void removeNamespace(String nqn, long nsid) {
        Namespace removed;
        synchronized (this) {
            requireOpen();
            removed = subsystem(nqn).removeNamespace(nsid);
        }
        closeDevices(List.of(removed));
    }

    /**
     * Makes the device of a namespace longer or shorter; what is beyond its new end is lost. Commands under way there may
     * fail.
     *
     * @param sizeBytes 0 to take the length that is there now, after someone else has changed it
     * @throws IOException when the device cannot be that long
     */
    public synchronized void resizeNamespace(String nqn, long nsid, long sizeBytes) throws IOException {
        requireOpen();
        Subsystem subsystem = subsystem(nqn);
        Namespace namespace = namespace(nqn, nsid);
        if (sizeBytes != 0 && sizeBytes < namespace.config().blockSizeBytes()) {
            throw new IllegalArgumentException("namespace " + nsid + " must hold at least one block");
        }
        namespace.device().resize(sizeBytes);
        subsystem.resizeNamespace(nsid);
    }

    /** Moves a namespace to another ANA group, 1 to {@link AnaGroups#MAX}. */
    public synchronized void moveNamespace(String nqn, long nsid, int anaGroup) {
        requireOpen();
        subsystem(nqn).moveNamespace(nsid, anaGroup);
    }

    /**
     * Says how well a group of namespaces is reached through a listener; hosts there are told.
     *
     * @param anaGroup 0 for all groups
     */
    public synchronized void anaState(
            String nqn, TransportType transport, InetSocketAddress address, int anaGroup, AnaState state) {
        requireOpen();
        Listener listener = find(transport, address);
        SubsystemPort port = listener == null ? null : listener.port(nqn);
        if (port == null || port.subsystem().isDiscovery()) {
            throw new IllegalArgumentException("subsystem " + nqn + " has no such listener");
        }
        port.ana(anaGroup == 0 ? 0 : AnaGroups.require(anaGroup), state);
    }

    // ---- hosts

    /** Lets a host connect. Saying it twice is harmless. */
    public synchronized void addHost(String nqn, String hostNqn) {
        requireNqn(hostNqn);
        HostAccess access = subsystem(nqn).access();
        Set<String> hosts = new HashSet<>(access.hosts());
        hosts.add(hostNqn);
        access(nqn, new HostAccess(access.anyHost(), hosts));
    }

    /**
     * Lets a host connect no more and, unless every host may, ends its controllers.
     *
     * @throws IllegalArgumentException when it was not let
     */
    public synchronized void removeHost(String nqn, String hostNqn) {
        HostAccess access = subsystem(nqn).access();
        Set<String> hosts = new HashSet<>(access.hosts());
        if (!hosts.remove(hostNqn)) {
            throw new IllegalArgumentException("subsystem " + nqn + " does not name host " + hostNqn);
        }
        access(nqn, new HostAccess(access.anyHost(), hosts));
    }

    /** Lets every host connect, or only those that are named; controllers of others end. */
    public synchronized void allowAnyHost(String nqn, boolean any) {
        access(nqn, new HostAccess(any, subsystem(nqn).access().hosts()));
    }

    private void access(String nqn, HostAccess access) {
        requireOpen();
        Subsystem subsystem = subsystem(nqn);
        discovery.change(() -> subsystem.access(access));
        controllers.end(
                controller -> controller.subsystem() == subsystem
                        && !access.allows(controller.host().hostNqn()),
                "the host may not connect any more");
    }

    // ---- listeners

    /** What is listened on, in the order in which it was opened, with the ports that were taken for port 0. */
    public List<Listener> listeners() {
        return discovery.listeners();
    }

    /**
     * Lets hosts reach a subsystem at an address, which is opened if it is not. Discovery answers at each.
     *
     * @param nqn that of discovery makes it an address for discovery itself, which stays when no subsystem is reached there
     * @throws IOException when the address cannot be listened on
     */
    public synchronized Listener addListener(String nqn, TransportType transport, InetSocketAddress address)
            throws IOException {
        requireOpen();
        Subsystem subsystem = isDiscovery(nqn) ? discovery.subsystem() : subsystem(nqn);
        Listener known = find(transport, address);
        if (known == null) {
            List<Subsystem> reached = new ArrayList<>(List.of(discovery.subsystem()));
            if (!subsystem.isDiscovery()) {
                reached.add(subsystem);
            }
            String reason = subsystem.isDiscovery() ? Nqn.DISCOVERY : nqn;
            Listener listener =
                    opened.open(new ListenerConfig(freePortId(), transport, address, Set.of(reason)), reached);
            discovery.change(() -> discovery.add(listener));
            return listener;
        }
        if (subsystem.isDiscovery() ? known.isForDiscovery() : known.port(nqn) != null) {
            throw new IllegalArgumentException("subsystem " + nqn + " has that listener already");
        }
        if (subsystem.isDiscovery()) {
            known.forDiscovery(true);
        } else {
            discovery.change(() -> known.add(subsystem));
        }
        return known;
    }

    /**
     * Lets hosts no more reach a subsystem at an address, and ends the controllers that came that way. The address is closed
     * when nothing is left there, and discovery with it, unless it is an address for discovery itself.
     *
     * @param nqn that of discovery makes it no address for discovery itself any more
     * @throws IllegalArgumentException when it is not reached there
     */
    public synchronized void removeListener(String nqn, TransportType transport, InetSocketAddress address) {
        requireOpen();
        Listener listener = find(transport, address);
        SubsystemPort port = listener == null ? null : discovery.find(listener, nqn);
        if (port == null) {
            throw new IllegalArgumentException("subsystem " + nqn + " has no such listener");
        }
        if (!port.subsystem().isDiscovery()) {
            Set<SubsystemPort> ended = unreach(port.subsystem(), List.of(listener));
            controllers.end(controller -> ended.contains(controller.port()), "the listener was removed");
            return;
        }
        if (!listener.isForDiscovery()) {
            throw new IllegalArgumentException(
                    "discovery answers there for the subsystems that are reached there: remove those");
        }
        listener.forDiscovery(false);
        if (listener.subsystems().isEmpty()) {
            Set<SubsystemPort> ended = unreach(port.subsystem(), List.of(listener));
            controllers.end(controller -> ended.contains(controller.port()), "the listener was removed");
        }
    }

    /**
     * Takes a subsystem away from some addresses, and closes those where nothing is left.
     *
     * @return what is not reached any more, there; controllers at that must be ended
     */
    private Set<SubsystemPort> unreach(Subsystem subsystem, List<Listener> where) {
        Set<SubsystemPort> ended = new HashSet<>();
        List<Listener> unused = new ArrayList<>();
        for (Listener listener : where) {
            boolean stays =
                    listener.isForDiscovery() || listener.subsystems().stream().anyMatch(other -> other != subsystem);
            if (stays) {
                ended.add(listener.port(subsystem.nqn()));
            } else {
                ended.addAll(listener.ports());
                unused.add(listener);
                opened.close(listener);
            }
        }
        discovery.change(() -> {
            where.forEach(listener ->
                    listener.ports().stream().filter(ended::contains).forEach(listener::remove));
            unused.forEach(discovery::remove);
        });
        return ended;
    }

    private Listener find(TransportType transport, InetSocketAddress address) {
        return discovery.listeners().stream()
                .filter(listener -> listener.is(transport, address))
                .findFirst()
                .orElse(null);
    }

    private int freePortId() {
        Set<Integer> taken =
                discovery.listeners().stream().map(Listener::portId).collect(Collectors.toSet());
        int id = 1;
        while (taken.contains(id)) {
            id++;
        }
        if (id > MAX_PORT_ID) {
            throw new IllegalArgumentException("there are too many listeners");
        }
        return id;
    }

    // ---- referrals

    public List<ReferralConfig> referrals() {
        return discovery.referrals();
    }

    /** Tells hosts of another discovery service. */
    public synchronized void addReferral(ReferralConfig referral) {
        requireOpen();
        discovery.change(() -> {
            if (!discovery.add(referral)) {
                throw new IllegalArgumentException("there is such a referral already");
            }
        });
    }

    public synchronized void removeReferral(ReferralConfig referral) {
        requireOpen();
        discovery.change(() -> {
            if (!discovery.remove(referral)) {
                throw new IllegalArgumentException("there is no such referral");
            }
        });
    }

    // ---- what there is

    /** Every controller id that is in use, also of associations that have ended and have commands to finish. */
    ControllerTable controllerTable() {
        return controllers;
    }

    /**
     * The controllers of a subsystem, by CNTLID.
     *
     * @param nqn that of discovery for those of discovery
     */
    public synchronized List<ControllerReport> controllers(String nqn) {
        Subsystem subsystem = isDiscovery(nqn) ? discovery.subsystem() : subsystem(nqn);
        return controllers.all().stream()
                .filter(controller -> controller.subsystem() == subsystem && !controller.isClosed())
                .map(controller -> new ControllerReport(
                        controller.id(),
                        controller.host().hostNqn(),
                        controller.host().hostId(),
                        controller.adminQueue().peer()))
                .toList();
    }

    /** What hosts have done with a subsystem since it is served: with all its namespaces, those too that have been removed. */
    public synchronized IoCounts ioCounts(String nqn) {
        return subsystem(nqn).ioCounts();
    }

    /** What hosts have done with a namespace since it was added. */
    public synchronized IoCounts ioCounts(String nqn, long nsid) {
        return namespace(nqn, nsid).counters().counts();
    }

    /** What the target would be started with to serve again what it serves now, on the same ports. */
    public synchronized TargetConfig config() {
        List<ListenerConfig> listeners = new ArrayList<>(
                discovery.listeners().stream().map(Listener::config).toList());
        for (ListenerConfig listener : unopened) {
            Set<String> left = new HashSet<>(listener.subsystems());
            left.removeIf(nqn -> !subsystems.containsKey(nqn) && !nqn.equals(Nqn.DISCOVERY));
            if (!left.isEmpty() || listener.isForDiscovery()) {
                listeners.add(new ListenerConfig(
                        listener.portId(), listener.transport(), listener.address(), left, listener.ana()));
            }
        }
        DiscoveryConfig discovering = new DiscoveryConfig(discovery.subsystem().nqn(), discovery.referrals());
        return new TargetConfig(listeners, subsystems(), discovering, started.limits(), started.rdma());
    }

    private boolean isDiscovery(String nqn) {
        return nqn.equals(Nqn.DISCOVERY) || nqn.equals(discovery.subsystem().nqn());
    }

    private Subsystem subsystem(String nqn) {
        Subsystem subsystem = subsystems.get(nqn);
        if (subsystem == null) {
            throw new IllegalArgumentException("there is no subsystem " + nqn);
        }
        return subsystem;
    }

    private Namespace namespace(String nqn, long nsid) {
        Namespace namespace = subsystem(nqn).namespaces().get(nsid);
        if (namespace == null) {
            throw new IllegalArgumentException("subsystem " + nqn + " has no namespace " + nsid);
        }
        return namespace;
    }

    private static void requireNqn(String nqn) {
        Nqn.problem(nqn).ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the target is closed");
        }
    }

    // ---- the end

    /** Stops listening, ends every connection, lets operations under way finish, closes the devices. Blocks. */
    synchronized void close() {
        closed = true;
        opened.endConnections();
        onEveryLoop(loop -> loop.channels().closeAll());
        for (Subsystem subsystem : subsystems.values()) {
            subsystem.namespaces().all().forEach(Administration::close);
        }
        opened.close();
    }

    private void closeDevices(Collection<Namespace> namespaces) {
        onEveryLoop(loop -> namespaces.forEach(loop.channels()::close));
        namespaces.forEach(Administration::close);
    }

    interface LoopAction {
        void on(TargetLoop loop);
    }

    /** Blocks. */
    void onEveryLoop(LoopAction action) {
        for (TargetLoop loop : loops) {
            if (!loop.loop().isShuttingDown()) {
                loop.loop().submit(() -> action.on(loop)).awaitUninterruptibly();
            }
        }
    }

    private static void close(Namespace namespace) {
        namespace.closeState();
        BlockDevice device = namespace.device();
        try {
            device.close();
        } catch (IOException e) {
            LOG.warn("closing {}: {}", device.description(), e.getMessage());
        }
    }
}
