package io.nvmf.transport.rdma.nativeverbs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoEventLoop;
import io.netty.util.internal.PlatformDependent;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.CompletionChannel;
import io.nvmf.transport.rdma.CompletionQueue;
import io.nvmf.transport.rdma.ConnectionManager.Listening;
import io.nvmf.transport.rdma.ConnectionManager.RequestListener;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.QueuePairSize;
import io.nvmf.transport.rdma.RdmaException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the manager makes of the library's events; the library is a fake. */
class NativeConnectionManagerTest {
    private static final int EIO = 5;
    private static final int ADDR_RESOLVED = NativeCmId.Event.ADDR_RESOLVED.number;
    private static final int ROUTE_RESOLVED = NativeCmId.Event.ROUTE_RESOLVED.number;
    private static final int DEVICE_REMOVAL = NativeCmId.Event.DEVICE_REMOVAL.number;

    private final List<String> told = new CopyOnWriteArrayList<>();
    private volatile boolean closesAtTheEnd = true;
    private FakeRdmaLibrary fake;
    private EventLoops loops;
    private IoEventLoop loop;
    private NativeConnectionManager manager;

    @BeforeEach
    void open() throws Exception {
        Assumptions.assumeTrue(EventLoops.Kind.EPOLL.isAvailable());
        open(0);
    }

    private void open(int transportType) throws Exception {
        fake = new FakeRdmaLibrary(transportType);
        loops = EventLoops.open(EventLoops.Kind.EPOLL, 1, "test");
        loop = loops.next();
        manager = onLoop(() -> new NativeConnectionManager(fake.library, loop));
    }

    @AfterEach
    void close() throws Exception {
        if (loops == null) {
            return;
        }
        boolean isAlive = !loop.isShuttingDown();
        if (isAlive) {
            onLoop(() -> {
                manager.close();
                return null;
            });
        }
        loops.close();
        fake.close();
        assertTrue(isAlive, "the loop has not ended by itself");
        assertEquals(0, OpenObjects.total(), OpenObjects.summary());
    }

