package io.nvmf.target;

import io.netty.channel.IoEventLoop;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.PlatformDependent;
import io.nvmf.target.command.CommandTable;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.controller.ControllerTable;
import io.nvmf.target.discovery.DiscoveryService;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.namespace.NamespaceChannels;
import io.nvmf.target.queue.BufferPool;
import io.nvmf.target.queue.QueueReport;
import io.nvmf.target.queue.SubsystemReport;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.queue.TargetQueue;
import io.nvmf.target.queue.Traffic;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.transport.ConnectionLimit;
import io.nvmf.target.transport.rdma.RdmaTransport;
import io.nvmf.target.transport.tcp.TcpTransport;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.Rdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running target. Thread safe. */
public final class NvmfTarget implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NvmfTarget.class);

    private static final String MODEL = "nvmf4j";
    private static final String DISCOVERY_SERIAL = "discovery";

    private final EventLoops eventLoops;
    private final List<TargetLoop> loops = new ArrayList<>();
    private final Map<String, Subsystem> subsystems = new LinkedHashMap<>();
    private final List<Listener> listeners = new ArrayList<>();
    private final List<String> listenFailures = new ArrayList<>();
    private final DiscoveryService discovery;
    private final ConnectionLimit connectionLimit = ConnectionLimit.ofThisProcess();
    private final CommandTable commands;
    private final TcpTransport tcp;
    /** There when an RDMA listener was wanted and RDMA could be used. */
    private RdmaTransport rdma;

    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private volatile boolean closed;

    private NvmfTarget(TargetConfig config) {
        TargetLimits limits = affordable(config.limits());
        eventLoops = EventLoops.open(limits.eventLoops(), "nvmf-target");
        discovery = new DiscoveryService(Subsystem.discovery(DISCOVERY_SERIAL, MODEL));
        for (SubsystemConfig subsystem : config.subsystems()) {
            subsystems.put(subsystem.nqn(), Subsystem.nvm(subsystem));
        }
        for (EventExecutor executor : eventLoops.group()) {
            IoEventLoop loop = (IoEventLoop) executor;
            loops.add(new TargetLoop(
                    loop,
                    new BufferPool(
                            limits.bufferMemoryBytes() / limits.eventLoops(),
                            limits.maxTransferBytes(),
                            Math.max(limits.inCapsuleDataBytes(), TargetQueue.FABRICS_CAPSULE_DATA_BYTES)),
                    new NamespaceChannels(loop),
                    System::nanoTime));
        }
        loops.forEach(loop -> watch(loop.loop()));
        commands = new CommandTable(discovery, new ControllerTable(), limits, System.nanoTime());
        tcp = new TcpTransport(eventLoops, loops, commands, connectionLimit);
    }

    /**
     * Of the memory that Java may use outside its heap, three eighths may hold data that is fetched or sent, as much again
     * data that comes in capsules over TCP, and an eighth capsules over RDMA; the rest is for sockets.
     */
    private static TargetLimits affordable(TargetLimits wanted) {
        TargetLimits limits = wanted.withBufferMemoryUpTo(PlatformDependent.maxDirectMemory() / 8 * 3);
        if (!limits.equals(wanted)) {
            LOG.warn(
                    "buffer memory (--buffer-memory) is {} MiB instead of {} MiB, for it may be three eighths of what Java"
                            + " may use outside its heap: raise -XX:MaxDirectMemorySize for more",
                    limits.bufferMemoryBytes() >> 20,
                    wanted.bufferMemoryBytes() >> 20);
        }
        return limits;
    }

    /**
     * As {@link #start(TargetConfig, RdmaProvider)} with the RDMA devices of this machine.
     *
     * @throws IOException as there
     */
    public static NvmfTarget start(TargetConfig config) throws IOException {
        return start(config, Rdma.provider());
    }

    /**
     * Opens the listeners. An RDMA listener that cannot be opened does not keep the others from being, see {@link
     * #listenFailures}. The devices of the namespaces belong to the target from now on, even when it fails.
     *
     * @throws IOException when an address cannot be listened on over TCP, or none at all can be listened on; the message
     *     is one sentence for the person who runs it
     */
    public static NvmfTarget start(TargetConfig config, RdmaProvider rdma) throws IOException {
        NvmfTarget target = new NvmfTarget(config);
        boolean started = false;
        try {
            target.listen(config, rdma);
            target.discovery.listeners(target.listeners);
            started = true;
            return target;
        } finally {
            if (!started) {
                target.close();
            }
        }
    }

    private void listen(TargetConfig config, RdmaProvider provider) throws IOException {
        for (ListenerConfig listener : config.listeners()) {
            List<Subsystem> reached =
                    listener.subsystems().stream().sorted().map(subsystems::get).toList();
            switch (listener.transport()) {
                case TCP -> listeners.add(tcp.listen(listener, reached));
                case RDMA -> {
                    try {
                        listeners.add(rdma(config.rdma(), provider).listen(listener, reached));
                    } catch (IOException e) {
                        listenFailed(listener, e.getMessage());
                    } catch (RuntimeException | LinkageError e) {
                        // What lies below is other people's libraries: hosts over TCP are served all the same.
                        LOG.error("RDMA could not be started", e);
                        listenFailed(listener, "an error of our own, " + e);
                    }
                }
            }
        }
        if (listeners.isEmpty() && !listenFailures.isEmpty()) {
            throw new IOException(String.join("; ", listenFailures));
        }
    }

    private RdmaTransport rdma(RdmaConfig wanted, RdmaProvider provider) throws IOException {
        if (rdma == null) {
            RdmaConfig config = wanted.withReceiveMemoryUpTo(PlatformDependent.maxDirectMemory() / 8);
            if (!config.equals(wanted)) {
                LOG.warn(
                        "memory for capsules over RDMA (--rdma-receive-memory) is {} MiB instead of {} MiB, for it may be an"
                                + " eighth of what Java may use outside its heap: raise -XX:MaxDirectMemorySize for more",
                        config.receiveMemoryBytes() >> 20,
                        wanted.receiveMemoryBytes() >> 20);
            }
            rdma = new RdmaTransport(provider, config, loops, commands, connectionLimit);
            watch(rdma.controlLoop());
        }
        return rdma;
    }

    private void listenFailed(ListenerConfig listener, String why) {
        String failure = "cannot listen on " + NetUtil.toSocketAddressString(listener.address()) + " over RDMA: " + why;
        listenFailures.add(failure);
    }

    /** Why RDMA listeners of the configuration are not there: one sentence each. */
    public List<String> listenFailures() {
        return List.copyOf(listenFailures);
    }

    /** An event loop that dies, of memory that ran out perhaps, leaves its hosts without an answer and without a sign. */
    private void watch(IoEventLoop loop) {
        loop.terminationFuture().addListener(ended -> {
            if (!closed) {
                LOG.error("an event loop has ended unasked: its connections hang, and only a new start helps");
                failure.complete("an event loop has ended unasked: start the target anew, with more memory perhaps");
            }
        });
    }

    /**
     * Completes, with a sentence that says what happened, when the target can no longer serve all its hosts: close it and
     * start another. Never completes while all is well.
     */
    public CompletableFuture<String> failure() {
        return failure.copy();
    }

    /** The RDMA side, for a test that counts what is left. */
    RdmaTransport rdma() {
        return rdma;
    }

    /** The loops, for a test that ends one. */
    List<TargetLoop> loops() {
        return loops;
    }

    /** The addresses in use, in the order of the configuration, with the ports that were taken for port 0. */
    public List<InetSocketAddress> addresses() {
        return listeners.stream().map(Listener::address).toList();
    }

    /** What is listened on, in the order of the configuration, with the ports that were taken for port 0. */
    public List<Listener> listeners() {
        return List.copyOf(listeners);
    }

    /** The queues of controllers that are connected now, and how their data has travelled so far. */
    public List<QueueReport> queues() {
        return loops.stream()
                .flatMap(loop -> loop.queues().stream())
                .map(TargetQueue::report)
                .sorted(Comparator.comparing(QueueReport::controllerId).thenComparing(QueueReport::queueId))
                .toList();
    }

    /**
     * What all queues have done since the start, those that have ended too, by subsystem and transport. Blocks until every
     * event loop has answered.
     */
    public List<SubsystemReport> traffic() {
        Traffic sum = new Traffic();
        onEveryLoop(sum::addAll);
        return sum.reports();
    }

    /** Which kind of event loop serves the connections, for a log line. */
    public String eventLoops() {
        return eventLoops.toString();
    }

    /**
     * Adds a namespace to a subsystem; its hosts are told.
     *
     * @throws IllegalArgumentException when there is no such subsystem, or the NSID is taken
     */
    public void addNamespace(String subsystemNqn, NamespaceConfig namespace) {
        subsystem(subsystemNqn).addNamespace(namespace);
    }

    /**
     * Takes a namespace out of a subsystem and closes its device when the operations under way have ended; its hosts are
     * told. Blocks.
     *
     * @throws IllegalArgumentException when there is no such subsystem or namespace
     */
    public void removeNamespace(String subsystemNqn, long nsid) {
        Namespace removed = subsystem(subsystemNqn).removeNamespace(nsid);
        onEveryLoop(loop -> loop.channels().close(removed));
        closeDevice(removed);
    }

    private Subsystem subsystem(String nqn) {
        Subsystem subsystem = subsystems.get(nqn);
        if (subsystem == null) {
            throw new IllegalArgumentException("there is no subsystem " + nqn);
        }
        return subsystem;
    }

    /** Stops listening, ends every connection, lets operations under way finish, closes the devices. Blocks. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        tcp.close();
        if (rdma != null) {
            rdma.endConnections();
        }
        onEveryLoop(loop -> loop.channels().closeAll());
        for (Subsystem subsystem : subsystems.values()) {
            subsystem.namespaces().all().forEach(NvmfTarget::closeDevice);
        }
        if (rdma != null) {
            rdma.close();
        }
        // Last: an operation whose ring ends first is never answered.
        eventLoops.close();
    }

    private interface LoopAction {
        void on(TargetLoop loop);
    }

    private void onEveryLoop(LoopAction action) {
        for (TargetLoop loop : loops) {
            if (!loop.loop().isShuttingDown()) {
                loop.loop().submit(() -> action.on(loop)).awaitUninterruptibly();
            }
        }
    }

    private static void closeDevice(Namespace namespace) {
        try {
            namespace.device().close();
        } catch (IOException e) {
            LOG.warn("closing {}: {}", namespace.device().description(), e.getMessage());
        }
    }
}
