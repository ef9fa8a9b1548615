package io.nvmf.transport.rdma.disni;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.CompletionQueue;
import io.nvmf.transport.rdma.ConnectionParameters;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.QueuePairSize;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection that this end asks for. Owned by the loop of its manager. */
final class DisniCmId implements CmId {
    private static final Logger LOG = LoggerFactory.getLogger(DisniCmId.class);
    private static final EventType[] EVENTS = EventType.values();

    private final DisniConnectionManager manager;
    private final RdmaCmId id;
    private final InetSocketAddress remote;
    private final int resolveTimeoutMs;
    private CmListener listener;
    private DisniDevice device;
    private DisniQueuePair queuePair;

    /** @param id closed with this */
    DisniCmId(DisniConnectionManager manager, RdmaCmId id, InetSocketAddress remote, int resolveTimeoutMs) {
        this.manager = manager;
        this.id = id;
        this.remote = remote;
        this.resolveTimeoutMs = resolveTimeoutMs;
    }

    /** @param event RDMA_CM_EVENT_... */
    void onEvent(int event) {
        if (event >= EVENTS.length) {
            return;
        }
        switch (EVENTS[event]) {
            case RDMA_CM_EVENT_ADDR_RESOLVED -> resolveRoute();
            case RDMA_CM_EVENT_ROUTE_RESOLVED -> listener.onRouteResolved();
            case RDMA_CM_EVENT_ADDR_ERROR -> listener.onFailed("no RDMA device reaches that address");
            case RDMA_CM_EVENT_ROUTE_ERROR -> listener.onFailed("there is no RDMA route to that address");
            case RDMA_CM_EVENT_UNREACHABLE -> listener.onFailed("that address does not answer");
            case RDMA_CM_EVENT_CONNECT_ERROR -> listener.onFailed("the connection could not be set up");
            case RDMA_CM_EVENT_REJECTED ->
                listener.onFailed("the connection was rejected, for a reason that DiSNI does not tell");
            case RDMA_CM_EVENT_ESTABLISHED -> listener.onEstablished(ByteBuffer.allocate(0));
            case RDMA_CM_EVENT_DISCONNECTED -> {
                // Answers the peer, and puts the queue pair into error.
                disconnect();
                listener.onDisconnected();
            }
            case RDMA_CM_EVENT_DEVICE_REMOVAL -> listener.onDeviceRemoved();
            default -> LOG.debug("{} is ignored", EVENTS[event]);
        }
    }

    private void resolveRoute() {
        try {
            device = DisniDevice.of(id);
            id.resolveRoute(resolveTimeoutMs);
        } catch (IOException e) {
            listener.onFailed(Disni.text(e));
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
        try {
            return (InetSocketAddress) id.getSource();
        } catch (IOException e) {
            throw new IllegalStateException("the RDMA connection is closed", e);
        }
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public QueuePair createQueuePair(CompletionQueue completions, QueuePairSize size) throws RdmaException {
        if (device == null || queuePair != null) {
            throw new IllegalStateException("a queue pair is made once, and on a device");
        }
        DisniCompletionQueue queue = (DisniCompletionQueue) completions;
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.setSend_cq(queue.cq());
        attributes.setRecv_cq(queue.cq());
        attributes.setQp_type(IbvQP.IBV_QPT_RC);
        attributes.cap().setMax_send_wr(size.sends());
        attributes.cap().setMax_recv_wr(size.receives());
        IbvQP qp = Disni.call(
                "making a queue pair of " + size.sends() + " sends and " + size.receives() + " receives",
                () -> id.createQP(device.pd(), attributes));
        try {
            queuePair = new DisniQueuePair(this, qp, size);
            return queuePair;
        } finally {
            if (queuePair == null) {
                destroyQueuePair();
            }
        }
    }

    /** Called by the queue pair, once. */
    void destroyQueuePair() {
        Disni.tryTo("destroying a queue pair", id::destroyQP);
        queuePair = null;
    }

    /** DiSNI lets as many RDMA READs be outstanding as the device can, whatever the parameters say. */
    @Override
    public void connect(ConnectionParameters parameters) throws RdmaException {
        try {
            id.connect(manager.connectionParameters(parameters.privateData()));
        } catch (IOException e) {
            throw new RdmaException(Disni.text(e), e);
        }
    }

    @Override
    public void accept(ConnectionParameters parameters) throws RdmaException {
        throw new RdmaException(DisniConnectionManager.NO_TARGET);
    }

    @Override
    public void reject(ByteBuffer privateData) throws RdmaException {
        throw new RdmaException(DisniConnectionManager.NO_TARGET);
    }

    @Override
    public void disconnect() {
        if (!id.isOpen() || device == null) {
            return;
        }
        try {
            // Refused when it is not connected, or not any more.
            id.disconnect();
        } catch (IOException e) {
            LOG.debug("disconnecting: {}", Disni.text(e));
        }
    }

    @Override
    public void close() {
        if (!id.isOpen()) {
            return;
        }
        if (queuePair != null) {
            queuePair.close();
        }
        manager.destroy(id);
        if (device != null) {
            device.release();
        }
    }
}
