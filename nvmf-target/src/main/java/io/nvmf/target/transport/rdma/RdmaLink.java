package io.nvmf.target.transport.rdma;

import io.nvmf.codec.rdma.AcceptData;
import io.nvmf.codec.rdma.ConnectRequestData;
import io.nvmf.codec.rdma.RejectReason;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.transport.PeerNames;
import io.nvmf.target.transport.rdma.QueueRequest.Refusal;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.CompletionPoller;
import io.nvmf.transport.rdma.ConnectionParameters;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.QueuePairSize;
import io.nvmf.transport.rdma.RdmaException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control loop's half of a connection: makes what it needs, accepts it, and destroys it again in this order: queue
 * pair and completion queue when the connection ends; memory when, besides, no command uses any of it.
 */
final class RdmaLink implements CmListener {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaLink.class);

    private final RdmaTransport transport;
    private final CmId id;
    private final TargetDevice device;
    private final RdmaLoop loop;
    private final InetSocketAddress localAddress;
    private final String peer;

    private ReceiveMemory.Share share;
    private QueueMemory memory;
    private CompletionPoller.Polled completions;
    private QueuePair pair;
    private RdmaConnection connection;

    RdmaLink(RdmaTransport transport, CmId id, TargetDevice device, RdmaLoop loop) {
        this.transport = transport;
        this.id = id;
        this.device = device;
        this.loop = loop;
        this.localAddress = id.localAddress();
        this.peer = PeerNames.of(id.remoteAddress());
    }

    /** Any thread. */
    RdmaLoop loop() {
        return loop;
    }

    /** Any thread. */
    String peer() {
        return peer;
    }

    /** Any thread. */
    InetSocketAddress localAddress() {
        return localAddress;
    }

    TargetDevice device() {
        return device;
    }

    /**
     * Makes the queue and lets the host in.
     *
     * @throws Refusal when memory or the device do not suffice; nothing is left but the id
     */
    void accept(QueueRequest request, Listener listener) throws Refusal {
        QueueSize size = QueueSize.of(request, device.device().limits());
        boolean made = false;
        try {
            makeQueue(request, size, listener);
            made = true;
        } catch (RdmaException e) {
            throw new Refusal(RejectReason.NO_RESOURCES, e.getMessage());
        } catch (OutOfMemoryError e) {
            // This loop is everybody's: it must not end for want of memory for one queue more.
            throw new Refusal(RejectReason.NO_RESOURCES, "Java has too little memory for a queue: " + e.getMessage());
        } finally {
            if (!made) {
                destroyQueue();
                releaseMemory();
            }
        }
        transport.opened(this);
        id.listener(this);
        if (!onLoop(() -> connection.start(pair, completions))) {
            end();
            return;
        }
        ByteBuffer data = ByteBuffer.allocate(AcceptData.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        new AcceptData(ConnectRequestData.RECORD_FORMAT, request.depth()).encode(data, 0);
        try {
            id.accept(new ConnectionParameters(data, 0, size.reads()));
        } catch (RdmaException e) {
            closeConnection(e.getMessage());
        }
    }

    private void makeQueue(QueueRequest request, QueueSize size, Listener listener) throws RdmaException, Refusal {
        int dataBytes = request.queueId() == 0 ? 0 : transport.traits().inCapsuleDataBytes();
        ReceiveMemory receiveMemory = transport.receiveMemory();
        share = receiveMemory.share(
                id.remoteAddress().getAddress(),
                request.queueId() == 0,
                QueueMemory.bytes(size.receives(), size.operations(), dataBytes),
                size.sendBytes());
        memory = QueueMemory.take(
                receiveMemory.slab(), device.receives(), size.receives(), size.operations(), dataBytes);
        if (memory == null) {
            throw new Refusal(RejectReason.NO_RESOURCES, "the memory for capsules is all in use");
        }
        QueueSetup setup = new QueueSetup(request, size, transport.traits(), memory, device.pool(loop));
        connection = new RdmaConnection(this, setup, transport.commands(), listener);
        completions = loop.poller().add(device.device(), size.completions(), connection);
        pair = id.createQueuePair(completions.queue(), new QueuePairSize(size.sends(), size.receives()));
        for (int i = 0; i < size.receives(); i++) {
            if (!memory.postReceive(pair, RdmaConnection.RECEIVE | i, i)) {
                throw new RdmaException("the queue pair takes no receives");
            }
        }
    }

    // ---- what happens to it

    @Override
    public void onEstablished(ByteBuffer privateData) {
        // Its capsules may have come before.
    }

    @Override
    public void onDisconnected() {
        closeConnection("disconnected by the host");
    }

    @Override
    public void onDeviceRemoved() {
        transport.removed(device);
        closeConnection("the RDMA device was removed");
    }

    @Override
    public void onFailed(String why) {
        closeConnection(why);
    }

    /** The way to the end begins on the connection's loop, so that it uses nothing that is destroyed. */
    void closeConnection(String reason) {
        if (!onLoop(() -> connection.close(reason))) {
            end();
        }
    }

    /** @return false when the loop has died: then nobody uses the queue */
    private boolean onLoop(Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: its event loop has ended", peer);
            return false;
        }
    }

    /** Connect has succeeded. Any thread; before the host hears of it. */
    void connected() {
        transport.onControlLoop(share::connected);
    }

    // ---- the end, asked for by the connection

    /** Ends the connection and destroys the queue, then tells the connection. Any thread. */
    void end() {
        transport.onControlLoop(() -> {
            id.disconnect();
            destroyQueue();
            id.close();
            onLoop(connection::ended);
            transport.ended(this);
        });
    }

    /** Gives the memory back; the queue is destroyed. Any thread. */
    void release() {
        transport.onControlLoop(() -> {
            releaseMemory();
            transport.released(this);
        });
    }

    private void destroyQueue() {
        if (pair != null) {
            pair.close();
        }
        if (completions != null) {
            completions.close();
        }
    }

    private void releaseMemory() {
        if (memory != null) {
            memory.release();
        }
        if (share != null) {
            share.release();
        }
    }
}
