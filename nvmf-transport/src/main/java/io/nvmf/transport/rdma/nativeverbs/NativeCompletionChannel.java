package io.nvmf.transport.rdma.nativeverbs;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.FileWatch;
import io.nvmf.transport.rdma.CompletionChannel;
import io.nvmf.transport.rdma.CompletionQueue;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ibv_comp_channel, watched by its event loop. Its queues are found by their place in a table, which the library keeps as
 * their context. Owned by the loop, but for creating and closing queues.
 */
final class NativeCompletionChannel implements CompletionChannel {
    private static final Logger LOG = LoggerFactory.getLogger(NativeCompletionChannel.class);
    private static final AtomicInteger NEXT_VECTOR = new AtomicInteger();

    /** So many events at a time, then others on the loop have their turn. */
    private static final int EVENTS_A_TURN = 16;

    /** What one poll finds at most. */
    static final int MAX_COMPLETIONS = 64;

    private static final int CQ_OUT = 0;
    private static final int CQ_CONTEXT_OUT = 8;

    private final NativeDevice device;
    private final RdmaLibrary library;
    private final long channel;
    private final int vector;
    private final FileWatch watch;
    private final ByteBuffer out;
    private final long outAddress;

    /** For polling any of its queues: the loop polls one at a time. */
    private final ByteBuffer completions;

    private final long completionsAddress;

    /** Replaced as a whole when it changes. */
    private volatile NativeCompletionQueue[] queues = {};

    private int openQueues;
    private volatile boolean closed;

    /** Takes over one use of the device, if it succeeds. */
    NativeCompletionChannel(NativeDevice device, IoEventLoop loop) throws RdmaException {
        this.device = device;
        library = device.library();
        out = NativeMemory.allocate(16);
        outAddress = NativeMemory.addressOf(out);
        completions = NativeMemory.allocate(MAX_COMPLETIONS * Layout.WC_BYTES);
        completionsAddress = NativeMemory.addressOf(completions);
        channel = library.ibv_create_comp_channel(device.context());
        if (channel == 0) {
            throw Errors.last("opening a completion channel of " + device);
        }
        vector = Math.floorMod(NEXT_VECTOR.getAndIncrement(), device.completionVectors());
        ByteBuffer fields = NativeMemory.at(channel, Layout.COMP_CHANNEL_BYTES);
        int fd = fields.getInt(Layout.COMP_CHANNEL_FD);
        try {
            Layout.require(fields.getLong(Layout.COMP_CHANNEL_CONTEXT) == device.context(), "ibv_comp_channel");
            FileDescriptors.setNonBlocking(library, fd);
            watch = FileWatch.open(loop, fd, this::onReadable, this::close);
        } catch (RdmaException | RuntimeException e) {
            library.ibv_destroy_comp_channel(channel);
            throw e;
        }
        OpenObjects.COMPLETION_CHANNEL.opened();
    }

    private void onReadable() {
        for (int i = 0; i < EVENTS_A_TURN && !closed; i++) {
            if (library.ibv_get_cq_event(channel, outAddress + CQ_OUT, outAddress + CQ_CONTEXT_OUT) != 0) {
                int errno = RdmaLibrary.errno();
                if (errno != Errors.EAGAIN && errno != Errors.EINTR) {
                    // A device that was unplugged has an error to tell for ever; each id is told by an event of its
                    // own.
                    LOG.warn("{} tells of no more completions: {}", device, Errors.text(errno));
                    stopWatching();
                }
                return;
            }
            // Closing a queue waits until its events are acknowledged.
            library.ibv_ack_cq_events(out.getLong(CQ_OUT), 1);
            NativeCompletionQueue[] now = queues;
            int place = out.getInt(CQ_CONTEXT_OUT);
            NativeCompletionQueue queue = place >= 0 && place < now.length ? now[place] : null;
            if (queue != null) {
                queue.onEvent();
            }
        }
    }

    private void stopWatching() {
        // Null when the loop is so quick that the constructor has not returned.
        if (watch != null) {
            watch.close();
        }
    }

    @Override
    public synchronized CompletionQueue createCompletionQueue(int entries, Runnable onEvent) throws RdmaException {
        if (closed) {
            throw new RdmaException("the completion channel is closed");
        }
        NativeCompletionQueue[] now = queues;
        int place = 0;
        while (place < now.length && now[place] != null) {
            place++;
        }
        NativeCompletionQueue queue = new NativeCompletionQueue(this, place, entries, onEvent);
        NativeCompletionQueue[] next = Arrays.copyOf(now, Math.max(now.length, place + 1));
        next[place] = queue;
        queues = next;
        openQueues++;
        return queue;
    }

    /** Its queue there is about to be destroyed: no event goes to it any more. */
    synchronized void remove(int place) {
        NativeCompletionQueue[] next = queues.clone();
        next[place] = null;
        queues = next;
    }

    synchronized void onQueueDestroyed() {
        openQueues--;
        destroyIfUnused();
    }

    NativeDevice device() {
        return device;
    }

    /** struct ibv_comp_channel. */
    long channel() {
        return channel;
    }

    int vector() {
        return vector;
    }

    /** Room for {@link #MAX_COMPLETIONS}. */
    ByteBuffer completions() {
        return completions;
    }

    long completionsAddress() {
        return completionsAddress;
    }

    /** It is gone when its last queue is; this happens in the other order when the loop ends. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            stopWatching();
            destroyIfUnused();
        }
    }

    private void destroyIfUnused() {
        if (!closed || openQueues > 0) {
            return;
        }
        int failure = library.ibv_destroy_comp_channel(channel);
        if (failure != 0) {
            LOG.warn("ibv_destroy_comp_channel of {}: {}", device, Errors.text(failure));
            return;
        }
        OpenObjects.COMPLETION_CHANNEL.closed();
        device.release();
    }
}
