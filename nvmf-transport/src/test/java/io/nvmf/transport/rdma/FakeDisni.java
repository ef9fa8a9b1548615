package io.nvmf.transport.rdma;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaVerbs;
import com.kenai.jffi.MemoryIO;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands in for the part of DiSNI that calls libdisni, and for a peer that does what the test says. It is not libdisni: it
 * knows what the adapter asks of it, not whether libdisni would do that. Like verbs it refuses to destroy what is in use.
 */
final class FakeDisni extends com.ibm.disni.verbs.RdmaProvider {
    static final int BUSY = 16;

    /** What every step of connecting ends with. */
    volatile EventType addressAnswer = EventType.RDMA_CM_EVENT_ADDR_RESOLVED;

    volatile EventType routeAnswer = EventType.RDMA_CM_EVENT_ROUTE_RESOLVED;
    volatile EventType connectAnswer = EventType.RDMA_CM_EVENT_ESTABLISHED;
    /** The file descriptor of the device that addresses are resolved to. */
    volatile int deviceFile = 7;
    /** What to fail with; null to succeed. */
    volatile String failure;

    /** What a connection was asked for with. */
    record Connect(byte[] privateData, int retryCount, int rnrRetryCount) {}

    final List<Connect> connects = new CopyOnWriteArrayList<>();
    final List<Id> ids = new CopyOnWriteArrayList<>();
    volatile int disconnects;

    /** Made and not destroyed. */
    private final Set<Object> open = new LinkedHashSet<>();

    private final Cm cm = new Cm();
    private final RdmaVerbs verbs = new FakeDisniVerbs(this);

    /** Puts a new one in the place of libdisni. */
    static FakeDisni install() throws Exception {
        FakeDisni fake = new FakeDisni();
        replace(fake);
        return fake;
    }

    static void remove() throws Exception {
        replace(null);
    }

    private static void replace(FakeDisni fake) throws Exception {
        Field provider = com.ibm.disni.verbs.RdmaProvider.class.getDeclaredField("provider");
        provider.setAccessible(true);
        provider.set(null, fake);
    }

    @Override
    public RdmaCm openCm() {
        return cm;
    }

    @Override
    public RdmaVerbs openVerbs() {
        return verbs;
    }

    @Override
    public int getVersion() {
        return 32;
    }

    /** The kinds of what is made and not destroyed, in order. */
    synchronized List<String> open() {
        return open.stream().map(object -> object.getClass().getSimpleName()).toList();
    }

    synchronized <T> T opened(T object) {
        open.add(object);
        return object;
    }

    synchronized int closed(Object object) {
        open.remove(object);
        return 0;
    }

    void failIfAsked() throws IOException {
        if (failure != null) {
            throw new IOException(failure);
        }
    }

    static final class Context extends IbvContext {
        Context(int fd) throws IOException {
            super(fd, 1);
        }
    }

    static final class Channel extends RdmaEventChannel {
        final Queue<RdmaCmEvent> events = new ArrayDeque<>();

        Channel() throws IOException {
            super(0);
        }
    }

    static final class Id extends RdmaCmId {
        InetSocketAddress destination;

        Id(RdmaEventChannel channel) throws IOException {
            super(channel, null);
        }

        void resolved(IbvContext context) {
            setVerbs(context);
        }

        void use(IbvQP qp) {
            setQp(qp);
        }

        void tell(EventType type) {
            tell(type.ordinal());
        }

