package io.nvmf.transport.rdma.nativeverbs;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.FileWatch;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An event channel of librdmacm with its ids, watched by the loop that owns it. */
final class NativeConnectionManager implements ConnectionManager {
    private static final Logger LOG = LoggerFactory.getLogger(NativeConnectionManager.class);

    /** So many events at a time, then others on the loop have their turn. */
    private static final int EVENTS_A_TURN = 32;

    private final RdmaLibrary library;
    private final IoEventLoop loop;
    private final long channel;
    private final Scratch scratch;

    /** By the address of rdma_cm_id. */
    private final Map<Long, NativeCmId> ids = new HashMap<>();

    private final Map<Long, NativeListening> listenings = new HashMap<>();
    private final FileWatch watch;
    /** Why no event comes any more; null while they do. */
    private String broken;

    private boolean closed;

    NativeConnectionManager(RdmaLibrary library, IoEventLoop loop) throws RdmaException {
        this.library = library;
        this.loop = loop;
        scratch = new Scratch();
        channel = library.rdma_create_event_channel();
        if (channel == 0) {
            throw Errors.last("opening the RDMA connection manager");
        }
        int fd = NativeMemory.at(channel, Layout.EVENT_CHANNEL_BYTES).getInt(Layout.EVENT_CHANNEL_FD);
        try {
            FileDescriptors.setNonBlocking(library, fd);
            watch = FileWatch.open(loop, fd, this::onReadable, this::close);
        } catch (RdmaException | RuntimeException e) {
            library.rdma_destroy_event_channel(channel);
            throw e;
        }
        OpenObjects.EVENT_CHANNEL.opened();
    }

    RdmaLibrary library() {
        return library;
    }

    Scratch scratch() {
        return scratch;
    }

    @Override
    public Listening listen(InetSocketAddress address, int backlog, RequestListener listener) throws RdmaException {
        requireUsable(address);
        long id = createId();
        try {
            // Connections of an earlier process that linger do not matter.
            setOption(id, Layout.RDMA_OPTION_ID_REUSEADDR);
            if (address.getAddress() instanceof Inet6Address) {
                // Else :: would take IPv4, and its port could not be listened to.
                setOption(id, Layout.RDMA_OPTION_ID_AFONLY);
            }
            if (library.rdma_bind_addr(id, scratch.putAddress(address)) != 0 || library.rdma_listen(id, backlog) != 0) {
                throw Errors.lastOfAddress();
            }
            ByteBuffer fields = NativeMemory.at(id, Layout.ID_BYTES);
            InetSocketAddress bound = SocketAddresses.read(fields, Layout.ID_SRC_ADDR);
            Layout.require(bound != null, "rdma_cm_id");
            long context = fields.getLong(Layout.ID_VERBS);
            NativeDevice device = context == 0 ? null : NativeDevice.of(library, context);
            NativeListening listening = new NativeListening(
                    this, id, new InetSocketAddress(address.getAddress(), bound.getPort()), device, listener);
            listenings.put(id, listening);
            return listening;
        } catch (RdmaException e) {
            destroy(id);
            throw e;
        }
    }

    private void setOption(long id, int option) throws RdmaException {
        if (library.rdma_set_option(id, Layout.RDMA_OPTION_ID, option, scratch.putNumber(1), Integer.BYTES) != 0) {
            throw Errors.last("setting option " + option + " of the RDMA connection manager");
        }
    }

    @Override
    public CmId resolve(InetSocketAddress remote, int timeoutMs, CmListener listener) throws RdmaException {
        requireUsable(remote);
        long id = createId();
        if (library.rdma_resolve_addr(id, 0, scratch.putAddress(remote), timeoutMs) != 0) {
            RdmaException failure = Errors.lastOfAddress();
            destroy(id);
            throw failure;
        }
        NativeCmId connecting = new NativeCmId(this, id, timeoutMs);
        connecting.listener(listener);
        ids.put(id, connecting);
        return connecting;
    }

    void requireLoop() {
        if (!loop.inEventLoop()) {
            throw new IllegalStateException(
                    "called by " + Thread.currentThread().getName() + ", which is not the event loop of " + this);
        }
    }

    private void requireUsable(InetSocketAddress address) throws RdmaException {
        requireLoop();
        if (closed) {
            throw new RdmaException("the RDMA connection manager is closed");
        }
        if (broken != null) {
            throw new RdmaException(broken);
        }
        if (address.isUnresolved()) {
            throw new RdmaException("the host name is not known");
        }
    }

