package io.nvmf.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One end of a test: two event loops and a connection manager, driven by a test that may block. */
final class RdmaEnd implements AutoCloseable {
    /** Long enough for an emulated machine; nothing waits so long that works. */
    static final long PATIENCE_S = 60;

    /** A request that has come. */
    record Request(CmId id, ByteBuffer privateData, int responderResources, int initiatorDepth) {}

    /** Memory that is registered. */
    record Memory(ByteBuffer buffer, MemoryRegion region) {
        long address(int offset) {
            return region.address() + offset;
        }

        int localKey() {
            return region.localKey();
        }

        int remoteKey() {
            return region.remoteKey();
        }

        /** Bytes that differ from place to place and from seed to seed. */
        Memory fill(int seed) {
            for (int i = 0; i < buffer.capacity(); i++) {
                buffer.put(i, byteAt(seed, i));
            }
            return this;
        }

        static byte byteAt(int seed, int index) {
            return (byte) ((index * 31 + (index >> 8) + seed * 97) | 1);
        }
    }

    final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    /** Addresses of listenings that were ended. */
    final BlockingQueue<InetSocketAddress> endedListenings = new LinkedBlockingQueue<>();

    private final EventLoops controlLoops;
    private final EventLoops dataLoops;
    private final ConnectionManager manager;
    private CompletionChannel channel;

    RdmaEnd(RdmaProvider provider, EventLoops.Kind kind, String name) throws Exception {
        controlLoops = EventLoops.open(kind, 1, name + "-control");
        dataLoops = EventLoops.open(kind, 1, name + "-data");
        manager = onControl(() -> provider.openConnectionManager(control()));
    }

    IoEventLoop control() {
        return controlLoops.next();
    }

    IoEventLoop data() {
        return dataLoops.next();
    }

    <T> T onControl(Callable<T> task) throws Exception {
        return on(control(), task);
    }

    <T> T onData(Callable<T> task) throws Exception {
        return on(data(), task);
    }

    private static <T> T on(IoEventLoop loop, Callable<T> task) throws Exception {
        try {
            return loop.submit(task).get(PATIENCE_S, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** Where something is run. */
    interface Place {
        Object run(Callable<Object> task) throws Exception;
    }

    /** Runs what only closes: how it fails is no part of a test, that it does is. */
    static void quietly(Place place, Runnable task) {
        try {
            place.run(() -> {
                task.run();
                return null;
            });
        } catch (Exception e) {
            throw new IllegalStateException("cannot close", e);
        }
    }

    ConnectionManager.Listening listen(InetSocketAddress address) throws Exception {
        return onControl(() -> manager.listen(address, 16, new ConnectionManager.RequestListener() {
            @Override
            public void onConnectRequest(CmId id, ByteBuffer privateData, int responderResources, int initiatorDepth) {
                requests.add(new Request(id, privateData, responderResources, initiatorDepth));
            }

            @Override
            public void onListeningEnded(String why) {
                endedListenings.add(address);
            }
        }));
    }

    Request takeRequest() throws InterruptedException {
        Request request = requests.poll(PATIENCE_S, TimeUnit.SECONDS);
        assertNotNull(request, "no request came");
        return request;
    }

    /** Begins to connect, and waits until the device is known. */
    RdmaLink resolve(InetSocketAddress address) throws Exception {
        RdmaLink link = new RdmaLink(this);
        link.id = resolveLater(address, link);
        link.expect("route resolved");
        return link;
    }

    /** Begins to connect. */
    CmId resolveLater(InetSocketAddress address, CmListener listener) throws Exception {
        return onControl(() -> manager.resolve(address, 5000, listener));
    }

    /** The end of a connection that a request asks for. */
    RdmaLink answer(Request request) throws Exception {
        RdmaLink link = new RdmaLink(this);
        link.id = request.id();
        onControl(() -> {
            request.id().listener(link);
            return null;
        });
        return link;
    }

    /** The one channel of this end, made for the first device. */
    CompletionChannel channel(RdmaDevice device) throws Exception {
        if (channel == null) {
            channel = onData(() -> device.openCompletionChannel(data()));
        }
        return channel;
    }

    Memory register(RdmaDevice device, int lengthBytes, RemoteAccess access) throws Exception {
        ByteBuffer buffer = ByteBuffer.allocateDirect(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
        return onControl(() -> new Memory(buffer, device.register(buffer, access)));
    }

    /** Whether anything is left to be closed is the provider's to say. */
    @Override
    public void close() {
        quietly(this::onControl, manager::close);
        if (channel != null) {
            quietly(this::onData, channel::close);
        }
        controlLoops.close();
        dataLoops.close();
    }
}