        void tell(int event) {
            try {
                Channel channel = (Channel) getCmChannel();
                synchronized (channel) {
                    channel.events.add(new RdmaCmEvent(event, null, this));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final class Pd extends IbvPd {
        int users;

        Pd(IbvContext context) throws IOException {
            super(context);
        }
    }

    static final class CompChannel extends IbvCompChannel {
        /** The one queue it may have: libdisni does not say whose an event is. */
        Cq cq;

        CompChannel(IbvContext context) throws IOException {
            super(0, context);
        }
    }

    static final class Cq extends IbvCQ {
        final Queue<IbvWC> done = new ArrayDeque<>();
        int users;
        boolean armed;
        int events;
        int unacknowledged;

        Cq(IbvContext context, IbvCompChannel channel) throws IOException {
            super(context, channel, 0);
        }

        synchronized void complete(long workId, int status, int lengthBytes, int flags, int key) {
            IbvWC completion = new IbvWC();
            completion.setWr_id(workId);
            completion.setStatus(status);
            completion.setByte_len(lengthBytes);
            completion.setWc_flags(flags);
            completion.setImm_data(key);
            done.add(completion);
            if (armed) {
                armed = false;
                events++;
                notifyAll();
            }
        }
    }

    /** A piece of memory as work names it. */
    record Piece(long address, int length, int key) {}

    /** Work that was posted. */
    record Work(int opcode, int flags, long workId, List<Piece> pieces, long remoteAddress, int remoteKey) {}

    static final class Qp extends IbvQP {
        final Pd pd;
        final Cq cq;
        final int sends;
        final int receives;
        final List<Work> sent = new CopyOnWriteArrayList<>();
        final Queue<Work> posted = new ArrayDeque<>();
        volatile int preparedSends;
        volatile int preparedReceives;

        Qp(Pd pd, IbvQPInitAttr attributes) throws IOException {
            super(1);
            this.pd = pd;
            cq = (Cq) attributes.getRecv_cq();
            sends = attributes.cap().getMax_send_wr();
            receives = attributes.cap().getMax_recv_wr();
        }

        /** A message of the peer. */
        synchronized void deliver(byte[] message, int flags, int key) {
            Work receive = posted.remove();
            MemoryIO.getInstance().putByteArray(receive.pieces().get(0).address(), message, 0, message.length);
            cq.complete(receive.workId(), Completions.SUCCESS, message.length, flags, key);
        }

        synchronized void flush() {
            posted.forEach(receive -> cq.complete(receive.workId(), Completions.FLUSHED, 0x5555, 0xff, 0x5555));
            posted.clear();
        }
    }

    private final class Cm extends RdmaCm {
        @Override
        public RdmaEventChannel createEventChannel() throws IOException {
            failIfAsked();
            return opened(new Channel());
        }

        @Override
        public RdmaCmId createId(RdmaEventChannel channel, short portSpace) throws IOException {
            Id id = opened(new Id(channel));
            ids.add(id);
            return id;
        }

        @Override
        public void resolveAddr(RdmaCmId id, SocketAddress source, SocketAddress destination, int timeout)
                throws IOException {
            failIfAsked();
            ((Id) id).destination = (InetSocketAddress) destination;
            ((Id) id).resolved(new Context(deviceFile));
            ((Id) id).tell(addressAnswer);
        }

        @Override
        public void resolveRoute(RdmaCmId id, int timeout) {
            ((Id) id).tell(routeAnswer);
        }

        @Override
        public RdmaCmEvent getCmEvent(RdmaEventChannel channel, int timeout) {
            if (timeout != 0) {
                throw new IllegalArgumentException("blocks an event loop");
            }
            synchronized (channel) {
                return ((Channel) channel).events.poll();
            }
        }

        @Override
        public IbvQP createQP(RdmaCmId id, IbvPd pd, IbvQPInitAttr attributes) throws IOException {
            failIfAsked();
            Qp qp = opened(new Qp((Pd) pd, attributes));
            qp.pd.users++;
            qp.cq.users++;
            ((Id) id).use(qp);
            return qp;
        }

        @Override
        public void connect(RdmaCmId id, RdmaConnParam parameters) throws IOException {
            failIfAsked();
            byte[] data = new byte[parameters.getPrivate_data_len()];
            MemoryIO.getInstance().getByteArray(parameters.getPrivate_data(), data, 0, data.length);
            connects.add(new Connect(data, parameters.getRetry_count(), parameters.getRnr_retry_count()));
            ((Id) id).tell(connectAnswer);
        }

        @Override
        public int disconnect(RdmaCmId id) {
            disconnects++;
            if (id.getQp() instanceof Qp qp && qp.isOpen()) {
                qp.flush();
            }
            return 0;
        }

        @Override
        public int destroyQP(RdmaCmId id) {
            Qp qp = (Qp) id.getQp();
            qp.close();
            qp.pd.users--;
            qp.cq.users--;
            return closed(qp);
        }

        @Override
        public int destroyCmId(RdmaCmId id) {
            if (id.getQp() != null && id.getQp().isOpen()) {
                return BUSY;
            }
            id.close();
            return closed(id);
        }

        @Override
        public int destroyEventChannel(RdmaEventChannel channel) {
            channel.close();
            return FakeDisni.this.open().contains("Id") ? BUSY : closed(channel);
        }

        @Override
        public int ackCmEvent(RdmaCmEvent event) {
            return 0;
        }

        @Override
        public SocketAddress getSrcAddr(RdmaCmId id) {
            return new InetSocketAddress("192.0.2.9", 40000);
        }

        @Override
        public SocketAddress getDstAddr(RdmaCmId id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void bindAddr(RdmaCmId id, SocketAddress address) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void listen(RdmaCmId id, int backlog) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void accept(RdmaCmId id, RdmaConnParam parameters) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int destroyEp(RdmaCmId id) {
            throw new UnsupportedOperationException();
        }
    }

    List<Qp> queuePairs() {
        List<Qp> all = new ArrayList<>();
        ids.forEach(id -> all.add((Qp) id.getQp()));
        return all;
    }
}
