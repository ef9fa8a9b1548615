package io.nvmf.transport.rdma.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCReqNotify;
import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.CompletionQueue;
import io.nvmf.transport.rdma.Completions;
import io.nvmf.transport.rdma.RdmaException;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A completion queue with a completion channel and a thread to itself. The thread waits for events, which it acknowledges
 * and hands to the loop; whoever is last of it and {@link #close} destroys queue and channel, so that nobody waits for the
 * thread.
 */
final class DisniCompletionQueue implements CompletionQueue {
    private static final Logger LOG = LoggerFactory.getLogger(DisniCompletionQueue.class);

    /** How long what is closed stays at most. */
    private static final int WAIT_MS = 200;

    /** IBV_WC_WITH_INV, which DiSNI does not name. */
    private static final int WITH_INVALIDATE = 1 << 3;

    private final IbvCompChannel channel;
    private final IbvCQ cq;
    private final IoEventLoop loop;
    private final Runnable onEvent;
    private final AtomicInteger users = new AtomicInteger(2);
    private volatile boolean closed;

    // Prepared when first called, for the capacity that is then asked for, which is always the same.
    private IbvWC[] batch = {};
    private SVCPollCq poll;
    private SVCReqNotify notification;

    private DisniCompletionQueue(IbvCompChannel channel, IbvCQ cq, IoEventLoop loop, Runnable onEvent) {
        this.channel = channel;
        this.cq = cq;
        this.loop = loop;
        this.onEvent = onEvent;
    }

    static DisniCompletionQueue open(IbvContext context, IoEventLoop loop, int entries, Runnable onEvent)
            throws RdmaException {
        IbvCompChannel channel = Disni.call("opening a completion channel", context::createCompChannel);
        IbvCQ cq;
        try {
            cq = Disni.call(
                    "making a completion queue of " + entries + " entries",
                    () -> context.createCQ(channel, entries, 0));
        } catch (RdmaException e) {
            Disni.tryTo("closing a completion channel", channel::destroyCompChannel);
            throw e;
        }
        DisniCompletionQueue queue = new DisniCompletionQueue(channel, cq, loop, onEvent);
        Thread thread = new Thread(queue::watch, "nvmf-disni-completions");
        thread.setDaemon(true);
        thread.start();
        return queue;
    }

    private void watch() {
        try {
            while (!closed) {
                // It says the same of an error as of a timeout.
                if (channel.getCqEvent(cq, WAIT_MS)) {
                    cq.ackEvents(1);
                    wakeLoop();
                }
            }
        } catch (IOException e) {
            LOG.error("DiSNI tells nothing more of completions: {}", Disni.text(e));
        }
        release();
    }

    private void wakeLoop() {
        try {
            loop.execute(onEvent);
        } catch (RejectedExecutionException e) {
            LOG.debug("completions come after the end of their event loop");
        }
    }

    IbvCQ cq() {
        return cq;
    }

    @Override
    public int poll(Completions into) {
        if (closed) {
            return -1;
        }
        try {
            if (batch.length != into.capacity()) {
                batch = Stream.generate(IbvWC::new).limit(into.capacity()).toArray(IbvWC[]::new);
                poll = cq.poll(batch, batch.length);
            }
            int count = poll.execute().getPolls();
            for (int i = 0; i < count; i++) {
                set(into, i, batch[i]);
            }
            return count;
        } catch (IOException e) {
            LOG.warn("a completion queue is broken: {}", Disni.text(e));
            return -1;
        }
    }

    /** Of work that failed DiSNI takes over the status and leaves the rest as it was. */
    private static void set(Completions into, int index, IbvWC done) {
        boolean succeeded = done.getStatus() == Completions.SUCCESS;
        into.set(
                index,
                done.getWr_id(),
                done.getStatus(),
                succeeded ? done.getByte_len() : 0,
                succeeded && (done.getWc_flags() & WITH_INVALIDATE) != 0,
                succeeded ? done.getImm_data() : 0);
    }

    @Override
    public boolean arm() {
        if (closed) {
            return false;
        }
        try {
            if (notification == null) {
                notification = cq.reqNotification(false);
            }
            notification.execute();
            return true;
        } catch (IOException e) {
            LOG.warn("a completion queue is broken: {}", Disni.text(e));
            return false;
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            release();
        }
    }

    private void release() {
        if (users.decrementAndGet() == 0) {
            Disni.tryTo("destroying a completion queue", cq::destroyCQ);
            Disni.tryTo("closing a completion channel", channel::destroyCompChannel);
        }
    }
}
