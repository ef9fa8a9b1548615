package io.nvmf.initiator.controller;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.log.ReservationNotification;
import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.queue.QueueSelection;
import io.nvmf.initiator.transport.HostRdma;
import io.nvmf.initiator.transport.HostTransport;
import io.nvmf.initiator.transport.RdmaOptions;
import io.nvmf.initiator.transport.RdmaTransport;
import io.nvmf.initiator.transport.TcpOptions;
import io.nvmf.initiator.transport.TcpTransport;
import io.nvmf.transport.EventLoops;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * What to connect to, and how. The defaults are those of the Linux host where it has any. Not thread safe; a connect takes
 * what is set when it is called.
 */
public final class ConnectOptions implements Cloneable {
    public static final int DEFAULT_PORT = 4420;
    public static final int DISCOVERY_PORT = 8009;

    static final int MAX_IO_QUEUES = 1024;
    static final int MIN_QUEUE_DEPTH = 2;
    static final int MAX_QUEUE_DEPTH = 4096;

    private final TransportType transport;
    private final InetSocketAddress remote;
    private final String subsystemNqn;
    private int ioQueues = 1;
    private int queueDepth = 128;
    private int waitingRequests = 1024;
    private QueueSelection queueSelection = QueueSelection.PER_THREAD;
    private boolean headerDigest;
    private boolean dataDigest;
    private boolean sqFlowControl = true;
    private int keepAliveTimeoutMs = 5_000;
    private int maxTransferBytes = 1 << 20;
    private int bufferBytes = 4 << 20;
    private int connectTimeoutMs = 5_000;
    private int adminTimeoutMs = 60_000;
    private int ioTimeoutMs = 30_000;
    private int shutdownTimeoutMs = 5_000;
    private int reconnectDelayMs = 1_000;
    private int maxReconnectDelayMs = 30_000;
    private int controllerLossTimeoutMs;
    private int fastIoFailTimeoutMs = -1;
    private Consumer<AsyncEvent> eventListener = event -> {};
    private Consumer<ReservationNotification> reservationListener = notice -> {};
    private ControllerListener stateListener = (controller, state, reason) -> {};

    private ConnectOptions(TransportType transport, InetSocketAddress remote, String subsystemNqn) {
        this.transport = transport;
        this.remote = remote;
        this.subsystemNqn = subsystemNqn;
    }

    /**
     * An NVMe/TCP controller. A name is looked up here, which may take its time.
     *
     * @param host name or address
     * @throws IllegalArgumentException if the NQN or the port cannot be
     */
    public static ConnectOptions tcp(String host, int port, String subsystemNqn) {
        return tcp(new InetSocketAddress(host, port), subsystemNqn);
    }

    /** An NVMe/TCP controller. */
    public static ConnectOptions tcp(InetSocketAddress remote, String subsystemNqn) {
        return of(TransportType.TCP, remote, subsystemNqn);
    }

    /** As {@link #tcp(String, int, String)}: an NVMe/RDMA controller. */
    public static ConnectOptions rdma(String host, int port, String subsystemNqn) {
        return of(TransportType.RDMA, new InetSocketAddress(host, port), subsystemNqn);
    }

    /** A controller that is reached through a transport. */
    public static ConnectOptions of(TransportType transport, InetSocketAddress remote, String subsystemNqn) {
        int nqnBytes = subsystemNqn.getBytes(StandardCharsets.UTF_8).length;
        if (nqnBytes == 0 || nqnBytes > Nqn.MAX_BYTES) {
            throw new IllegalArgumentException(
                    "A subsystem NQN has 1 to " + Nqn.MAX_BYTES + " bytes, this one has " + nqnBytes);
        }
        return new ConnectOptions(transport, remote, subsystemNqn);
    }

    /** The discovery controller at an NVMe/TCP address: no I/O queues, no keep alive. */
    public static ConnectOptions discovery(InetSocketAddress remote) {
        return discovery(TransportType.TCP, remote);
    }

    /** The discovery controller that is reached through a transport: no I/O queues, no keep alive. */
    public static ConnectOptions discovery(TransportType transport, InetSocketAddress remote) {
        return of(transport, remote, Nqn.DISCOVERY).ioQueues(0).keepAliveTimeoutMs(0);
    }

    /** I/O queues to ask for, 0 to 1024; the controller may grant fewer. Default 1. */
    public ConnectOptions ioQueues(int ioQueues) {
        this.ioQueues = requireWithin("ioQueues", ioQueues, 0, MAX_IO_QUEUES);
        return this;
    }

