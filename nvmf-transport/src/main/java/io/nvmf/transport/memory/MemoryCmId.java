package io.nvmf.transport.memory;

import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.CompletionQueue;
import io.nvmf.transport.rdma.ConnectionParameters;
import io.nvmf.transport.rdma.DeviceLimits;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.QueuePairSize;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** One end of a connection, or of what is to become one. */
final class MemoryCmId implements CmId {
    /** IB_CM_REJ_INVALID_SERVICE_ID. */
    private static final int REJECTED_NOBODY_LISTENS = 8;
    /** IB_CM_REJ_TIMEOUT: the one who asked has gone. */
    private static final int REJECTED_TIMEOUT = 4;

    private static final int REQUEST_DATA_BYTES = 56;
    private static final int ACCEPT_DATA_BYTES = 196;
    private static final int REJECT_DATA_BYTES = 148;

    private enum State {
        /** Nothing asked yet (the end that connects), or asked by the peer. */
        NEW,
        /** Has asked, waits for the answer. */
        CONNECTING,
        /** There is a connection: accepted at this end, or told of at the other. */
        CONNECTED,
        /** Rejected, disconnected, given up, or without its device. */
        ENDED,
        CLOSED
    }

    private final MemoryConnectionManager manager;
    private final MemoryRdma rdma;
    private final InetSocketAddress localAddress;
    private final InetSocketAddress remoteAddress;
    private State state = State.NEW;
    private CmListener listener;
    private MemoryQueuePair queuePair;
    /** The other end, as soon as one has asked the other. */
    private MemoryCmId peer;
    /** What was asked for; at both ends. */
    private ConnectionParameters request;

    private MemoryConnection connection;

    /** With the lock held. */
    MemoryCmId(MemoryConnectionManager manager, InetSocketAddress localAddress, InetSocketAddress remoteAddress) {
        this.manager = manager;
        this.rdma = manager.rdma;
        this.localAddress = localAddress;
        this.remoteAddress = remoteAddress;
        manager.add(this);
    }

    @Override
    public void listener(CmListener newListener) {
        MemoryRdma.requireLoop(manager.loop);
        listener = newListener;
    }

    @Override
    public RdmaDevice device() {
        return manager.device;
    }

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public QueuePair createQueuePair(CompletionQueue completions, QueuePairSize size) throws RdmaException {
        MemoryRdma.requireLoop(manager.loop);
        synchronized (rdma) {
            require(state == State.NEW && queuePair == null, "a queue pair is made once, before the connection");
            rdma.requireDevice();
            int most = rdma.limits().maxWork();
            if (size.sends() > most || size.receives() > most) {
                throw new RdmaException("a queue pair of the device holds " + most + " work requests at most");
            }
            queuePair = new MemoryQueuePair(manager, (MemoryCompletionQueue) completions, size);
            return queuePair;
        }
    }

    @Override
    public void connect(ConnectionParameters parameters) throws RdmaException {
        MemoryRdma.requireLoop(manager.loop);
        ByteBuffer data = padded(parameters.privateData(), REQUEST_DATA_BYTES);
        synchronized (rdma) {
            require(
                    state == State.NEW && request == null && queuePair != null,
                    "an id without queue pair cannot connect");
            rdma.requireDevice();
            requireReads(parameters);
            state = State.CONNECTING;
            request = parameters;
            MemoryListening listening = rdma.listeningAt(remoteAddress);
            peer = listening == null ? null : listening.request(this, parameters, data);
            if (peer == null) {
                rejected(REJECTED_NOBODY_LISTENS, ByteBuffer.allocate(REJECT_DATA_BYTES));
            } else {
                peer.peer = this;
                peer.request = parameters;
            }
        }
    }

    @Override
    public void accept(ConnectionParameters parameters) throws RdmaException {
        MemoryRdma.requireLoop(manager.loop);
        ByteBuffer data = padded(parameters.privateData(), ACCEPT_DATA_BYTES);
        synchronized (rdma) {
            require(request != null && queuePair != null, "an id without request or queue pair cannot accept");
            rdma.requireDevice();
            requireReads(parameters);
            if (!isRequested()) {
                throw new RdmaException("the peer has given up");
            }
            state = State.CONNECTED;
            connection = new MemoryConnection(rdma, peer, this);
            peer.connection = connection;
            queuePair.connect(
                    peer.queuePair, connection, agreed(parameters.initiatorDepth(), request.responderResources()));
            int peerDepth = agreed(request.initiatorDepth(), parameters.responderResources());
            peer.deliver(listener -> peer.accepted(data, peerDepth));
        }
    }

