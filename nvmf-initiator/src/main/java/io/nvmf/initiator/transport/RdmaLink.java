package io.nvmf.initiator.transport;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.nvmf.codec.Bytes;
import io.nvmf.codec.rdma.AcceptData;
import io.nvmf.codec.rdma.ConnectRequestData;
import io.nvmf.codec.rdma.RejectData;
import io.nvmf.codec.rdma.RejectReason;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.CompletionPoller;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.ConnectionParameters;
import io.nvmf.transport.rdma.DeviceLimits;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.QueuePairSize;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of an NVMe/RDMA connection that sets it up and takes it down (NVMe-oF 1.1 s7.3): the identifier of the
 * connection manager, and queue pair, completion queue and memory, which {@link RdmaQueueConnection} uses on its data loop
 * in between. Owned by the control loop.
 */
final class RdmaLink implements CmListener {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaLink.class);

    /** IB_CM_REJ_INVALID_SERVICE_ID. */
    private static final int REJECTED_NO_LISTENER = 8;
    /** RDMA READs outstanding are counted in a byte. */
    private static final int MAX_RESPONDER_READS = 255;

    private enum State {
        /** Looking for the device and the route, or waiting for the controller's answer. */
        CONNECTING,
        /** The data loop owns the queue pair. */
        ESTABLISHED,
        CLOSED
    }

    private final HostRdma rdma;
    private final RdmaOptions options;
    private final QueueSetup setup;
    private final IoEventLoop control;
    private final IoEventLoop dataLoop;
    private final QueueConnectionListener listener;
    private final CompletableFuture<QueueConnection> opened = new CompletableFuture<>();

    private State state = State.CONNECTING;
    /** There while somebody else's answer is awaited. */
    private ScheduledFuture<?> deadline;

    private long askedNs;
    private long remainingNs;
    private CmId id;
    private HostDevice device;
    private RdmaQueueMemory memory;
    private RdmaQueueConnection connection;
    private CompletionPoller.Polled completions;
    private QueuePair queuePair;

    private RdmaLink(
            RdmaTransport transport,
            QueueSetup setup,
            IoEventLoop control,
            IoEventLoop dataLoop,
            QueueConnectionListener listener) {
        this.rdma = transport.rdma();
        this.options = transport.options();
        this.setup = setup;
        this.control = control;
        this.dataLoop = dataLoop;
        this.listener = listener;
        this.remainingNs = TimeUnit.MILLISECONDS.toNanos(options.connectTimeoutMs());
    }

    /** See {@link HostTransport#open}. */
    static CompletableFuture<QueueConnection> open(
            RdmaTransport transport, QueueSetup setup, IoEventLoop dataLoop, QueueConnectionListener listener) {
        try {
            RdmaLink link = new RdmaLink(transport, setup, transport.rdma().control(), dataLoop, listener);
            link.control.execute(link::connect);
            return link.opened;
        } catch (RdmaException | IllegalStateException e) {
            return CompletableFuture.failedFuture(cannotConnect(setup.name(), e.getMessage()));
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(cannotConnect(setup.name(), HostRdma.LOOP_DIED));
        }
    }

    private static ConnectionException cannotConnect(String name, String why) {
        return new ConnectionException("Cannot connect to " + name + ": " + why);
    }

    // ---- Connecting

    private void connect() {
        try {
            rdma.opened(this);
            if (options.remote().isUnresolved()) {
                fail(new ConnectionException(
                        "There is no host " + options.remote().getHostString()));
                return;
            }
            ConnectionManager manager = rdma.manager();
            startClock();
            id = manager.resolve(options.remote(), options.connectTimeoutMs(), this);
        } catch (RdmaException | RuntimeException | OutOfMemoryError e) {
            failToMake(e);
        }
    }

    /** The network or the controller is asked; what this machine does before and in between does not count. */
    private void startClock() {
        askedNs = System.nanoTime();
        deadline = control.schedule(this::onDeadline, remainingNs, TimeUnit.NANOSECONDS);
    }

    private void stopClock() {
        if (deadline != null) {
            deadline.cancel(false);
            remainingNs -= System.nanoTime() - askedNs;
            deadline = null;
        }
    }

    private void onDeadline() {
        String what = queuePair == null
                ? "no RDMA route was ready to " + setup.name()
                : setup.name() + " did not accept the connection";
        fail(new ConnectionException(what + " within " + options.connectTimeoutMs() + " ms"));
    }

    @Override
    public void onRouteResolved() {
        if (state != State.CONNECTING) {
            return;
        }
        stopClock();
        try {
            device = rdma.use(id.device());
            createQueuePair();
        } catch (RdmaException | RuntimeException | OutOfMemoryError e) {
            failToMake(e);
        }
    }

    /** Whatever goes wrong here is this connection's alone; the control loop serves all of the host. */
    private void failToMake(Throwable cause) {
        if (cause instanceof RdmaException) {
            fail(cause.getMessage());
        } else {
            LOG.error("{}: cannot be set up", setup.name(), cause);
            fail(cause.toString());
        }
    }

    /** Everything a response needs is there before the controller hears of this queue. */
    private void createQueuePair() throws RdmaException {
        DeviceLimits limits = device.device().limits();
        int commands =
                Math.min(setup.sqSizeZeroBased(), Math.min(limits.maxWork() - 1, (limits.maxCompletions() - 1) / 2));
        memory = RdmaQueueMemory.allocate(device.device(), setup, commands, options.bufferBytes());
        connection = new RdmaQueueConnection(this, setup, dataLoop, device, memory, listener);
        completions = rdma.poller(dataLoop).add(device.device(), 2 * commands + 1, connection);
        queuePair = id.createQueuePair(completions.queue(), new QueuePairSize(commands, commands + 1));
        for (int i = 0; i <= commands; i++) {
            if (!memory.postReceive(queuePair, i)) {
                throw new RdmaException("the queue pair takes no receives");
            }
        }
        ByteBuffer privateData = Bytes.allocate(ConnectRequestData.BYTES);
        new ConnectRequestData(
                        ConnectRequestData.RECORD_FORMAT,
                        setup.queueId(),
                        commands + 1,
                        commands,
                        setup.queueId() == 0 ? 0 : setup.controllerId())
                .encode(privateData, 0);
        int reads = Math.min(limits.maxResponderReads(), MAX_RESPONDER_READS);
        startClock();
        id.connect(new ConnectionParameters(privateData, reads, 0));
    }

    @Override
    public void onEstablished(ByteBuffer privateData) {
        if (state != State.CONNECTING) {
            return;
        }
        AcceptData accepted = acceptData(privateData);
        if (accepted.recordFormat() != ConnectRequestData.RECORD_FORMAT) {
            fail(new ConnectionException(
                    setup.name() + " accepted the connection with the unknown RECFMT " + accepted.recordFormat()));
        } else if (accepted.receiveQueueEntries() == 0) {
            fail(new ConnectionException(setup.name() + " accepted the connection but takes no commands (CRQSIZE 0)"));
        } else {
            state = State.ESTABLISHED;
            stopClock();
            int maxCommands = Math.min(memory.commands(), accepted.receiveQueueEntries());
            dataLoop.execute(() -> {
                connection.begin(queuePair, completions, maxCommands);
                opened.complete(connection);
            });
        }
    }

    /** What came, with zeros for what did not; when nothing came, that the queue is as deep as was asked for. */
    private AcceptData acceptData(ByteBuffer privateData) {
        if (!privateData.hasRemaining()) {
            return new AcceptData(ConnectRequestData.RECORD_FORMAT, memory.commands());
        }
        ByteBuffer copy = Bytes.allocate(AcceptData.BYTES);
        for (int i = 0; i < AcceptData.BYTES && privateData.hasRemaining(); i++) {
            copy.put(i, privateData.get());
        }
        return AcceptData.decode(copy, 0);
    }

    @Override
    public void onRejected(int reason, ByteBuffer privateData) {
        int status = reason == CmId.REJECTED_BY_CONSUMER ? rejectStatus(privateData) : 0;
        if (status != 0) {
            fail(new ConnectionException(setup.name() + " rejected the connection: " + RejectReason.describe(status)
                    + " (STS " + status + ")"));
        } else if (reason == REJECTED_NO_LISTENER || reason == CmId.REJECTED_BY_CONSUMER) {
            // The communication manager says so in a consumer's name where other addresses of the port are listened on.
            fail("nobody listens there");
        } else {
            fail(new ConnectionException(setup.name() + " rejected the connection (reason " + reason + ")"));
        }
    }

    /** STS, or 0 when there is none: no program said anything. */
    private static int rejectStatus(ByteBuffer privateData) {
        if (privateData.remaining() < RejectData.BYTES) {
            return 0;
        }
        ByteBuffer copy = Bytes.allocate(RejectData.BYTES);
        copy.put(0, privateData, privateData.position(), RejectData.BYTES);
        return RejectData.decode(copy, 0).status();
    }

    @Override
    public void onFailed(String why) {
        fail(why);
    }

    // ---- Ending

    /** It will not be connected, or is no more. */
    void fail(String why) {
        fail(
                state == State.CONNECTING
                        ? cannotConnect(setup.name(), why)
                        : new ConnectionException("The connection to " + setup.name() + " is lost: " + why));
    }

    private void fail(ConnectionException reason) {
        if (state == State.CONNECTING) {
            try {
                destroy();
            } finally {
                dataLoop.execute(() -> opened.completeExceptionally(reason));
            }
        } else if (state == State.ESTABLISHED) {
            dataLoop.execute(() -> connection.close(reason));
        }
    }

    @Override
    public void onDisconnected() {
        fail(new ConnectionException(setup.name() + " closed the connection"));
    }

    @Override
    public void onDeviceRemoved() {
        fail("its RDMA device was removed");
    }

    /**
     * Called by the connection on its loop, which uses nothing of the queue pair any more. When {@code destroyed} runs, on
     * that loop, no device touches the memory of its commands any more.
     */
    void destroyFor(Runnable destroyed) {
        rdma.onControlLoop(() -> {
            destroy();
            dataLoop.execute(destroyed);
        });
    }

    private void destroy() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        stopClock();
        if (id != null) {
            id.disconnect();
        }
        if (queuePair != null) {
            queuePair.close();
        }
        if (completions != null) {
            completions.close();
        }
        if (id != null) {
            id.close();
        }
        if (memory != null) {
            memory.close();
        }
        if (device != null) {
            rdma.release(device);
        }
        rdma.closed(this);
        LOG.debug("{}: closed", setup.name());
    }
}