    /** Entries of each I/O queue, 2 to 4096; one fewer can be outstanding. The controller may force fewer. Default 128. */
    public ConnectOptions queueDepth(int queueDepth) {
        this.queueDepth = requireWithin("queueDepth", queueDepth, MIN_QUEUE_DEPTH, MAX_QUEUE_DEPTH);
        return this;
    }

    /** Requests each queue may hold beside those that are outstanding. Default 1024. */
    public ConnectOptions waitingRequests(int waitingRequests) {
        this.waitingRequests = requireWithin("waitingRequests", waitingRequests, 0, 1 << 20);
        return this;
    }

    public ConnectOptions queueSelection(QueueSelection queueSelection) {
        this.queueSelection = queueSelection;
        return this;
    }

    /**
     * Protects every PDU header by CRC32C; a target without it is refused. Default off.
     *
     * @throws IllegalArgumentException if it is to be on and the transport is not TCP
     */
    public ConnectOptions headerDigest(boolean headerDigest) {
        this.headerDigest = requireDigests(headerDigest);
        return this;
    }

    /**
     * Protects all data by CRC32C; a target without it is refused. Default off.
     *
     * @throws IllegalArgumentException if it is to be on and the transport is not TCP
     */
    public ConnectOptions dataDigest(boolean dataDigest) {
        this.dataDigest = requireDigests(dataDigest);
        return this;
    }

    private boolean requireDigests(boolean wanted) {
        if (wanted && transport != TransportType.TCP) {
            throw new IllegalArgumentException(
                    "NVMe/RDMA has no header and data digests: the network protects what it carries");
        }
        return wanted;
    }

    /** Whether the queues use SQ flow control. Without it the controller may spare a response for each read. Default on. */
    public ConnectOptions sqFlowControl(boolean sqFlowControl) {
        this.sqFlowControl = sqFlowControl;
        return this;
    }

    /** KATO: a controller that hears nothing for so long ends the association; 0 = no keep alive. Default 5 s. */
    public ConnectOptions keepAliveTimeoutMs(int keepAliveTimeoutMs) {
        this.keepAliveTimeoutMs = requireWithin("keepAliveTimeoutMs", keepAliveTimeoutMs, 0, Integer.MAX_VALUE);
        return this;
    }

    /** The most data of one command, also when the controller takes more; at least 4096. Default 1 MiB. */
    public ConnectOptions maxTransferBytes(int maxTransferBytes) {
        this.maxTransferBytes = requireWithin("maxTransferBytes", maxTransferBytes, 4096, 1 << 30);
        return this;
    }

    /**
     * With RDMA: memory of each queue, registered, through which all data goes that does not lie in memory of {@link
     * io.nvmf.initiator.NvmfHost#register}; at least 64 KiB. Requests wait for it in their order, and one command has at
     * most as much data. Default 4 MiB.
     */
    public ConnectOptions bufferBytes(int bufferBytes) {
        this.bufferBytes = requireWithin("bufferBytes", bufferBytes, 1 << 16, 1 << 30);
        return this;
    }

    /** How long the other end may take to accept each connection, and then to initialize it. Default 5 s. */
    public ConnectOptions connectTimeoutMs(int connectTimeoutMs) {
        this.connectTimeoutMs = requireWithin("connectTimeoutMs", connectTimeoutMs, 1, Integer.MAX_VALUE);
        return this;
    }

    /** How long an admin or fabrics command may take before the controller counts as dead. Default 60 s. */
    public ConnectOptions adminTimeoutMs(int adminTimeoutMs) {
        this.adminTimeoutMs = requireWithin("adminTimeoutMs", adminTimeoutMs, 1, Integer.MAX_VALUE);
        return this;
    }

    /** How long an I/O command may take before it is aborted; when that takes as long again, the controller counts as dead. 0 = for ever. Default 30 s. */
    public ConnectOptions ioTimeoutMs(int ioTimeoutMs) {
        this.ioTimeoutMs = requireWithin("ioTimeoutMs", ioTimeoutMs, 0, Integer.MAX_VALUE);
        return this;
    }

    /** How long a disconnect waits for the controller to shut down. Default 5 s. */
    public ConnectOptions shutdownTimeoutMs(int shutdownTimeoutMs) {
        this.shutdownTimeoutMs = requireWithin("shutdownTimeoutMs", shutdownTimeoutMs, 1, Integer.MAX_VALUE);
        return this;
    }

