package io.nvmf.transport.rdma.nativeverbs;

import io.nvmf.transport.rdma.CompletionQueue;
import io.nvmf.transport.rdma.Completions;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** ibv_cq. */
final class NativeCompletionQueue implements CompletionQueue {
    private static final Logger LOG = LoggerFactory.getLogger(NativeCompletionQueue.class);

    private final NativeCompletionChannel channel;
    private final NativeDevice device;
    private final DeviceFunctions functions;
    private final int place;
    private final Runnable onEvent;
    private final int invalidatedFlag;
    private final long cq;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param place in the channel's table */
    NativeCompletionQueue(NativeCompletionChannel channel, int place, int entries, Runnable onEvent)
            throws RdmaException {
        this.channel = channel;
        this.place = place;
        this.onEvent = onEvent;
        device = channel.device();
        functions = device.functions();
        invalidatedFlag = device.invalidatedFlag();
        device.use();
        cq = device.library().ibv_create_cq(device.context(), entries, place, channel.channel(), channel.vector());
        if (cq == 0) {
            RdmaException failure = Errors.last("making a completion queue of " + entries + " entries with " + device);
            device.release();
            throw failure;
        }
        OpenObjects.COMPLETION_QUEUE.opened();
        ByteBuffer fields = NativeMemory.at(cq, Layout.CQ_BYTES);
        if (fields.getLong(Layout.CQ_CONTEXT) != device.context()
                || fields.getLong(Layout.CQ_CHANNEL) != channel.channel()
                || fields.getInt(Layout.CQ_CQE) < entries) {
            destroy();
            Layout.require(false, "ibv_cq");
        }
    }

    void onEvent() {
        onEvent.run();
    }

    /** struct ibv_cq. */
    long cq() {
        return cq;
    }

    @Override
    public int poll(Completions into) {
        if (closed.get()) {
            return -1;
        }
        int room = Math.min(into.capacity(), NativeCompletionChannel.MAX_COMPLETIONS);
        ByteBuffer completions = channel.completions();
        int count = functions.pollCq(cq, room, channel.completionsAddress());
        for (int i = 0, at = 0; i < count; i++, at += Layout.WC_BYTES) {
            into.set(
                    i,
                    completions.getLong(at + Layout.WC_WR_ID),
                    completions.getInt(at + Layout.WC_STATUS),
                    completions.getInt(at + Layout.WC_BYTE_LEN),
                    (completions.getInt(at + Layout.WC_FLAGS) & invalidatedFlag) != 0,
                    completions.getInt(at + Layout.WC_INVALIDATED_RKEY));
        }
        return count;
    }

    @Override
    public boolean arm() {
        return !closed.get() && functions.reqNotifyCq(cq) == 0;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            channel.remove(place);
            if (destroy()) {
                channel.onQueueDestroyed();
            }
        }
    }

    private boolean destroy() {
        int failure = device.library().ibv_destroy_cq(cq);
        if (failure != 0) {
            LOG.warn("ibv_destroy_cq of {}: {}", device, Errors.text(failure));
            return false;
        }
        OpenObjects.COMPLETION_QUEUE.closed();
        device.release();
        return true;
    }
}
