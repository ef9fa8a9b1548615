package io.nvmf.initiator.transport;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.CompletionPoller;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.Rdma;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all NVMe/RDMA connections of a host share: the control loop, one event loop that sets connections up and takes them
 * down, the connection manager, the devices and the memory registered there. Nothing of it exists before the first
 * connection is opened. Methods without a word about threads may be called by any; the rest on the control loop.
 */
public final class HostRdma implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostRdma.class);
    private static final long CLOSE_TIMEOUT_S = 10;

    /** Why nothing is connected any more, the end of a sentence. */
    static final String LOOP_DIED =
            "the event loop that this host sets RDMA connections up with has died, as the log says; make a new host";

    private final EventLoops dataLoops;
    private final RdmaProvider provider;

    // Guarded by this.
    private final List<RegisteredMemory> memories = new ArrayList<>();
    private EventLoops controlLoops;
    private boolean closed;

    // Owned by the control loop.
    private final Map<RdmaDevice, HostDevice> devices = new HashMap<>();
    private final Map<IoEventLoop, CompletionPoller> pollers = new HashMap<>();
    private final Set<RdmaLink> links = new HashSet<>();
    private ConnectionManager manager;
    private CompletableFuture<Void> allClosed;

    /**
     * @param dataLoops the host's event loops, which own its connections
     * @param provider null for {@link Rdma#provider}
     */
    public HostRdma(EventLoops dataLoops, RdmaProvider provider) {
        this.dataLoops = dataLoops;
        this.provider = provider;
    }

    // ---- The control loop

    /** The control loop, started when it is first asked for. */
    synchronized IoEventLoop control() throws RdmaException {
        if (closed) {
            throw new RdmaException("the host is closed");
        }
        if (controlLoops == null) {
            EventLoops.Kind kind = EventLoops.Kind.EPOLL.isAvailable() ? EventLoops.Kind.EPOLL : EventLoops.Kind.NIO;
            controlLoops = EventLoops.open(kind, 1, "nvmf-host-rdma");
            controlLoops.next().terminationFuture().addListener(ended -> onControlLoopEnded());
        }
        return controlLoops.next();
    }

    /**
     * Runs something on the control loop. When that has died it is run by the one thread that Netty tells of the death,
     * after it: that thread then owns what the loop owned, and what is open can still be closed.
     */
    void onControlLoop(Runnable task) {
        IoEventLoop loop = controlLoop();
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            loop.terminationFuture().addListener(ended -> task.run());
        }
    }

    /** Without the control loop nobody hears of a connection's end, and its deadlines are gone. */
    private void onControlLoopEnded() {
        synchronized (this) {
            if (closed) {
                return;
            }
        }
        LOG.error("RDMA has ended: {}", LOOP_DIED);
        List.copyOf(links).forEach(link -> link.fail(LOOP_DIED));
    }

    /** On the control loop. */
    ConnectionManager manager() throws RdmaException {
        if (manager == null) {
            RdmaProvider chosen = provider != null ? provider : Rdma.provider();
            String missing = chosen.unavailabilityCause();
            if (missing != null) {
                throw new RdmaException(missing);
            }
            manager = chosen.openConnectionManager(control());
        }
        return manager;
    }

    // ---- Connections, on the control loop

    /** A connection begins to be made; refused when the host closes. */
    void opened(RdmaLink link) throws RdmaException {
        if (allClosed != null) {
            throw new RdmaException("the host is closed");
        }
        links.add(link);
    }

    /** Nothing is left of a connection. */
    void closed(RdmaLink link) {
        links.remove(link);
        if (allClosed != null && links.isEmpty()) {
            allClosed.complete(null);
        }
    }

    /** What tells a data loop of completions. */
    CompletionPoller poller(IoEventLoop dataLoop) {
        return pollers.computeIfAbsent(dataLoop, loop -> new CompletionPoller(loop, dataLoops.isPolling()));
    }

    /** A connection will use a device, until {@link #release}. */
    HostDevice use(RdmaDevice device) {
        HostDevice found = devices.get(device);
        if (found == null) {
            found = new HostDevice(device);
            devices.put(device, found);
            for (RegisteredMemory memory : registered()) {
                try {
                    found.register(memory);
                } catch (RdmaException e) {
                    LOG.warn(
                            "{}: data in {} bytes of registered memory will be copied: {}",
                            device.name(),
                            memory.lengthBytes(),
                            e.getMessage());
                }
            }
        }
        found.users++;
        return found;
    }

    /** With its last connection a device is let go of: it may go itself then, and nobody would be told. */
    void release(HostDevice device) {
        device.users--;
        if (device.users == 0) {
            devices.remove(device.device());
            device.close();
        }
    }

    // ---- Registered memory

    /** See {@link io.nvmf.initiator.NvmfHost#register}. */
    public RegisteredMemory register(ByteBuffer buffer) {
        requireNoEventLoop();
        RegisteredMemory memory = new RegisteredMemory(this, buffer);
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (this) {
            if (closed) {
                throw new ConnectionException("The host is closed");
            }
            if (memories.stream().anyMatch(memory::overlaps)) {
                throw new IllegalArgumentException("This memory, or some of it, is registered already");
            }
            if (controlLoops != null) {
                onControlLoop(() -> registerWithDevices(memory, done));
            } else {
                done.complete(null);
            }
            memories.add(memory);
        }
        try {
            await(done);
        } catch (ConnectionException e) {
            memory.close();
            throw e;
        }
        return memory;
    }

    private void registerWithDevices(RegisteredMemory memory, CompletableFuture<Void> done) {
        for (HostDevice device : devices.values()) {
            try {
                device.register(memory);
            } catch (RdmaException | RuntimeException | OutOfMemoryError e) {
                done.completeExceptionally(
                        new ConnectionException("RDMA device " + device.device().name() + ": " + e.getMessage(), e));
                return;
            }
        }
        done.complete(null);
    }

    private synchronized List<RegisteredMemory> registered() {
        return List.copyOf(memories);
    }

    /** No command uses the memory any more. */
    void deregister(RegisteredMemory memory) {
        synchronized (this) {
            memories.remove(memory);
            if (controlLoops != null) {
                onControlLoop(() -> {
                    devices.values().forEach(device -> device.deregister(memory));
                    memory.ended().complete(null);
                });
                return;
            }
        }
        memory.ended().complete(null);
    }

    // ---- Waiting

    /** For methods that wait for event loops. */
    void requireNoEventLoop() {
        for (EventExecutor loop : dataLoops.group()) {
            if (loop.inEventLoop()) {
                throw new IllegalStateException(
                        "Registering memory and ending it wait: not to be called on an event loop");
            }
        }
    }

    void await(CompletableFuture<Void> future) {
        try {
            future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectionException("Interrupted while waiting for an RDMA device", e);
        } catch (ExecutionException e) {
            throw (ConnectionException) e.getCause();
        }
    }

    /**
     * Ends what is still there, connections that are being made too. The host's controllers are disconnected already, its
     * event loops still run. Waits, in bounded time. May be called again.
     */
    @Override
    public void close() {
        EventLoops loops;
        List<RegisteredMemory> left;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            loops = controlLoops;
            left = List.copyOf(memories);
        }
        if (loops == null) {
            left.forEach(RegisteredMemory::beginClosing);
            return;
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        onControlLoop(() -> closeLinks().whenComplete((nothing, failure) -> closeDevices(left, done)));
        try {
            done.get(CLOSE_TIMEOUT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("RDMA connections did not end within {} s", CLOSE_TIMEOUT_S, e);
        }
        loops.close();
    }

    private CompletableFuture<Void> closeLinks() {
        allClosed = new CompletableFuture<>();
        if (links.isEmpty()) {
            allClosed.complete(null);
        }
        List.copyOf(links).forEach(link -> link.fail("the host is closed"));
        return allClosed;
    }

    private void closeDevices(List<RegisteredMemory> left, CompletableFuture<Void> done) {
        left.forEach(RegisteredMemory::beginClosing);
        List<CompletableFuture<?>> closing = new ArrayList<>();
        left.forEach(memory -> closing.add(memory.ended()));
        devices.values().forEach(HostDevice::close);
        devices.clear();
        pollers.values().forEach(poller -> closing.add(CompletableFuture.runAsync(poller::close, poller.loop())));
        CompletableFuture.allOf(closing.toArray(new CompletableFuture<?>[0]))
                .whenCompleteAsync((nothing, failure) -> closeManager(done), this::onControlLoop);
    }

    private void closeManager(CompletableFuture<Void> done) {
        try {
            if (manager != null) {
                manager.close();
            }
        } finally {
            done.complete(null);
        }
    }

    private synchronized IoEventLoop controlLoop() {
        return controlLoops.next();
    }
}