    /**
     * How long it is tried to connect again when the association was lost, before the controller is given up; -1 = for
     * ever, 0, the default, = not at all. A controller that refuses with Do Not Retry is given up at once.
     *
     * <p>Until it is connected again, I/O requests wait; those that were out, too, unless carrying out their commands once
     * more could have another outcome: a copy, a fused pair, a reservation, a passthrough command. Those fail with {@link
     * io.nvmf.codec.Status#HOST_PATHING_ERROR}, and so do all admin commands, and a request that was out at its sixth
     * loss. Wherever the former association has not ended for the controller, which may take it the keep alive timeout,
     * it may carry out what it had received of it between the commands of the next; a controller of this project
     * does not let a host connect before.
     */
    public ConnectOptions controllerLossTimeoutMs(int controllerLossTimeoutMs) {
        this.controllerLossTimeoutMs =
                requireWithin("controllerLossTimeoutMs", controllerLossTimeoutMs, -1, Integer.MAX_VALUE);
        return this;
    }

    /**
     * How long to wait before connecting again: {@code firstMs}, twice as long after each failure up to {@code mostMs}, a
     * quarter more or less by chance. Default 1 s to 30 s.
     */
    public ConnectOptions reconnectDelayMs(int firstMs, int mostMs) {
        this.reconnectDelayMs = requireWithin("firstMs", firstMs, 1, Integer.MAX_VALUE);
        this.maxReconnectDelayMs = requireWithin("mostMs", mostMs, firstMs, Integer.MAX_VALUE);
        return this;
    }

    /**
     * How long requests wait for the controller to be connected again before they fail; it is tried further. -1, the
     * default, = until it is given up.
     */
    public ConnectOptions fastIoFailTimeoutMs(int fastIoFailTimeoutMs) {
        this.fastIoFailTimeoutMs = requireWithin("fastIoFailTimeoutMs", fastIoFailTimeoutMs, -1, Integer.MAX_VALUE);
        return this;
    }

    /** Told of every state but the first, {@link ControllerState#LIVE}. */
    public ConnectOptions stateListener(ControllerListener stateListener) {
        this.stateListener = stateListener;
        return this;
    }

    /** Told of asynchronous events, on an event loop: it must not block. */
    public ConnectOptions eventListener(Consumer<AsyncEvent> eventListener) {
        this.eventListener = eventListener;
        return this;
    }

    /**
     * Told of what other hosts' commands took from this host: its registration, or a reservation. On an event loop: it must
     * not block. The notices are read from their log, one after the other, before the event is told.
     */
    public ConnectOptions reservationListener(Consumer<ReservationNotification> reservationListener) {
        this.reservationListener = reservationListener;
        return this;
    }

    private static int requireWithin(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " must be " + min + " to " + max + ", not " + value);
        }
        return value;
    }

    /** A copy that later changes do not reach. */
    public ConnectOptions copy() {
        try {
            return (ConnectOptions) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    public TransportType transport() {
        return transport;
    }

    public InetSocketAddress remote() {
        return remote;
    }

    public String subsystemNqn() {
        return subsystemNqn;
    }

    int ioQueues() {
        return ioQueues;
    }

    int queueDepth() {
        return queueDepth;
    }

    int waitingRequests() {
        return waitingRequests;
    }

    QueueSelection queueSelection() {
        return queueSelection;
    }

    boolean sqFlowControl() {
        return sqFlowControl;
    }

    int keepAliveTimeoutMs() {
        return keepAliveTimeoutMs;
    }

    int maxTransferBytes() {
        return maxTransferBytes;
    }

    int adminTimeoutMs() {
        return adminTimeoutMs;
    }

    int ioTimeoutMs() {
        return ioTimeoutMs;
    }

    int shutdownTimeoutMs() {
        return shutdownTimeoutMs;
    }

    /** Whether it is tried to connect again at all. */
    boolean reconnects() {
        return controllerLossTimeoutMs != 0;
    }

    int controllerLossTimeoutMs() {
        return controllerLossTimeoutMs;
    }

    int reconnectDelayMs() {
        return reconnectDelayMs;
    }

    int maxReconnectDelayMs() {
        return maxReconnectDelayMs;
    }

    int fastIoFailTimeoutMs() {
        return fastIoFailTimeoutMs;
    }

    ControllerListener stateListener() {
        return stateListener;
    }

    Consumer<AsyncEvent> eventListener() {
        return eventListener;
    }

    Consumer<ReservationNotification> reservationListener() {
        return reservationListener;
    }

    boolean isDiscovery() {
        return subsystemNqn.equals(Nqn.DISCOVERY);
    }

    /** For messages: host and port. */
    String peer() {
        String host = remote.getHostString();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + remote.getPort();
    }

    /** Opens the connections of this controller. */
    HostTransport hostTransport(EventLoops loops, HostRdma rdma) {
        return switch (transport) {
            case TCP -> new TcpTransport(loops, new TcpOptions(remote, headerDigest, dataDigest, connectTimeoutMs));
            case RDMA -> new RdmaTransport(rdma, new RdmaOptions(remote, connectTimeoutMs, bufferBytes));
        };
    }
}
