package io.nvmf.target.transport.rdma;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.Future;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.transport.PeerNames;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An address that the target listens on. When its device goes, listening ends; it is tried again until the device is back.
 * Owned by the control loop.
 */
final class RdmaAddress implements ConnectionManager.RequestListener {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaAddress.class);
    private static final int BACKLOG = 128;
    private static final long RETRY_MS = 1000;

    /** Who answers the requests that come to an address. */
    interface Requests {
        void onRequest(CmId id, ByteBuffer privateData, int initiatorDepth, Listener listener);
    }

    private final IoEventLoop control;
    private final ConnectionManager manager;
    private final TargetDevices devices;
    private final Requests requests;

    private Listener listener;
    /** Null while it is not listened on. */
    private ConnectionManager.Listening listening;

    private Future<?> retry;
    private boolean closed;

    RdmaAddress(IoEventLoop control, ConnectionManager manager, TargetDevices devices, Requests requests) {
        this.control = control;
        this.manager = manager;
        this.devices = devices;
        this.requests = requests;
    }

    /** Listens for the first time. @throws RdmaException when that is not possible */
    Listener open(ListenerConfig config, List<Subsystem> subsystems) throws RdmaException {
        listen(config.address());
        listener = new Listener(config, listening.address(), subsystems);
        return listener;
    }

    private void listen(InetSocketAddress address) throws RdmaException {
        ConnectionManager.Listening opened = manager.listen(address, BACKLOG, this);
        try {
            // Rather here than with the first host: whoever starts the target can do something about it.
            if (opened.device() != null) {
                devices.get(opened.device());
            }
            listening = opened;
        } finally {
            if (listening == null) {
                opened.close();
            }
        }
    }

    /** Whether it is an address of this device that is listened on. */
    boolean isOf(RdmaDevice device) {
        return listening != null && listening.device() == device;
    }

    @Override
    public void onConnectRequest(CmId id, ByteBuffer privateData, int responderResources, int initiatorDepth) {
        requests.onRequest(id, privateData, initiatorDepth, listener);
    }

    @Override
    public void onListeningEnded(String why) {
        if (listening == null) {
            return;
        }
        LOG.warn("nobody is let in at {} over RDMA until it can be listened on again: {}", name(), why);
        RdmaDevice device = listening.device();
        listening.close();
        listening = null;
        if (device != null) {
            devices.removed(device);
        }
        retryLater();
    }

    private void retryLater() {
        if (!closed) {
            retry = control.schedule(this::listenAgain, RETRY_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void listenAgain() {
        try {
            listen(listener.address());
            LOG.info("{} is listened on over RDMA again", name());
        } catch (RdmaException | RuntimeException e) {
            LOG.debug("{} cannot be listened on over RDMA yet", name(), e);
            retryLater();
        }
    }

    private String name() {
        return PeerNames.of(listener.address());
    }

    /** @return whether it was the address of this listener, which is closed now */
    boolean closeIf(Listener which) {
        if (which != listener) {
            return false;
        }
        RdmaDevice device = listening == null ? null : listening.device();
        close();
        if (device != null) {
            devices.unlistened(device);
        }
        return true;
    }

    void close() {
        closed = true;
        if (retry != null) {
            retry.cancel(false);
        }
        if (listening != null) {
            listening.close();
            listening = null;
        }
    }
}
