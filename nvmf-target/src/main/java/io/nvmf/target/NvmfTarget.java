package io.nvmf.target;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.PlatformDependent;
import io.nvmf.target.command.CommandTable;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.controller.ControllerTable;
import io.nvmf.target.discovery.DiscoveryService;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.namespace.BlockTraffic;
import io.nvmf.target.namespace.NamespaceChannels;
import io.nvmf.target.queue.BufferPool;
import io.nvmf.target.queue.EntryLimit;
import io.nvmf.target.queue.QueueReport;
import io.nvmf.target.queue.SubsystemReport;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.queue.TargetQueue;
import io.nvmf.target.queue.Traffic;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.transport.rdma.RdmaTransport;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.Rdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
    private final List<BlockTraffic> blockTraffic = new ArrayList<>();
    private final List<String> listenFailures = new ArrayList<>();
    private final Listeners opened;
    private final Administration administration;

    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private volatile boolean closed;

    private NvmfTarget(TargetConfig config, RdmaProvider provider) {
        TargetLimits limits = affordable(config.limits());
        eventLoops = openLoops(config, limits);
        EntryLimit entries = EntryLimit.ofThisProcess();
        for (EventExecutor executor : eventLoops.group()) {
            IoEventLoop loop = (IoEventLoop) executor;
            loops.add(new TargetLoop(
                    loop,
                    new BufferPool(
                            limits.bufferMemoryBytes() / limits.eventLoops(),
                            limits.maxTransferBytes(),
                            Math.max(limits.inCapsuleDataBytes(), TargetQueue.FABRICS_CAPSULE_DATA_BYTES)),
                    new NamespaceChannels(loop),
                    new BlockTraffic(loop, blockTraffic),
                    System::nanoTime,
                    entries));
        }
        loops.forEach(loop -> watch(loop.loop()));
        DiscoveryService discovery =
                new DiscoveryService(Subsystem.discovery(config.discovery().nqn(), DISCOVERY_SERIAL, MODEL));
        ControllerTable controllers = new ControllerTable();
        CommandTable commands = new CommandTable(discovery, controllers, limits, System.nanoTime());
        opened = new Listeners(eventLoops, loops, commands, provider, config.rdma(), rdma -> watch(rdma.controlLoop()));
        administration = new Administration(discovery, controllers, loops, opened);
    }

    /** What is there at the start decides: files work through the ring of io_uring, for sockets alone epoll costs less. */
    private static EventLoops openLoops(TargetConfig config, TargetLimits limits) {
        boolean ring = config.subsystems().stream()
                .flatMap(subsystem -> subsystem.namespaces().stream())
                .anyMatch(namespace -> namespace.device().usesRing());
        return ring
                ? EventLoops.open(limits.eventLoops(), "nvmf-target", limits.poll())
                : EventLoops.openForSockets(limits.eventLoops(), "nvmf-target", limits.poll());
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
        NvmfTarget target = new NvmfTarget(config, rdma);
        boolean started = false;
        try {
            target.listenFailures.addAll(target.administration.start(config));
            started = true;
            return target;
        } finally {
            if (!started) {
                target.close();
            }
        }
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
        return opened.rdma();
    }

    /** The loops, for a test that ends one. */
    List<TargetLoop> loops() {
        return loops;
    }

    /** The addresses in use, in the order in which they were opened, with the ports that were taken for port 0. */
    public List<InetSocketAddress> addresses() {
        return listeners().stream().map(Listener::address).toList();
    }

    /** What is listened on, in the order in which it was opened, with the ports that were taken for port 0. */
    public List<Listener> listeners() {
        return administration.listeners();
    }

    /** What can be changed, and asked, while the target serves. */
    public Administration administration() {
        return administration;
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
        administration.onEveryLoop(sum::addAll);
        return sum.reports();
    }

    /** Which kind of event loop serves the connections, for a log line. */
    public String eventLoops() {
        return eventLoops.toString();
    }

    /** Stops listening, ends every connection, lets operations under way finish, closes the devices. Blocks. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        administration.close();
        // Last: an operation whose ring ends first is never answered.
        eventLoops.close();
    }
}