    private <T> T onLoop(Callable<T> task) throws Exception {
        try {
            return loop.submit(task).get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private void awaitTold(String... expected) {
        await().until(() -> told.size() >= expected.length);
        assertEquals(List.of(expected), told);
    }

    /** Tells of all that comes. */
    private final class Requests implements RequestListener {
        private Listening listening;

        @Override
        public void onConnectRequest(CmId id, ByteBuffer privateData, int responderResources, int initiatorDepth) {
            told.add("request");
            throw new OutOfMemoryError("on purpose");
        }

        @Override
        public void onListeningEnded(String why) {
            told.add(why);
            if (closesAtTheEnd) {
                listening.close();
            }
        }
    }

    /** Has no memory left when its route is resolved. */
    private final class Connecting implements CmListener {
        private CmId id;

        @Override
        public void onRouteResolved() {
            throw new OutOfMemoryError("on purpose");
        }

        @Override
        public void onEstablished(ByteBuffer privateData) {
            told.add("established");
        }

        @Override
        public void onDisconnected() {
            told.add("disconnected");
        }

        @Override
        public void onDeviceRemoved() {
            told.add("removed");
        }

        @Override
        public void onFailed(String why) {
            told.add(why);
            id.close();
        }
    }

    private long listen(String address) throws Exception {
        Requests requests = new Requests();
        requests.listening = onLoop(() -> manager.listen(new InetSocketAddress(address, 4420), 1, requests));
        return fake.ids.get(fake.ids.size() - 1);
    }

    private long connect() throws Exception {
        return connect(new Connecting());
    }

    private long connect(Connecting connecting) throws Exception {
        connecting.id = onLoop(() -> manager.resolve(new InetSocketAddress("127.0.0.1", 4420), 1000, connecting));
        return fake.ids.get(fake.ids.size() - 1);
    }

    @Test
    void shouldTellWhoListensWhenTheDeviceOfTheAddressIsRemoved() throws Exception {
        long wildcard = listen("0.0.0.0");
        long id = listen("127.0.0.1");
        fake.event(DEVICE_REMOVAL, wildcard, 0);
        fake.event(DEVICE_REMOVAL, id, 0);
        awaitTold("its RDMA device was removed");
        listen("127.0.0.1");
    }

    @Test
    void shouldTellWhoListensOnceWhenTheListeningStaysOpen() throws Exception {
        closesAtTheEnd = false;
        long id = listen("127.0.0.1");
        fake.event(DEVICE_REMOVAL, id, 0);
        fake.event(DEVICE_REMOVAL, id, 0);
        fake.event(CmEvent.CONNECT_REQUEST, fake.newId(), listen("0.0.0.0"));
        awaitTold("its RDMA device was removed", "request");
    }

    @Test
    void shouldFailOnlyTheConnectionWhoseEventMeetsAnError() throws Exception {
        fake.event(ROUTE_RESOLVED, connect(), 0);
        awaitTold("an error in this program: java.lang.OutOfMemoryError: on purpose");
        fake.event(CmEvent.CONNECT_REQUEST, fake.newId(), listen("127.0.0.1"));
        await().until(() -> told.size() == 2);
        onLoop(() -> null);
        assertFalse(loop.isShuttingDown());
        assertEquals("EVENT_CHANNEL 1, ID 1, DEVICE 1", OpenObjects.summary(), "only the listening one is left");
    }

    @Test
    void shouldLeaveNoQueuePairBehindWhenThereIsNoMemoryForIt() throws Exception {
        Assumptions.assumeTrue(
                PlatformDependent.maxDirectMemory() <= 128 << 20, "run with -XX:MaxDirectMemorySize=128m");
        Connecting connecting = new Connecting();
        fake.event(ADDR_RESOLVED, connect(connecting), 0);
        await().until(() -> connecting.id.device() != null);
        CompletionChannel channel = onLoop(() -> connecting.id.device().openCompletionChannel(loop));
        CompletionQueue queue = onLoop(() -> channel.createCompletionQueue(16, () -> {}));
        String message = assertThrows(
                        RdmaException.class,
                        () -> onLoop(() -> connecting.id.createQueuePair(queue, new QueuePairSize(1 << 20, 16))))
                .getMessage();
        assertTrue(message.contains("raise -XX:MaxDirectMemorySize"), message);
        assertEquals(0, fake.queuePairs.get());
        QueuePair pair = onLoop(() -> connecting.id.createQueuePair(queue, new QueuePairSize(16, 16)));
        assertEquals(1, fake.queuePairs.get());
        onLoop(() -> {
            pair.close();
            queue.close();
            channel.close();
            return null;
        });
        assertEquals(0, fake.queuePairs.get());
    }

    @Test
    void shouldRefuseDevicesOfIwarp() throws Exception {
        close();
        open(Layout.IBV_TRANSPORT_IWARP);
        String message =
                assertThrows(RdmaException.class, () -> listen("127.0.0.1")).getMessage();
        assertTrue(message.startsWith("the RDMA device fake0 speaks iWARP"), message);
        fake.event(ADDR_RESOLVED, connect(), 0);
        awaitTold(message);
        fake.event(CmEvent.CONNECT_REQUEST, fake.newId(), listen("0.0.0.0"));
        fake.event(ADDR_RESOLVED, connect(), 0);
        awaitTold(message, message);
    }

    @Test
    void shouldEndAllWhenTheEventChannelBreaks() throws Exception {
        Assumptions.assumeTrue(RdmaLibrary.get() != null, "nothing knows the texts of errors");
        listen("0.0.0.0");
        listen("127.0.0.1");
        connect();
        fake.breakEventChannel(EIO);
        String why = "the RDMA connection manager is broken: Input/output error";
        awaitTold(why, why, why);
        assertEquals(
                why,
                assertThrows(RdmaException.class, () -> listen("127.0.0.1")).getMessage());
        assertEquals(why, assertThrows(RdmaException.class, this::connect).getMessage());
    }
}
