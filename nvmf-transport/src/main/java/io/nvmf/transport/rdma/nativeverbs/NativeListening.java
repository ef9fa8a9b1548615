package io.nvmf.transport.rdma.nativeverbs;

import io.nvmf.transport.rdma.ConnectionManager.Listening;
import io.nvmf.transport.rdma.ConnectionManager.RequestListener;
import io.nvmf.transport.rdma.RdmaDevice;
import java.net.InetSocketAddress;

/** rdma_cm_id that listens. Owned by the loop of its manager. */
final class NativeListening implements Listening {
    private final NativeConnectionManager manager;
    private final long id;
    private final InetSocketAddress address;
    private final NativeDevice device;
    private final RequestListener listener;
    private boolean ended;
    private boolean closed;

    /** @param device with one use of it, which is given up when this is closed; null for a wildcard address */
    NativeListening(
            NativeConnectionManager manager,
            long id,
            InetSocketAddress address,
            NativeDevice device,
            RequestListener listener) {
        this.manager = manager;
        this.id = id;
        this.address = address;
        this.device = device;
        this.listener = listener;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public RdmaDevice device() {
        return device;
    }

    RequestListener listener() {
        return listener;
    }

    /** A wildcard address has other devices, and those to come. */
    void onDeviceRemoved() {
        if (device != null) {
            end("its RDMA device was removed");
        }
    }

    /** No request comes any more. */
    void end(String why) {
        if (!ended) {
            ended = true;
            listener.onListeningEnded(why);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            manager.destroy(id);
            if (device != null) {
                device.release();
            }
        }
    }
}
