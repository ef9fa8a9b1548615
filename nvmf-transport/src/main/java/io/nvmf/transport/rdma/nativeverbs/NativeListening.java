package io.nvmf.transport.rdma.nativeverbs;

import io.nvmf.transport.rdma.ConnectionManager.Listening;
import io.nvmf.transport.rdma.ConnectionManager.RequestListener;
import java.net.InetSocketAddress;

/** rdma_cm_id that listens. Owned by the loop of its manager. */
final class NativeListening implements Listening {
    private final NativeConnectionManager manager;
    private final long id;
    private final InetSocketAddress address;
    private final RequestListener listener;
    private boolean closed;

    NativeListening(NativeConnectionManager manager, long id, InetSocketAddress address, RequestListener listener) {
        this.manager = manager;
        this.id = id;
        this.address = address;
        this.listener = listener;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    RequestListener listener() {
        return listener;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            manager.destroy(id);
        }
    }
}
