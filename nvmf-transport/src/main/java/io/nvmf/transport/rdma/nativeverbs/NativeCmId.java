package io.nvmf.transport.rdma.nativeverbs;

import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.CompletionQueue;
import io.nvmf.transport.rdma.ConnectionParameters;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.QueuePairSize;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** rdma_cm_id of a connection. Owned by the loop of its manager. */
final class NativeCmId implements CmId {
    private static final Logger LOG = LoggerFactory.getLogger(NativeCmId.class);
    private static final int LARGEST_DEPTH = 0xff;

    /** RDMA_CM_EVENT_...: what happened to it; the others that there are matter to nobody here. */
    enum Event {
        ADDR_RESOLVED(0),
        ADDR_ERROR(1),
        ROUTE_RESOLVED(2),
        ROUTE_ERROR(3),
        CONNECT_ERROR(6),
        UNREACHABLE(7),
        REJECTED(8),
        ESTABLISHED(9),
        DISCONNECTED(10),
        DEVICE_REMOVAL(11);

        final int number;

        Event(int number) {
            this.number = number;
        }

        static Event of(int number) {
            for (Event event : values()) {
                if (event.number == number) {
                    return event;
                }
            }
            return null;
        }
    }

    private final NativeConnectionManager manager;
    private final RdmaLibrary library;
    private final long id;
    private final ByteBuffer fields;
    private final int resolveTimeoutMs;
    private CmListener listener;
    private NativeDevice device;
    private NativeQueuePair queuePair;
    private boolean closed;

    /** @param id struct rdma_cm_id, closed with this */
    NativeCmId(NativeConnectionManager manager, long id, int resolveTimeoutMs) {
        this.manager = manager;
        this.id = id;
        this.resolveTimeoutMs = resolveTimeoutMs;
        library = manager.library();
        fields = NativeMemory.at(id, Layout.ID_BYTES);
    }

    /** Finds the device that the library has bound it to. */
    void useDevice() throws RdmaException {
        long context = fields.getLong(Layout.ID_VERBS);
        if (context == 0) {
            throw new RdmaException("the library names no device");
        }
        device = NativeDevice.of(library, context);
    }

    void onEvent(CmEvent event) {
        Event kind = Event.of(event.type());
        if (kind == null || listener == null) {
            LOG.debug("event {} of an RDMA connection is ignored", event.type());
            return;
        }
        switch (kind) {
            case ADDR_RESOLVED -> resolveRoute();
            case ADDR_ERROR, ROUTE_ERROR, UNREACHABLE -> listener.onFailed(Errors.textOfAddress(event.status()));
            case ROUTE_RESOLVED -> listener.onRouteResolved();
            case CONNECT_ERROR ->
                listener.onFailed("the connection could not be set up: " + Errors.text(event.status()));
            case REJECTED -> listener.onRejected(event.status(), event.privateData());
            case ESTABLISHED -> listener.onEstablished(event.privateData());
            case DISCONNECTED -> {
                // Answers the peer, and puts the queue pair into error.
                disconnect();
                listener.onDisconnected();
            }
            case DEVICE_REMOVAL -> listener.onDeviceRemoved();
        }
    }

    /** Nothing more comes of it, or what came could not be dealt with. A request that nobody has taken is closed. */
    void fail(String why) {
        if (listener != null) {
            listener.onFailed(why);
        } else {
            close();
        }
    }

    private void resolveRoute() {
        try {
            useDevice();
            if (library.rdma_resolve_route(id, resolveTimeoutMs) != 0) {
                throw Errors.lastOfAddress();
            }
        } catch (RdmaException e) {
            listener.onFailed(e.getMessage());
        }
    }

    @Override
    public void listener(CmListener listener) {
        this.listener = listener;
    }

    @Override
    public RdmaDevice device() {
        return device;
    }

    @Override
    public InetSocketAddress localAddress() {
        return SocketAddresses.read(openFields(), Layout.ID_SRC_ADDR);
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return SocketAddresses.read(openFields(), Layout.ID_DST_ADDR);
    }

    private ByteBuffer openFields() {
        if (closed) {
            throw new IllegalStateException("the RDMA connection is closed");
        }
        return fields;
    }

    private void requireOpen() throws RdmaException {
        manager.requireLoop();
        if (closed) {
            throw new RdmaException("the RDMA connection is closed");
        }
    }

    @Override
    public QueuePair createQueuePair(CompletionQueue completions, QueuePairSize size) throws RdmaException {
        requireOpen();
        if (device == null || queuePair != null) {
            throw new IllegalStateException("a queue pair is made once, and on a device");
        }
        queuePair = new NativeQueuePair(this, device, (NativeCompletionQueue) completions, size);
        return queuePair;
    }

    /** Called by the queue pair, once. @return struct ibv_qp */
    long makeQueuePair(ByteBuffer attributes) throws RdmaException {
        if (library.rdma_create_qp(id, device.pd(), NativeMemory.addressOf(attributes)) != 0) {
            throw Errors.last("making a queue pair of " + attributes.getInt(Layout.INIT_MAX_SEND_WR) + " sends and "
                    + attributes.getInt(Layout.INIT_MAX_RECV_WR) + " receives with " + device);
        }
        long qp = fields.getLong(Layout.ID_QP);
        Layout.require(qp != 0, "rdma_cm_id");
        return qp;
    }

    /** Called by the queue pair, once. */
    void destroyQueuePair() {
        library.rdma_destroy_qp(id);
        queuePair = null;
    }

    @Override
    public void connect(ConnectionParameters parameters) throws RdmaException {
        requireOpen();
        if (library.rdma_connect(id, connectionParameters(parameters)) != 0) {
            throw Errors.last("asking for the RDMA connection");
        }
    }

    @Override
    public void accept(ConnectionParameters parameters) throws RdmaException {
        requireOpen();
        if (library.rdma_accept(id, connectionParameters(parameters)) != 0) {
            throw Errors.last("accepting the RDMA connection");
        }
    }

    /** struct rdma_conn_param in the manager's memory. */
    private long connectionParameters(ConnectionParameters parameters) {
        Scratch scratch = manager.scratch();
        int length = scratch.putPrivateData(parameters.privateData());
        return scratch.putConnectionParameters(
                length,
                Math.min(parameters.responderResources(), LARGEST_DEPTH),
                Math.min(parameters.initiatorDepth(), LARGEST_DEPTH));
    }

    @Override
    public void reject(ByteBuffer privateData) throws RdmaException {
        requireOpen();
        Scratch scratch = manager.scratch();
        int length = scratch.putPrivateData(privateData);
        if (library.rdma_reject(id, scratch.privateDataAddress(), (byte) length) != 0) {
            throw Errors.last("rejecting the RDMA connection");
        }
    }

    @Override
    public void disconnect() {
        // Refused when it is not connected, or not any more.
        if (!closed && device != null && library.rdma_disconnect(id) != 0 && LOG.isDebugEnabled()) {
            LOG.debug("rdma_disconnect: {}", Errors.text(RdmaLibrary.errno()));
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (queuePair != null) {
            queuePair.close();
        }
        closed = true;
        manager.destroy(id);
        if (device != null) {
            device.release();
        }
    }
}