    /** The peer's answer has come, on the loop of this end; when this end has seen it the peer hears of that. */
    private void accepted(ByteBuffer data, int readDepth) {
        synchronized (rdma) {
            if (state != State.CONNECTING) {
                return;
            }
            state = State.CONNECTED;
            queuePair.connect(peer.queuePair, connection, readDepth);
            connection.advance();
        }
        try {
            listener.onEstablished(data);
        } finally {
            peer.deliver(peerListener -> {
                if (peer.isConnected()) {
                    peerListener.onEstablished(ByteBuffer.allocate(0));
                }
            });
        }
    }

    private boolean isConnected() {
        synchronized (rdma) {
            return state == State.CONNECTED;
        }
    }

    @Override
    public void reject(ByteBuffer privateData) throws RdmaException {
        MemoryRdma.requireLoop(manager.loop);
        ByteBuffer data = padded(privateData, REJECT_DATA_BYTES);
        synchronized (rdma) {
            require(request != null, "an id without request cannot reject");
            refuse(REJECTED_BY_CONSUMER, data);
        }
    }

    @Override
    public void disconnect() {
        MemoryRdma.requireLoop(manager.loop);
        synchronized (rdma) {
            if (connection != null) {
                connection.end(this);
            } else if (queuePair != null) {
                queuePair.fail();
            }
        }
    }

    @Override
    public void close() {
        MemoryRdma.requireLoop(manager.loop);
        synchronized (rdma) {
            if (state == State.CLOSED) {
                return;
            }
            if (connection != null) {
                connection.end(this);
            } else if (isRequested()) {
                refuse(REJECTED_BY_CONSUMER, ByteBuffer.allocate(REJECT_DATA_BYTES));
            } else if (state == State.CONNECTING && peer != null) {
                peer.rejected(REJECTED_TIMEOUT, ByteBuffer.allocate(REJECT_DATA_BYTES));
            }
            if (queuePair != null) {
                queuePair.destroy();
            }
            state = State.CLOSED;
            manager.remove(this);
        }
    }

    // With the lock held from here on.

    /** Whether a peer asked and still waits for the answer. */
    boolean isRequested() {
        return state == State.NEW && peer != null && peer.state == State.CONNECTING && peer.connection == null;
    }

    /** Answers the peer's request in place of a program that no longer listens. */
    void refuseAsNobodyListens() {
        refuse(REJECTED_NOBODY_LISTENS, ByteBuffer.allocate(REJECT_DATA_BYTES));
    }

    private void refuse(int reason, ByteBuffer data) {
        if (isRequested()) {
            state = State.ENDED;
            peer.rejected(reason, data);
        }
    }

    private void rejected(int reason, ByteBuffer data) {
        if (state == State.NEW || state == State.CONNECTING) {
            state = State.ENDED;
            deliver(listener -> listener.onRejected(reason, data));
        }
    }

    /** The connection has ended. */
    void disconnected() {
        if (state != State.CLOSED && state != State.ENDED) {
            state = State.ENDED;
            queuePair.fail();
            deliver(CmListener::onDisconnected);
        }
    }

    void deviceRemoved() {
        state = State.ENDED;
        connection = null;
        deliver(CmListener::onDeviceRemoved);
    }

    MemoryQueuePair queuePair() {
        return queuePair;
    }

    /** Tells the listener on its loop, unless this id is closed by then or has no listener yet. */
    void deliver(Consumer<CmListener> event) {
        MemoryRdma.execute(manager.loop, () -> {
            boolean isOpen;
            synchronized (rdma) {
                isOpen = state != State.CLOSED;
            }
            if (isOpen && listener != null) {
                event.accept(listener);
            }
        });
    }

    private void requireReads(ConnectionParameters parameters) throws RdmaException {
        DeviceLimits limits = rdma.limits();
        if (parameters.responderResources() > limits.maxResponderReads()
                || parameters.initiatorDepth() > limits.maxInitiatorReads()) {
            throw new RdmaException("the device cannot have so many RDMA READs outstanding");
        }
    }

    private static int agreed(int initiatorDepth, int responderResources) {
        return Math.min(initiatorDepth, responderResources);
    }

    private static ByteBuffer padded(ByteBuffer data, int lengthBytes) throws RdmaException {
        if (data.remaining() > lengthBytes) {
            throw new RdmaException("private data of " + data.remaining() + " bytes, where " + lengthBytes + " fit");
        }
        return ByteBuffer.allocate(lengthBytes).put(0, data, data.position(), data.remaining());
    }

    private static void require(boolean isRight, String otherwise) {
        if (!isRight) {
            throw new IllegalStateException(otherwise);
        }
    }
}
