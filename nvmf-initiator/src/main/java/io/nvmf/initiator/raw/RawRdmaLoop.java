package io.nvmf.initiator.raw;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.CompletionPoller;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The event loop that {@link RawRdma} connections live on, and its connection manager. Those who use the connections block;
 * the loop does what they want of the device, and hears what comes. Thread safe; not to be used on the loop itself.
 */
public final class RawRdmaLoop implements AutoCloseable {
    /** No call into a device takes so long unless it hangs. */
    private static final int CALL_TIMEOUT_S = 10;

    private final EventLoops loops;
    private final IoEventLoop loop;
    private final ConnectionManager manager;
    private final CompletionPoller poller;

    /** What may fail as devices do. */
    interface Action {
        void run() throws RdmaException;
    }

    /**
     * Starts the loop.
     *
     * @throws IOException when there is no RDMA here; the message says what is missing
     */
    public RawRdmaLoop(RdmaProvider provider) throws IOException {
        String missing = provider.unavailabilityCause();
        if (missing != null) {
            throw new IOException(missing);
        }
        EventLoops.Kind kind = EventLoops.Kind.EPOLL.isAvailable() ? EventLoops.Kind.EPOLL : EventLoops.Kind.NIO;
        loops = EventLoops.open(kind, 1, "nvmf-raw-rdma");
        loop = loops.next();
        poller = new CompletionPoller(loop, false);
        try {
            manager = call(() -> provider.openConnectionManager(loop));
        } catch (IOException e) {
            loops.close();
            throw e;
        }
    }

    /** A connection to be made. @param name what the trace calls it */
    public RawRdma connection(InetSocketAddress address, Trace trace, String name) {
        return new RawRdma(this, address, trace, name);
    }

    /** On the loop. */
    ConnectionManager manager() {
        return manager;
    }

    CompletionPoller poller() {
        return poller;
    }

    /** Has the loop do something, and waits for it. */
    void run(Action action) throws IOException {
        call(() -> {
            action.run();
            return null;
        });
    }

    <T> T call(Callable<T> action) throws IOException {
        return await(loop.submit(action), TimeUnit.SECONDS.toMillis(CALL_TIMEOUT_S));
    }

    /** Has the loop do something later. On the loop. */
    void later(Runnable task, long delayMs) {
        loop.schedule(task, delayMs, TimeUnit.MILLISECONDS);
    }

    static <T> T await(Future<T> future, long timeoutMs) throws IOException {
        try {
            return future.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (TimeoutException e) {
            throw new IOException("RDMA does not answer within " + timeoutMs + " ms", e);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        }
    }

    /** Ends the loop; its connections are closed already. */
    @Override
    public void close() throws IOException {
        try {
            run(() -> {
                poller.close();
                manager.close();
            });
        } finally {
            loops.close();
        }
    }
}
