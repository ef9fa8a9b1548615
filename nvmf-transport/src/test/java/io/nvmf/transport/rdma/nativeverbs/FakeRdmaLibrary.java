package io.nvmf.transport.rdma.nativeverbs;

import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Structures like the libraries' and one device, whose events a test makes. Its event channel is a pipe, with a byte for
 * each event that waits.
 */
final class FakeRdmaLibrary implements AutoCloseable {
    private static final int FUNCTION = 1;

    final RdmaLibrary library = (RdmaLibrary)
            Proxy.newProxyInstance(RdmaLibrary.class.getClassLoader(), new Class<?>[] {RdmaLibrary.class}, this::call);
    /** Of rdma_create_id, in order. */
    final List<Long> ids = new ArrayList<>();

    final AtomicInteger queuePairs = new AtomicInteger();
    /** What asking for an event fails with once the byte for it is there; 0 for not at all. */
    volatile int eventErrno;

    private final List<ByteBuffer> memory = new ArrayList<>();
    private final Queue<Long> events = new ConcurrentLinkedQueue<>();
    private final FileDescriptor[] pipe;
    private final long channel;
    private final long context;

    FakeRdmaLibrary(int transportType) throws IOException {
        pipe = FileDescriptor.pipe();
        ByteBuffer fields = allocate(Layout.EVENT_CHANNEL_BYTES);
        fields.putInt(Layout.EVENT_CHANNEL_FD, pipe[0].intValue());
        channel = NativeMemory.addressOf(fields);
        ByteBuffer device = allocate(Layout.DEVICE_BYTES);
        device.putInt(Layout.DEVICE_TRANSPORT, transportType);
        ByteBuffer contextFields = allocate(Layout.CONTEXT_BYTES);
        contextFields
                .putLong(Layout.CONTEXT_DEVICE, NativeMemory.addressOf(device))
                .putLong(Layout.CONTEXT_POLL_CQ, FUNCTION)
                .putLong(Layout.CONTEXT_REQ_NOTIFY_CQ, FUNCTION)
                .putLong(Layout.CONTEXT_POST_SEND, FUNCTION)
                .putLong(Layout.CONTEXT_POST_RECV, FUNCTION)
                .putInt(Layout.CONTEXT_NUM_COMP_VECTORS, 1);
        context = NativeMemory.addressOf(contextFields);
    }

