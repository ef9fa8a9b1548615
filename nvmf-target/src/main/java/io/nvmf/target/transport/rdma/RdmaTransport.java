package io.nvmf.target.transport.rdma;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.rdma.ConnectRequestData;
import io.nvmf.codec.rdma.RejectData;
import io.nvmf.codec.rdma.RejectReason;
import io.nvmf.target.command.CommandTable;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.controller.TransportTraits;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.transport.ConnectionGroup;
import io.nvmf.target.transport.ConnectionLimit;
import io.nvmf.target.transport.PeerNames;
import io.nvmf.target.transport.rdma.QueueRequest.Refusal;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CompletionPoller;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RDMA addresses of a target, and the connections that came through them. What is open belongs to its control loop; the
 * public methods may be called on any other thread.
 */
public final class RdmaTransport {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaTransport.class);
    /** Hosts that come back find their memory registered. */
    private static final long DEVICE_IDLE_MS = 10_000;

    private static final long CLOSE_TIMEOUT_S = 10;

    private final CommandTable commands;
    private final TransportTraits traits;
    private final ConnectionLimit limit;
    private final List<RdmaLoop> loops = new ArrayList<>();
    private final EventLoops controlLoops;
    private final IoEventLoop control;
    private final ConnectionManager manager;

    private final ReceiveMemory receiveMemory;
    private final TargetDevices devices;
    private final List<RdmaAddress> addresses = new ArrayList<>();
    /** Those whose connection is up, or being ended; and those besides whose commands are still under way. */
    private final Set<RdmaLink> links = new LinkedHashSet<>();

    private final Set<RdmaLink> draining = new LinkedHashSet<>();
    private int nextLoop;
    private CompletableFuture<Void> whenNoLinks;

    /**
     * Opens the way to the devices. Blocks.
     *
     * @param limit of the connections there may be, over all transports
     * @throws IOException when there is none; the message is the end of a sentence
     */
    public RdmaTransport(
            RdmaProvider provider,
            RdmaConfig config,
            Collection<TargetLoop> loops,
            CommandTable commands,
            ConnectionLimit limit)
            throws IOException {
        this.commands = commands;
        this.limit = limit;
        this.traits = TransportTraits.rdma(config.inCapsuleDataBytes(), SglReader.MAX_DESCRIPTORS);
        this.receiveMemory = new ReceiveMemory(config.receiveMemoryBytes());
        if (provider.unavailabilityCause() != null) {
            throw new IOException(provider.unavailabilityCause());
        }
        try {
            controlLoops = EventLoops.open(EventLoops.Kind.EPOLL, 1, "nvmf-rdma");
        } catch (IllegalStateException e) {
            throw new IOException(e.getMessage(), e);
        }
        control = controlLoops.next();
        ConnectionManager opened = null;
        try {
            makeMemory(loops);
            opened = call(() -> provider.openConnectionManager(control));
        } finally {
            if (opened == null) {
                controlLoops.close();
            }
        }
        manager = opened;
        boolean poll = commands.limits().poll();
        for (TargetLoop loop : loops) {
            this.loops.add(new RdmaLoop(loop, new ConnectionGroup(loop), new CompletionPoller(loop.loop(), poll)));
        }
        devices = new TargetDevices(control, this.loops, receiveMemory.slab(), this::isListenedOn, DEVICE_IDLE_MS);
    }

    /** A device is told of all memory before the first host comes. */
    private static void makeMemory(Collection<TargetLoop> loops) throws IOException {
        for (TargetLoop loop : loops) {
            boolean made = loop.loop()
                    .submit(() -> loop.buffers().slab().makeAll())
                    .awaitUninterruptibly()
                    .isSuccess();
            if (!made) {
                throw new IOException("there is too little memory for the data of commands: raise"
                        + " -XX:MaxDirectMemorySize, or use less buffer memory");
            }
        }
    }

    /**
     * Listens on an address; hosts are let in from now on. Blocks.
     *
     * @param subsystems those reached here
     * @throws IOException when the address cannot be listened on; the message is the end of a sentence
     */
    public Listener listen(ListenerConfig config, List<Subsystem> subsystems) throws IOException {
        return call(() -> {
            RdmaAddress address = new RdmaAddress(control, manager, devices, this::onRequest);
            Listener listener = address.open(config, subsystems);
            addresses.add(address);
            return listener;
        });
    }

    /** Stops listening at one address, if it is one of these. Connections stay. Blocks. */
    public void close(Listener listener) throws IOException {
        call(() -> {
            addresses.removeIf(address -> address.closeIf(listener));
            return null;
        });
    }

    private boolean isListenedOn(RdmaDevice device) {
        return addresses.stream().anyMatch(address -> address.isOf(device));
    }

    /** The control loop, for whoever watches that it lives: with it all of RDMA ends. Any thread. */
    public IoEventLoop controlLoop() {
        return control;
    }

    /** Runs something on the control loop. @throws IOException when it fails, however that be */
    private <T> T call(Callable<T> action) throws IOException {
        try {
            return control.submit(action).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException cause) {
                throw new IOException(cause.getMessage(), cause);
            }
            throw new IOException("an error of our own, " + e.getCause(), e.getCause());
        } catch (RejectedExecutionException e) {
            throw new IOException("the RDMA control loop has ended", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    // ---- hosts come

    private void onRequest(CmId id, ByteBuffer privateData, int initiatorDepth, Listener listener) {
        String peer = PeerNames.of(id.remoteAddress());
        try {
            accept(id, peer, QueueRequest.read(privateData, initiatorDepth, commands.limits()), listener);
        } catch (Refusal refusal) {
            LOG.warn("{}: connection refused: {}", peer, refusal.getMessage());
            reject(id, refusal.reason());
        }
    }

    private void accept(CmId id, String peer, QueueRequest request, Listener listener) throws Refusal {
        if (whenNoLinks != null) {
            throw new Refusal(RejectReason.NO_RESOURCES, "the target stops");
        }
        TargetDevice device;
        try {
            device = devices.get(id.device());
        } catch (RdmaException e) {
            throw new Refusal(RejectReason.NO_RESOURCES, e.getMessage());
        }
        if (!limit.tryOpen(peer)) {
            throw new Refusal(RejectReason.NO_RESOURCES, "too many connections");
        }
        boolean accepted = false;
        try {
            RdmaLoop loop = loops.get(Math.floorMod(nextLoop++, loops.size()));
            new RdmaLink(this, id, device, loop).accept(request, listener);
            accepted = true;
        } finally {
            if (!accepted) {
                limit.closed();
            }
        }
    }

    private static void reject(CmId id, RejectReason reason) {
        ByteBuffer data = ByteBuffer.allocate(RejectData.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        new RejectData(ConnectRequestData.RECORD_FORMAT, reason.code()).encode(data, 0);
        try {
            id.reject(data);
        } catch (RdmaException e) {
            LOG.debug("{}", e.getMessage());
        } finally {
            id.close();
        }
    }

    // ---- as links see it, on the control loop

    CommandTable commands() {
        return commands;
    }

    TransportTraits traits() {
        return traits;
    }

    ReceiveMemory receiveMemory() {
        return receiveMemory;
    }

    /**
     * Runs something on the control loop, later. Any thread.
     *
     * @return false when that loop has died: nothing of RDMA can be set up or taken down any more
     */
    boolean onControlLoop(Runnable task) {
        try {
            control.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.debug("the RDMA control loop has ended");
            return false;
        }
    }

    void opened(RdmaLink link) {
        links.add(link);
        devices.linked(link.device());
    }

    void removed(TargetDevice device) {
        devices.removed(device.device());
    }

    /** Its queue is destroyed; commands may still be under way. */
    void ended(RdmaLink link) {
        links.remove(link);
        draining.add(link);
        devices.unlinked(link.device());
        tellWhenNoLinks();
    }

    /** Nothing of it is left. */
    void released(RdmaLink link) {
        draining.remove(link);
        limit.closed();
    }

    // ---- the end

    /** Connections that have not wholly ended, for tests: with their last command their memory is given back. */
    public int connections() throws IOException {
        return call(() -> links.size() + draining.size());
    }

    /** Bytes of memory that hold capsules of connections, or belong to their queue pairs, for tests. */
    public long receiveMemoryInUse() throws IOException {
        return call(receiveMemory::bytesInUse);
    }

    /** Stops listening and ends every connection; commands may still be under way. Blocks. */
    public void endConnections() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        boolean asked = onControlLoop(() -> {
            addresses.forEach(RdmaAddress::close);
            addresses.clear();
            whenNoLinks = ended;
            links.forEach(link -> link.closeConnection("the target stops"));
            tellWhenNoLinks();
        });
        if (!asked) {
            LOG.warn("RDMA connections are not ended: the loop that does it has died");
            return;
        }
        try {
            ended.get(CLOSE_TIMEOUT_S, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            LOG.warn("RDMA connections did not end within {} s", CLOSE_TIMEOUT_S);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tellWhenNoLinks() {
        if (whenNoLinks != null && links.isEmpty()) {
            whenNoLinks.complete(null);
        }
    }

    /** Ends the devices' use of memory, and the control loop. After {@link #endConnections}. Blocks. */
    public void close() {
        for (RdmaLoop loop : loops) {
            if (!loop.target().loop().isShuttingDown()) {
                loop.target().loop().submit(loop.poller()::close).awaitUninterruptibly();
            }
        }
        try {
            call(() -> {
                devices.close();
                manager.close();
                return null;
            });
        } catch (IOException e) {
            LOG.warn("closing RDMA: {}", e.getMessage());
        }
        controlLoops.close();
    }
}
