package io.nvmf.transport.memory;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The communication manager of one end. */
final class MemoryConnectionManager implements ConnectionManager {
    final MemoryRdma rdma;
    final IoEventLoop loop;
    final MemoryDevice device;
    private final Set<MemoryListening> listenings = new LinkedHashSet<>();
    private final Set<MemoryCmId> ids = new LinkedHashSet<>();
    private boolean isClosed;

    MemoryConnectionManager(MemoryRdma rdma, IoEventLoop loop) {
        this.rdma = rdma;
        this.loop = loop;
        device = new MemoryDevice(rdma);
        synchronized (rdma) {
            rdma.opened(MemoryRdma.Kind.CONNECTION_MANAGER);
        }
    }

    @Override
    public Listening listen(InetSocketAddress address, int backlog, RequestListener listener) throws RdmaException {
        MemoryRdma.requireLoop(loop);
        synchronized (rdma) {
            requireOpen();
            MemoryListening listening = new MemoryListening(this, rdma.bind(address), listener);
            rdma.add(listening);
            listenings.add(listening);
            return listening;
        }
    }

    @Override
    public CmId resolve(InetSocketAddress remote, int timeoutMs, CmListener listener) throws RdmaException {
        MemoryRdma.requireLoop(loop);
        synchronized (rdma) {
            requireOpen();
            if (remote.isUnresolved()) {
                throw new RdmaException("the host name is unknown");
            }
            InetSocketAddress local = new InetSocketAddress(remote.getAddress(), rdma.freePort());
            MemoryCmId id = new MemoryCmId(this, local, remote);
            id.listener(listener);
            id.deliver(CmListener::onRouteResolved);
            return id;
        }
    }

    private void requireOpen() throws RdmaException {
        if (isClosed) {
            throw new IllegalStateException("the connection manager is closed");
        }
        rdma.requireDevice();
    }

    // With the lock held.
    void add(MemoryCmId id) {
        ids.add(id);
        rdma.add(id);
    }

    void remove(MemoryCmId id) {
        ids.remove(id);
        rdma.remove(id);
    }

    void remove(MemoryListening listening) {
        listenings.remove(listening);
        rdma.remove(listening);
    }

    @Override
    public void close() {
        MemoryRdma.requireLoop(loop);
        List<MemoryListening> openListenings;
        List<MemoryCmId> openIds;
        synchronized (rdma) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            rdma.closed(MemoryRdma.Kind.CONNECTION_MANAGER);
            openListenings = new ArrayList<>(listenings);
            openIds = new ArrayList<>(ids);
        }
        openListenings.forEach(MemoryListening::close);
        openIds.forEach(MemoryCmId::close);
    }
}
