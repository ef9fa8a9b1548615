package io.nvmf.target;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** RDMA whose connection manager fails when a test says so. */
final class FaultyRdma implements RdmaProvider {
    private final RdmaProvider rdma;
    private final List<ConnectionManager.RequestListener> listeners = new ArrayList<>();
    private volatile boolean refusesToListen;
    private volatile boolean hasNoMemory;

    FaultyRdma(RdmaProvider rdma) {
        this.rdma = rdma;
    }

    /** Tells that listening has ended, to those that listened. On their loop. */
    void endListening(String why) {
        List<ConnectionManager.RequestListener> told = List.copyOf(listeners);
        listeners.clear();
        told.forEach(listener -> listener.onListeningEnded(why));
    }

    void refusesToListen(boolean refuses) {
        refusesToListen = refuses;
    }

    /** Whether Java runs out of memory when a queue pair is made. */
    void hasNoMemory(boolean none) {
        hasNoMemory = none;
    }

    @Override
    public String unavailabilityCause() {
        return rdma.unavailabilityCause();
    }

    @Override
    public ConnectionManager openConnectionManager(IoEventLoop loop) throws RdmaException {
        return new Manager(rdma.openConnectionManager(loop));
    }

    private final class Manager implements ConnectionManager {
        private final ConnectionManager manager;

        Manager(ConnectionManager manager) {
            this.manager = manager;
        }

        @Override
        public Listening listen(InetSocketAddress address, int backlog, RequestListener listener) throws RdmaException {
            if (refusesToListen) {
                throw new RdmaException("no device has the address");
            }
            listeners.add(listener);
            return manager.listen(address, backlog, new RequestListener() {
                @Override
                public void onConnectRequest(CmId id, ByteBuffer data, int responderResources, int initiatorDepth) {
                    listener.onConnectRequest(faulty(id), data, responderResources, initiatorDepth);
                }

                @Override
                public void onListeningEnded(String why) {
                    listener.onListeningEnded(why);
                }
            });
        }

        @Override
        public CmId resolve(InetSocketAddress remote, int timeoutMs, CmListener listener) throws RdmaException {
            return manager.resolve(remote, timeoutMs, listener);
        }

        @Override
        public void close() {
            manager.close();
        }
    }

    private CmId faulty(CmId id) {
        return (CmId) Proxy.newProxyInstance(
                CmId.class.getClassLoader(), new Class<?>[] {CmId.class}, (proxy, method, arguments) -> {
                    if (hasNoMemory && method.getName().equals("createQueuePair")) {
                        throw new OutOfMemoryError("as a test wants it");
                    }
                    try {
                        return method.invoke(id, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
