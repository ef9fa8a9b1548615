package io.nvmf.transport.rdma.disni;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.ConnectionParameters;
import io.nvmf.transport.rdma.RdmaException;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An event channel with its ids, which the loop asks for events every few milliseconds while there are ids. A thread that
 * waits for them would not do: DiSNI keeps the ids of a channel in a map without a lock, where it looks up whose an event
 * is, after it has been acknowledged.
 */
final class DisniConnectionManager implements ConnectionManager {
    private static final Logger LOG = LoggerFactory.getLogger(DisniConnectionManager.class);

    static final String NO_TARGET =
            "DiSNI cannot serve hosts, whose requests it does not show: leave out -Dnvmf.rdma=disni";

    private static final int POLL_MS = 5;

    /** So many events at a time, then others on the loop have their turn. */
    private static final int EVENTS_A_TURN = 32;

    /** The most that a request carries. */
    private static final int PRIVATE_DATA_BYTES = 56;

    private final IoEventLoop loop;
    private final RdmaEventChannel channel;
    private final Map<RdmaCmId, DisniCmId> ids = new HashMap<>();
    private final ByteBuffer privateData = ByteBuffer.allocateDirect(PRIVATE_DATA_BYTES);
    private boolean isPolling;

    DisniConnectionManager(IoEventLoop loop) throws RdmaException {
        this.loop = loop;
        channel = Disni.call("opening the RDMA connection manager", RdmaEventChannel::createEventChannel);
    }

    @Override
    public Listening listen(InetSocketAddress address, int backlog, RequestListener listener) throws RdmaException {
        throw new RdmaException(NO_TARGET);
    }

    @Override
    public CmId resolve(InetSocketAddress remote, int timeoutMs, CmListener listener) throws RdmaException {
        if (remote.isUnresolved()) {
            throw new RdmaException("the host name is not known");
        }
        if (remote.getAddress() instanceof Inet6Address) {
            throw new RdmaException("DiSNI knows no IPv6: use an IPv4 address, or leave out -Dnvmf.rdma=disni");
        }
        RdmaCmId id = Disni.call("making an RDMA connection", () -> channel.createId(RdmaCm.RDMA_PS_TCP));
        DisniCmId connecting = new DisniCmId(this, id, remote, timeoutMs);
        connecting.listener(listener);
        ids.put(id, connecting);
        try {
            id.resolveAddr(null, remote, timeoutMs);
        } catch (IOException e) {
            connecting.close();
            throw new RdmaException(Disni.text(e), e);
        }
        pollLater();
        return connecting;
    }

    /** struct rdma_conn_param, whose private data is valid until the next. */
    RdmaConnParam connectionParameters(ByteBuffer data) throws IOException {
        int length = data.remaining();
        if (length > PRIVATE_DATA_BYTES) {
            throw new IllegalArgumentException("private data of " + length + " bytes");
        }
        privateData.put(0, data, data.position(), length);
        RdmaConnParam parameters = new RdmaConnParam();
        parameters.setPrivate_data(DisniMemoryRegion.addressOf(privateData));
        parameters.setPrivate_data_len((byte) length);
        parameters.setRetry_count((byte) ConnectionParameters.RETRY_COUNT);
        parameters.setRnr_retry_count((byte) ConnectionParameters.RNR_RETRY_COUNT);
        return parameters;
    }

    /** Destroys an id; its queue pair is destroyed already. */
    void destroy(RdmaCmId id) {
        ids.remove(id);
        Disni.tryTo("destroying an RDMA connection", id::destroyId);
    }

    private void pollLater() {
        if (!isPolling && !ids.isEmpty() && !loop.isShuttingDown()) {
            isPolling = true;
            loop.schedule(this::poll, POLL_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void poll() {
        isPolling = false;
        try {
            for (int i = 0; i < EVENTS_A_TURN && !ids.isEmpty(); i++) {
                RdmaCmEvent event = channel.getCmEvent(0);
                if (event == null) {
                    break;
                }
                event.ackEvent();
                dispatch(event);
            }
        } catch (IOException e) {
            LOG.error("DiSNI tells nothing more of RDMA connections: {}", Disni.text(e));
            return;
        }
        pollLater();
    }

    private void dispatch(RdmaCmEvent event) {
        DisniCmId id = ids.get(event.getConnIdPriv());
        if (id == null) {
            return;
        }
        try {
            id.onEvent(event.getEvent());
        } catch (RuntimeException e) {
            LOG.error("event {} of an RDMA connection", event.getEvent(), e);
        }
    }

    @Override
    public void close() {
        if (channel.isOpen()) {
            List.copyOf(ids.values()).forEach(DisniCmId::close);
            Disni.tryTo("closing the RDMA connection manager", channel::destroyEventChannel);
        }
    }
}