    private synchronized ByteBuffer allocate(int lengthBytes) {
        ByteBuffer allocated = ByteBuffer.allocateDirect(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
        memory.add(allocated);
        return allocated;
    }

    long context() {
        return context;
    }

    /** @param listenId 0 but for a connect request, which makes the id */
    void event(int type, long id, long listenId) throws IOException {
        ByteBuffer event = allocate(Layout.EVENT_BYTES);
        event.putInt(Layout.EVENT_TYPE, type).putLong(Layout.EVENT_ID, id).putLong(Layout.EVENT_LISTEN_ID, listenId);
        events.add(NativeMemory.addressOf(event));
        wake();
    }

    void breakEventChannel(int errno) throws IOException {
        eventErrno = errno;
        wake();
    }

    private void wake() throws IOException {
        pipe[1].write(ByteBuffer.allocateDirect(1), 0, 1);
    }

    /** struct rdma_cm_id that goes through the device. */
    long newId() {
        ByteBuffer id = allocate(Layout.ID_BYTES);
        id.putLong(Layout.ID_CHANNEL, channel)
                .putInt(Layout.ID_PS, Layout.RDMA_PS_TCP)
                .putLong(Layout.ID_VERBS, context);
        return NativeMemory.addressOf(id);
    }

    private Object call(Object proxy, Method method, Object[] arguments) throws IOException {
        switch (method.getName()) {
            case "rdma_create_event_channel":
                return channel;
            case "rdma_get_cm_event":
                return nextEvent((long) arguments[1]);
            case "rdma_create_id":
                long id = newId();
                ids.add(id);
                pointer((long) arguments[1], id);
                return 0;
            case "rdma_bind_addr":
                bind((long) arguments[0], (long) arguments[1]);
                return 0;
            case "rdma_create_qp":
                createQueuePair((long) arguments[0], (long) arguments[1], (long) arguments[2]);
                return 0;
            case "rdma_destroy_qp":
                queuePairs.decrementAndGet();
                return null;
            case "ibv_get_device_name":
                return "fake0";
            case "ibv_query_device":
                attributes(NativeMemory.at((long) arguments[1], Layout.ATTR_BYTES));
                return 0;
            case "ibv_alloc_pd":
                return NativeMemory.addressOf(allocate(Layout.PD_BYTES).putLong(Layout.PD_CONTEXT, context));
            case "ibv_create_cq":
                return NativeMemory.addressOf(allocate(Layout.CQ_BYTES)
                        .putLong(Layout.CQ_CONTEXT, context)
                        .putLong(Layout.CQ_CHANNEL, (long) arguments[3])
                        .putInt(Layout.CQ_CQE, (int) arguments[1]));
            case "ibv_create_comp_channel":
                return NativeMemory.addressOf(allocate(Layout.COMP_CHANNEL_BYTES)
                        .putLong(Layout.COMP_CHANNEL_CONTEXT, context)
                        .putInt(Layout.COMP_CHANNEL_FD, pipe[1].intValue()));
            default:
                return method.getReturnType() == long.class
                        ? (Object) 0L
                        : method.getReturnType() == int.class ? 0 : null;
        }
    }

    private int nextEvent(long out) throws IOException {
        if (eventErrno != 0) {
            return fail(eventErrno);
        }
        Long event = events.poll();
        if (event == null) {
            return fail(Errors.EAGAIN);
        }
        pipe[0].read(ByteBuffer.allocateDirect(1), 0, 1);
        pointer(out, event);
        return 0;
    }

    private static int fail(int errno) {
        jnr.ffi.Runtime.getSystemRuntime().setLastError(errno);
        return -1;
    }

    private static void pointer(long at, long value) {
        NativeMemory.at(at, Long.BYTES).putLong(0, value);
    }

    /** A wildcard address is of no device. */
    private void bind(long id, long address) {
        ByteBuffer from = NativeMemory.at(address, SocketAddresses.BYTES);
        ByteBuffer fields = NativeMemory.at(id, Layout.ID_BYTES);
        fields.put(Layout.ID_SRC_ADDR, from, 0, SocketAddresses.BYTES);
        boolean isWildcard = SocketAddresses.read(from, 0).getAddress().isAnyLocalAddress();
        fields.putLong(Layout.ID_VERBS, isWildcard ? 0 : context);
    }

    private void createQueuePair(long id, long pd, long attributes) {
        ByteBuffer wanted = NativeMemory.at(attributes, Layout.INIT_BYTES);
        ByteBuffer qp = allocate(Layout.QP_BYTES);
        qp.putLong(Layout.QP_CONTEXT, context)
                .putLong(Layout.QP_PD, pd)
                .putLong(Layout.QP_SEND_CQ, wanted.getLong(Layout.INIT_SEND_CQ))
                .putLong(Layout.QP_RECV_CQ, wanted.getLong(Layout.INIT_RECV_CQ))
                .putInt(Layout.QP_TYPE, Layout.IBV_QPT_RC);
        NativeMemory.at(id, Layout.ID_BYTES).putLong(Layout.ID_QP, NativeMemory.addressOf(qp));
        queuePairs.incrementAndGet();
    }

    private static void attributes(ByteBuffer attributes) {
        attributes
                .putInt(Layout.ATTR_MAX_QP_WR, 1 << 24)
                .putInt(Layout.ATTR_MAX_SGE, 2)
                .putInt(Layout.ATTR_MAX_CQE, 1 << 24);
    }

    @Override
    public void close() throws IOException {
        pipe[0].close();
        pipe[1].close();
    }
}
