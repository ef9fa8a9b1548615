package io.nvmf.transport.memory;

import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.ConnectionManager.RequestListener;
import io.nvmf.transport.rdma.ConnectionParameters;
import io.nvmf.transport.rdma.RdmaDevice;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A listening address. */
final class MemoryListening implements ConnectionManager.Listening {
    private final MemoryConnectionManager manager;
    private final InetSocketAddress address;
    private final RequestListener listener;
    private boolean isEnded;
    private boolean isClosed;

    MemoryListening(MemoryConnectionManager manager, InetSocketAddress address, RequestListener listener) {
        this.manager = manager;
        this.address = address;
        this.listener = listener;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public RdmaDevice device() {
        return address.getAddress().isAnyLocalAddress() ? null : manager.device;
    }

    /** With the lock held. */
    boolean isEnded() {
        return isEnded;
    }

    /**
     * Its device goes: it lets nobody in any more, but holds its address until it is closed. A wildcard address has other
     * devices, and those to come. With the lock held.
     */
    void deviceRemoved() {
        if (device() == null || isEnded) {
            return;
        }
        isEnded = true;
        MemoryRdma.execute(manager.loop, () -> {
            boolean isOpen;
            synchronized (manager.rdma) {
                isOpen = !isClosed;
            }
            if (isOpen) {
                listener.onListeningEnded("its RDMA device was removed");
            }
        });
    }

    /**
     * Makes the id of a request and hands both to the listener, later. With the lock held.
     *
     * @return the id at this end; null when it cannot be told of
     */
    MemoryCmId request(MemoryCmId initiator, ConnectionParameters parameters, ByteBuffer privateData) {
        MemoryCmId id = new MemoryCmId(manager, initiator.remoteAddress(), initiator.localAddress());
        boolean isTold = MemoryRdma.execute(manager.loop, () -> {
            synchronized (manager.rdma) {
                if (isClosed) {
                    id.refuseAsNobodyListens();
                    manager.remove(id);
                    return;
                }
                if (!id.isRequested()) {
                    manager.remove(id);
                    return;
                }
            }
            listener.onConnectRequest(id, privateData, parameters.initiatorDepth(), parameters.responderResources());
        });
        if (!isTold) {
            manager.remove(id);
        }
        return isTold ? id : null;
    }

    @Override
    public void close() {
        MemoryRdma.requireLoop(manager.loop);
        synchronized (manager.rdma) {
            isClosed = true;
            manager.remove(this);
        }
    }
}