    private long createId() throws RdmaException {
        if (library.rdma_create_id(channel, scratch.outAddress(), 0, Layout.RDMA_PS_TCP) != 0) {
            throw Errors.last("making an RDMA connection");
        }
        long id = scratch.out();
        OpenObjects.ID.opened();
        ByteBuffer fields = NativeMemory.at(id, Layout.ID_BYTES);
        if (fields.getLong(Layout.ID_CHANNEL) != channel || fields.getInt(Layout.ID_PS) != Layout.RDMA_PS_TCP) {
            destroy(id);
            Layout.require(false, "rdma_cm_id");
        }
        return id;
    }

    /** Destroys an id; its queue pair is destroyed already. */
    void destroy(long id) {
        ids.remove(id);
        listenings.remove(id);
        if (library.rdma_destroy_id(id) != 0) {
            LOG.warn("rdma_destroy_id: {}", Errors.text(RdmaLibrary.errno()));
            return;
        }
        OpenObjects.ID.closed();
    }

    private void onReadable() {
        for (int i = 0; i < EVENTS_A_TURN && !closed; i++) {
            if (library.rdma_get_cm_event(channel, scratch.outAddress()) != 0) {
                int errno = RdmaLibrary.errno();
                if (errno != Errors.EAGAIN && errno != Errors.EINTR) {
                    breakDown(errno);
                }
                return;
            }
            CmEvent event = CmEvent.copyOf(scratch.out());
            if (library.rdma_ack_cm_event(scratch.out()) != 0) {
                LOG.warn("rdma_ack_cm_event: {}", Errors.text(RdmaLibrary.errno()));
            }
            try {
                dispatch(event);
            } catch (Throwable e) {
                // Even a want of memory ends only the connection that it is about: the loop has others.
                LOG.error("event {} of an RDMA connection", event.type(), e);
                fail(ids.get(event.id()), "an error in this program: " + e);
            }
        }
    }

    /** Everybody is told, for nothing would come to them any more. */
    private void breakDown(int errno) {
        broken = "the RDMA connection manager is broken: " + Errors.text(errno);
        LOG.error("{}", broken);
        stopWatching();
        List.copyOf(listenings.values()).forEach(listening -> end(listening, broken));
        List.copyOf(ids.values()).forEach(id -> fail(id, broken));
    }

    private static void end(NativeListening listening, String why) {
        try {
            listening.end(why);
        } catch (Throwable e) {
            LOG.error("the end of listening at {}", listening.address(), e);
        }
    }

    /** @param id null if it is closed */
    private static void fail(NativeCmId id, String why) {
        if (id == null) {
            return;
        }
        try {
            id.fail(why);
        } catch (Throwable e) {
            LOG.error("the failure of an RDMA connection", e);
        }
    }

    private void stopWatching() {
        // Null when the loop is so quick that the constructor has not returned.
        if (watch != null) {
            watch.close();
        }
    }

    private void dispatch(CmEvent event) {
        if (event.type() == CmEvent.CONNECT_REQUEST) {
            onConnectRequest(event);
            return;
        }
        NativeCmId id = ids.get(event.id());
        if (id != null) {
            id.onEvent(event);
            return;
        }
        NativeListening listening = listenings.get(event.id());
        if (listening != null && NativeCmId.Event.of(event.type()) == NativeCmId.Event.DEVICE_REMOVAL) {
            listening.onDeviceRemoved();
        }
    }

    private void onConnectRequest(CmEvent event) {
        OpenObjects.ID.opened();
        NativeListening listening = listenings.get(event.listenId());
        NativeCmId id = new NativeCmId(this, event.id(), 0);
        ids.put(event.id(), id);
        try {
            id.useDevice();
            if (listening == null) {
                throw new RdmaException("nobody listens any more");
            }
            listening
                    .listener()
                    .onConnectRequest(id, event.privateData(), event.responderResources(), event.initiatorDepth());
        } catch (RdmaException e) {
            LOG.warn("an RDMA connection from {} was not accepted: {}", id.remoteAddress(), e.getMessage());
            id.close();
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        stopWatching();
        List.copyOf(ids.values()).forEach(NativeCmId::close);
        List.copyOf(listenings.values()).forEach(NativeListening::close);
        library.rdma_destroy_event_channel(channel);
        OpenObjects.EVENT_CHANNEL.closed();
    }

    @Override
    public String toString() {
        return "RDMA connection manager of " + loop;
    }
}
