package io.nvmf.initiator;

import io.nvmf.codec.Nqn;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.controller.ControllerConnector;
import io.nvmf.initiator.controller.Futures;
import io.nvmf.initiator.controller.HostIdentity;
import io.nvmf.initiator.discovery.Discovered;
import io.nvmf.initiator.discovery.DiscoveryCrawl;
import io.nvmf.initiator.discovery.DiscoveryReader;
import io.nvmf.initiator.discovery.DiscoveryResult;
import io.nvmf.initiator.transport.ConnectionException;
import io.nvmf.initiator.transport.HostRdma;
import io.nvmf.initiator.transport.NvmfException;
import io.nvmf.initiator.transport.RegisteredMemory;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.RdmaProvider;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An NVMe over Fabrics host: an identity and the event loops that all its controllers share. Make one for a process. Any
 * thread may call any method; those that do not end in {@code Async} block and must not be called on an event loop.
 *
 * <pre>{@code
 * try (NvmfHost host = NvmfHost.builder().build();
 *         Controller controller = host.connect(ConnectOptions.tcp("192.0.2.1", 4420, nqn).ioQueues(4))) {
 *     Namespace namespace = controller.namespace(1);
 *     ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
 *     namespace.read(0, buffer).join();
 * }
 * }</pre>
 */
public final class NvmfHost implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NvmfHost.class);

    private static final Path IDENTITY_DIRECTORY = Path.of("/etc/nvme");
    private static final int MAX_DEFAULT_IO_THREADS = 4;

    private final HostIdentity identity;
    private final EventLoops loops;
    private final HostRdma rdma;
    private final Set<Controller> controllers = ConcurrentHashMap.newKeySet();
    private final Set<CompletableFuture<Controller>> connecting = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private NvmfHost(HostIdentity identity, EventLoops loops, HostRdma rdma) {
        this.identity = identity;
        this.loops = loops;
        this.rdma = rdma;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Makes hosts. */
    public static final class Builder {
        private String hostNqn;
        private UUID hostId;
        private RdmaProvider rdmaProvider;
        private boolean poll;
        private int ioThreads =
                Math.min(MAX_DEFAULT_IO_THREADS, Runtime.getRuntime().availableProcessors());

        private Builder() {}

        /** HOSTNQN; without it one made of the host id that was given, or the one of {@code /etc/nvme/hostnqn}. */
        public Builder hostNqn(String hostNqn) {
            int lengthBytes = hostNqn.getBytes(StandardCharsets.UTF_8).length;
            if (lengthBytes == 0 || lengthBytes > Nqn.MAX_BYTES) {
                throw new IllegalArgumentException(
                        "A host NQN has 1 to " + Nqn.MAX_BYTES + " bytes, this one has " + lengthBytes);
            }
            this.hostNqn = hostNqn;
            return this;
        }

        /** HOSTID; without it one that follows from the NQN that was given, or the one of {@code /etc/nvme/hostid}. */
        public Builder hostId(UUID hostId) {
            this.hostId = hostId;
            return this;
        }

        /** Threads, each an event loop, among which queues are spread. Default: the processors, at most 4. */
        public Builder ioThreads(int ioThreads) {
            this.ioThreads = ioThreads;
            return this;
        }

        /**
         * Whether the threads look for work all the time: answers wait for no thread to wake up, and each thread takes a
         * whole processor. Default: they sleep.
         */
        public Builder poll(boolean poll) {
            this.poll = poll;
            return this;
        }

        /**
         * How RDMA devices are reached. It is not touched before the first controller is connected by RDMA. Default:
         * librdmacm and libibverbs of this machine.
         */
        public Builder rdmaProvider(RdmaProvider rdmaProvider) {
            this.rdmaProvider = rdmaProvider;
            return this;
        }

        /** Each NQN has one id and each id one NQN, so what is not given follows from what is. */
        private HostIdentity identity() {
            HostIdentity machine = HostIdentityFiles.load(IDENTITY_DIRECTORY);
            if (hostNqn != null && hostId != null) {
                return new HostIdentity(hostNqn, hostId);
            }
            if (hostNqn != null) {
                return hostNqn.equals(machine.hostNqn()) ? machine : HostIdentity.ofNqn(hostNqn);
            }
            return hostId == null || hostId.equals(machine.hostId()) ? machine : HostIdentity.ofId(hostId);
        }

        /** Starts the event loops. */
        public NvmfHost build() {
            HostIdentity identity = identity();
            EventLoops loops = EventLoops.openForSockets(ioThreads, "nvmf-host", poll);
            return new NvmfHost(identity, loops, new HostRdma(loops, rdmaProvider));
        }
    }

    public HostIdentity identity() {
        return identity;
    }

    /** What the event loops run on, for a log line. */
    public String eventLoops() {
        return loops.toString();
    }

    /**
     * Connects to a controller.
     *
     * @throws io.nvmf.initiator.transport.NvmfException if that fails; the message says why in one sentence
     */
    public Controller connect(ConnectOptions options) {
        return Futures.await(loops, connectAsync(options));
    }

    /** As {@link #connect}; completes on an event loop. */
    public CompletableFuture<Controller> connectAsync(ConnectOptions options) {
        if (closed) {
            return CompletableFuture.failedFuture(closedException());
        }
        CompletableFuture<Controller> connected = new CompletableFuture<>();
        connecting.add(connected);
        ControllerConnector.connect(loops, rdma, identity, options).whenComplete((controller, failure) -> {
            connecting.remove(connected);
            if (failure != null) {
                connected.completeExceptionally(Futures.cause(failure));
                return;
            }
            controllers.add(controller);
            controller.ended().thenRun(() -> controllers.remove(controller));
            if (!connected.complete(controller)) {
                controller.disconnectAsync();
            }
        });
        return connected;
    }

    /**
     * Lets RDMA devices use memory of the caller in place. Buffers of reads and writes that lie in it, as slices or
     * duplicates or itself, are then not copied; where TCP carries them it makes no difference. The memory is registered
     * on a device, which takes its time and locks the memory, while controllers are connected through it: on the devices
     * that are in use now while this method waits, on others when a controller is connected through them; one that refuses
     * then has its data copied, which is logged. With its last connection a device lets go of the memory. All ends with
     * {@link RegisteredMemory#close}, with the host at the latest.
     *
     * <p><b>What controllers may do with it</b>: each controller that this host is connected to by RDMA learns addresses
     * and keys of the memory from the commands that use it, and can read <em>and write</em> all of the registered memory,
     * not only the buffers of those commands, until it is closed here. Register only what every such controller may see
     * and change; for one that is not trusted that far register nothing, and its data is copied through memory that holds
     * nothing else.
     *
     * @param memory a direct buffer, not read-only: all of it from 0 to capacity, whatever its position and limit
     * @throws ConnectionException if a device that is in use refuses; the message says what to do
     * @throws IllegalArgumentException if it is no such buffer, or some of it is registered already
     */
    public RegisteredMemory register(ByteBuffer memory) {
        return rdma.register(memory);
    }

    private static ConnectionException closedException() {
        return new ConnectionException("The host is closed");
    }

    /** Reads the Discovery log of the discovery controller at an NVMe/TCP address. */
    public DiscoveryResult discover(InetSocketAddress remote) {
        return discover(ConnectOptions.discovery(remote));
    }

    /** As above, with options that began with {@link ConnectOptions#discovery}. */
    public DiscoveryResult discover(ConnectOptions options) {
        return Futures.await(loops, discoverAsync(options));
    }

    /** As {@link #discover}; completes on an event loop. */
    public CompletableFuture<DiscoveryResult> discoverAsync(ConnectOptions options) {
        return connectAsync(options)
                .thenCompose(controller -> new DiscoveryReader(controller)
                        .read()
                        .handle((result, failure) -> controller
                                .disconnectAsync()
                                .thenApply(nothing -> {
                                    if (failure != null) {
                                        throw new CompletionException(Futures.cause(failure));
                                    }
                                    return result;
                                }))
                        .thenCompose(disconnected -> disconnected));
    }

    /**
     * What a discovery controller lists, and those that it refers to: how to reach each NVM subsystem, each way once, with
     * default settings. What cannot be reached by TCP or RDMA at an IP address is left out.
     *
     * @param discovery begun with {@link ConnectOptions#discovery}
     */
    public List<ConnectOptions> discoverAll(ConnectOptions discovery) {
        Discovered discovered = discoverAll(discovery, UnaryOperator.identity());
        discovered
                .unreached()
                .forEach(referral -> LOG.warn(
                        "The referral to {} leads nowhere: {}",
                        referral.options().remote(),
                        referral.reason()));
        return discovered.connectable();
    }

    /**
     * As above, with what cannot be reached.
     *
     * @param settings of the connections to the discovery controllers that are referred to, from the defaults
     */
    public Discovered discoverAll(ConnectOptions discovery, UnaryOperator<ConnectOptions> settings) {
        return Futures.await(loops, new DiscoveryCrawl(this::discoverAsync, settings).from(discovery));
    }

    /**
     * Connects to every subsystem that {@link #discoverAll} finds, by every way, one after the other.
     *
     * @param settings of each connection, from the defaults
     */
    public List<ConnectResult> connectAll(ConnectOptions discovery, UnaryOperator<ConnectOptions> settings) {
        List<ConnectResult> results = new ArrayList<>();
        for (ConnectOptions found : discoverAll(discovery)) {
            ConnectOptions options = settings.apply(found);
            try {
                results.add(new ConnectResult(options, connect(options), null));
            } catch (NvmfException e) {
                results.add(new ConnectResult(options, null, e));
            }
        }
        return results;
    }

    /**
     * What became of one connection of {@link #connectAll}.
     *
     * @param controller null if it failed
     * @param failure null if it did not
     */
    public record ConnectResult(ConnectOptions options, Controller controller, NvmfException failure) {}

    /** Disconnects all controllers and ends the event loops. A connect that is under way fails. */
    @Override
    public void close() {
        closed = true;
        connecting.forEach(connected -> connected.completeExceptionally(closedException()));
        CompletableFuture<?>[] disconnected =
                controllers.stream().map(Controller::disconnectAsync).toArray(CompletableFuture[]::new);
        Futures.await(loops, CompletableFuture.allOf(disconnected));
        rdma.close();
        loops.close();
    }
}
