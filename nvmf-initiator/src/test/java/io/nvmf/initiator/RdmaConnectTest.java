package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.ScriptedRdmaTarget.ConnectRequest;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.controller.ControllerException;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.transport.ConnectionException;
import io.nvmf.initiator.transport.RegisteredMemory;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.DeviceLimits;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How connections over RDMA are made, refused and made again. */
class RdmaConnectTest extends RdmaTest {
    private String name() {
        return "localhost:" + target.address().getPort();
    }

    private String refusal(ConnectOptions options) {
        return assertThrows(ConnectionException.class, () -> host.connect(options))
                .getMessage();
    }

    // ---- What goes over the wire

    @Test
    void shouldAskForEachQueueInThePrivateData() {
        try (Controller controller = host.connect(options().ioQueues(2).queueDepth(40))) {
            assertEquals(2, controller.ioQueueCount());
        }
        assertEquals(3, target.requests.size());
        for (ConnectRequest request : target.requests) {
            int queueId = request.u16(2);
            assertEquals(0, request.u16(0));
            assertEquals(queueId == 0 ? 32 : 40, request.u16(4));
            assertEquals(queueId == 0 ? 31 : 39, request.u16(6));
            assertEquals(queueId == 0 ? 0 : ScriptedDisk.CONTROLLER_ID, request.u16(8));
            assertArrayEquals(
                    new byte[request.privateData().length - 10],
                    Arrays.copyOfRange(request.privateData(), 10, request.privateData().length));
            assertEquals(0, request.responderResources());
            assertEquals(128, request.initiatorDepth());
        }
        assertEquals(0, target.requests.get(0).u16(2));
        assertEquals(3, target.requests.get(1).u16(2) + target.requests.get(2).u16(2));
    }

    @Test
    void shouldFetchAdminDataByKeyAndConnectDataOfIoQueuesInTheCapsule() {
        try (Controller controller = connect()) {
            assertTrue(controller.isLive());
        }
        ReceivedCapsule admin = target.commands(0, 0x7F).get(0);
        assertEquals(64, admin.bytes().length);
        assertEquals(0x40, admin.u8(1));
        assertEquals(1024, admin.keyed().lengthBytes());
        assertEquals(KEYED, admin.sglIdentifier());
        ReceivedCapsule io = target.commands(1, 0x7F).get(0);
        assertEquals(64 + 1024, io.bytes().length);
        assertEquals(IN_CAPSULE, io.sglIdentifier());
        assertEquals(127, io.u16(44));
        byte[] adminData = target.connectData.get(0);
        byte[] ioData = target.connectData.get(1);
        assertEquals(ScriptedDisk.NQN, new String(adminData, 256, ScriptedDisk.NQN.length(), StandardCharsets.UTF_8));
        assertEquals((byte) 0xFF, adminData[16]);
        assertEquals((byte) (ScriptedDisk.CONTROLLER_ID & 0xFF), ioData[16]);
        target.commands(0, 0x06).forEach(identify -> {
            assertEquals(KEYED, identify.sglIdentifier());
            assertEquals(4096, identify.keyed().lengthBytes());
        });
    }

    @Test
    void shouldDescribeNothingWhenThereIsNoData() {
        try (Controller controller = connect()) {
            controller.namespace(1).flush().join();
        }
        ReceivedCapsule flush = target.commands(1, FLUSH).get(0);
        assertEquals(64, flush.bytes().length);
        assertEquals(0, flush.i64(24));
        assertEquals(0, flush.i64(32) & 0x00FF_FFFF_FFFF_FFFFL);
        assertEquals(KEYED, flush.sglIdentifier());
    }

    @Test
    void shouldKeepWithinTheLimitsOfTheDevice() {
        MemoryRdma small = new MemoryRdma(new DeviceLimits(64, 256, 16, 16));
        try (ScriptedRdmaTarget smallTarget = new ScriptedRdmaTarget(small);
                NvmfHost smallHost = NvmfHost.builder().rdmaProvider(small).build()) {
            smallTarget.crqsize = 64;
            try (Controller controller =
                    smallHost.connect(ConnectOptions.of(TransportType.RDMA, smallTarget.address(), ScriptedDisk.NQN))) {
                List<CompletableFuture<Void>> done = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    done.add(controller.namespace(1).flush());
                }
                CompletableFuture.allOf(done.toArray(new CompletableFuture<?>[0]))
                        .join();
            }
            assertEquals(List.of(), smallTarget.faults);
            ConnectRequest io = smallTarget.requests.get(1);
            assertEquals(64, io.u16(4));
            assertEquals(63, io.u16(6));
            assertEquals(63, smallTarget.commands(1, 0x7F).get(0).u16(44));
            assertEquals(16, io.initiatorDepth());
        }
        assertEquals(MemoryRdma.Counts.NONE, small.counts());
    }

    /** As DiSNI is, which does not show the private data of an acceptance. */
    private record Untold(MemoryRdma rdma) implements RdmaProvider {
        @Override
        public String unavailabilityCause() {
            return null;
        }

        @Override
        public ConnectionManager openConnectionManager(IoEventLoop loop) {
            ConnectionManager manager = rdma.openConnectionManager(loop);
            return new ConnectionManager() {
                @Override
                public Listening listen(InetSocketAddress address, int backlog, RequestListener listener) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public CmId resolve(InetSocketAddress remote, int timeoutMs, CmListener listener) throws RdmaException {
                    return manager.resolve(remote, timeoutMs, new UntoldListener(listener));
                }

                @Override
                public void close() {
                    manager.close();
                }
            };
        }
    }

    private record UntoldListener(CmListener listener) implements CmListener {
        @Override
        public void onRouteResolved() {
            listener.onRouteResolved();
        }

        @Override
        public void onEstablished(ByteBuffer privateData) {
            listener.onEstablished(ByteBuffer.allocate(0));
        }

        @Override
        public void onDisconnected() {
            listener.onDisconnected();
        }

        @Override
        public void onDeviceRemoved() {
            listener.onDeviceRemoved();
        }

        @Override
        public void onFailed(String why) {
            listener.onFailed(why);
        }
    }

    @Test
    void shouldTakeAQueueToBeAsDeepAsAskedForWhenItIsNotTold() {
        try (NvmfHost untold = NvmfHost.builder()
                        .hostNqn(InitiatorTest.HOST_NQN)
                        .hostId(InitiatorTest.HOST_ID)
                        .rdmaProvider(new Untold(rdma))
                        .build();
                Controller controller = untold.connect(options().queueDepth(40))) {
            ByteBuffer data = random(4096, 1);
            controller.namespace(1).write(0, data.duplicate()).join();
            assertEquals(data, ByteBuffer.wrap(medium(0, 4096)));
        }
    }

    // ---- Refusals

    @ParameterizedTest
    @CsvSource({
        "1, invalid length of the private data",
        "2, invalid RECFMT",
        "3, invalid QID",
        "4, invalid HSQSIZE",
        "5, invalid HRQSIZE",
        "6, no resources",
        "9, invalid CNTLID",
        "77, unknown reason 77"
    })
    void shouldNameTheReasonWhenItIsRejected(int status, String reason) {
        target.rejectData = new byte[] {0, 0, (byte) status, 0};
        assertEquals(name() + " rejected the connection: " + reason + " (STS " + status + ")", refusal(options()));
    }

    @Test
    void shouldFailAsAWholeWhenAnIoQueueIsRejected() {
        target.rejectData = new byte[] {0, 0, 6, 0};
        target.rejectFromQueue = 2;
        assertEquals(
                name() + " queue 2 rejected the connection: no resources (STS 6)",
                refusal(options().ioQueues(2)));
        InitiatorTest.await(() -> target.connections.isEmpty());
    }

    @Test
    void shouldSaySoWhenNobodyListens() {
        InetSocketAddress nobody = new InetSocketAddress(target.address().getAddress(), 1);
        assertEquals(
                "Cannot connect to localhost:1: nobody listens there",
                refusal(ConnectOptions.of(TransportType.RDMA, nobody, ScriptedDisk.NQN)));
    }

    @Test
    void shouldSaySoWhenThereIsNoSuchHost() {
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("no.such.host.invalid", 4420);
        assertEquals(
                "There is no host no.such.host.invalid",
                refusal(ConnectOptions.of(TransportType.RDMA, unknown, ScriptedDisk.NQN)));
    }

    @Test
    void shouldGiveUpWhenTheRequestIsNotAnswered() {
        target.silent = true;
        assertEquals(
                name() + " did not accept the connection within 100 ms",
                refusal(options().connectTimeoutMs(100)));
    }

    @Test
    void shouldNotCountItsOwnSettingUpWhenItWaitsForTheController() {
        SlowRdma slow = new SlowRdma(rdma, "createQueuePair", 1200);
        try (NvmfHost slowHost = NvmfHost.builder().rdmaProvider(slow).build();
                Controller controller = slowHost.connect(options().ioQueues(0).connectTimeoutMs(1000))) {
            assertEquals(0, controller.ioQueueCount());
        }
    }

    @Test
    void shouldEndAConnectThatIsUnderWayWhenTheHostCloses() throws Exception {
        target.silent = true;
        var connecting = host.connectAsync(options().connectTimeoutMs(60_000));
        InitiatorTest.await(() -> target.requests.size() == 1);
        host.close();
        assertEquals(
                "The host is closed",
                assertThrows(ExecutionException.class, () -> connecting.get(20, TimeUnit.SECONDS))
                        .getCause()
                        .getMessage());
        assertEquals(
                "The host is closed",
                assertThrows(ConnectionException.class, this::connect).getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "1, 32, accepted the connection with the unknown RECFMT 1",
        "0, 0,  accepted the connection but takes no commands (CRQSIZE 0)",
        "0, 2,  takes only 2 commands at a time"
    })
    void shouldRefuseAnAcceptanceThatItCannotUse(int recordFormat, int crqsize, String what) {
        target.acceptData = new byte[] {(byte) recordFormat, 0, (byte) crqsize, 0};
        assertEquals(name() + " " + what, refusal(options()));
    }

    @ParameterizedTest
    @CsvSource({
        "1048577, 0,  'does not support keyed SGLs, which NVMe/RDMA needs'",
        "1048581, 65, 'wants in-capsule data at offset 1040, which is not supported'"
    })
    void shouldRefuseAControllerThatItCannotServe(int sgls, int icdoff, String what) {
        target.sgls = sgls;
        target.icdoff = icdoff;
        assertEquals(
                name() + " " + what,
                assertThrows(ControllerException.class, this::connect).getMessage());
    }

    @Test
    void shouldSayWhatIsMissingWhenRdmaCannotBeUsed() {
        RdmaProvider missing = new RdmaProvider() {
            @Override
            public String unavailabilityCause() {
                return "librdmacm.so.1 is missing: install rdma-core";
            }

            @Override
            public ConnectionManager openConnectionManager(IoEventLoop loop) {
                throw new AssertionError("not to be asked");
            }
        };
        try (NvmfHost without = NvmfHost.builder().rdmaProvider(missing).build()) {
            assertEquals(
                    "Cannot connect to " + name() + ": librdmacm.so.1 is missing: install rdma-core",
                    assertThrows(ConnectionException.class, () -> without.connect(options()))
                            .getMessage());
        }
    }

    @Test
    void shouldSayWhatToDoWhenMemoryCannotBeRegistered() {
        rdma.failNextRegistration();
        String message = refusal(options());
        assertTrue(message.startsWith("Cannot connect to " + name() + ": cannot register "), message);
        assertTrue(message.endsWith("raise the limit of locked memory (ulimit -l, LimitMEMLOCK=)"), message);
        connect().close();
    }

    /** The tests run with less memory outside the heap than is asked for here. */
    @Test
    void shouldSayWhatToDoWhenThereIsNoMemoryForTheQueue() {
        String message = refusal(options().bufferBytes(1 << 30).connectTimeoutMs(60_000));
        assertTrue(
                message.startsWith("Cannot connect to " + name() + ": Java has no memory outside its heap"), message);
        assertTrue(message.endsWith("raise -XX:MaxDirectMemorySize, or lower bufferBytes"), message);
        connect().close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"resolve", "device", "createQueuePair", "connect"})
    void shouldFailAtOnceWhenTheProviderThrowsWhatItShouldNot(String method) throws Exception {
        for (Throwable thrown : List.of(new OutOfMemoryError("of a test"), new IllegalStateException("of a test"))) {
            LoopRdma failing = new LoopRdma(rdma);
            failing.failing = method;
            failing.thrown = thrown;
            try (NvmfHost failingHost = NvmfHost.builder().rdmaProvider(failing).build()) {
                String message = assertThrows(
                                ConnectionException.class,
                                () -> failingHost.connect(options().connectTimeoutMs(60_000)))
                        .getMessage();
                assertEquals("Cannot connect to " + name() + ": " + thrown, message);
                failing.failing = null;
                failingHost.connect(options()).close();
            }
        }
    }

    @Test
    void shouldFailConnectsWhenTheControlLoopDies() throws Exception {
        LoopRdma dying = new LoopRdma(rdma);
        target.silent = true;
        try (NvmfHost dyingHost = NvmfHost.builder().rdmaProvider(dying).build()) {
            CompletableFuture<Controller> connecting =
                    dyingHost.connectAsync(options().connectTimeoutMs(60_000));
            InitiatorTest.await(() -> target.requests.size() == 1);
            dying.endLoop();
            String why = assertThrows(ExecutionException.class, () -> connecting.get(20, TimeUnit.SECONDS))
                    .getCause()
                    .getMessage();
            assertTrue(why.startsWith("Cannot connect to " + name() + ": the event loop that"), why);
            target.silent = false;
            CompletableFuture<Controller> again =
                    dyingHost.connectAsync(options().connectTimeoutMs(60_000));
            assertEquals(
                    why,
                    assertThrows(ExecutionException.class, () -> again.get(20, TimeUnit.SECONDS))
                            .getCause()
                            .getMessage());
            dyingHost.register(ByteBuffer.allocateDirect(4096)).close();
        }
        target.dropConnections();
        InitiatorTest.await(() -> rdma.counts().connectionManagers() == 1);
    }

    @Test
    void shouldNotTouchRdmaWhenControllersAreReachedByTcp() throws Exception {
        RdmaProvider untouchable = new RdmaProvider() {
            @Override
            public String unavailabilityCause() {
                throw new AssertionError("touched");
            }

            @Override
            public ConnectionManager openConnectionManager(IoEventLoop loop) {
                throw new AssertionError("touched");
            }
        };
        try (ScriptedTarget tcpTarget = new ScriptedTarget();
                NvmfHost tcpHost = NvmfHost.builder()
                        .ioThreads(1)
                        .rdmaProvider(untouchable)
                        .build();
                RegisteredMemory memory = tcpHost.register(ByteBuffer.allocateDirect(8192));
                Controller controller = tcpHost.connect(ConnectOptions.tcp(tcpTarget.address(), ScriptedDisk.NQN))) {
            assertEquals(8192, memory.lengthBytes());
            controller.namespace(1).flush().join();
            assertTrue(Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("nvmf-host-rdma")));
        }
    }

    // ---- Again and again

    /** A device that nothing uses may go without a word to this host; so nothing of it is kept. */
    @Test
    void shouldLetGoOfTheDeviceWithTheLastConnection() throws Exception {
        ByteBuffer buffer = random(65536, 4);
        try (RegisteredMemory memory = host.register(buffer)) {
            for (int i = 0; i < 2; i++) {
                try (Controller controller = connect()) {
                    controller.namespace(1).write(0, buffer).join();
                    assertArrayEquals(InitiatorTest.bytes(buffer), medium(0, memory.lengthBytes()));
                }
                InitiatorTest.await(() -> rdma.counts().ids() == 0);
                InitiatorTest.await(() -> rdma.counts().memoryRegions() == 0);
            }
        }
    }

    @Test
    void shouldConnectAgainAfterEveryEndAndLeaveNothingBehind() throws Exception {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        try (RegisteredMemory memory = host.register(buffer)) {
            assertEquals(buffer.capacity(), memory.lengthBytes());
            MemoryRdma.Counts idle = null;
            for (int i = 0; i < 50; i++) {
                Controller controller = host.connect(options().ioQueues(2));
                Namespace namespace = controller.namespace(1);
                namespace.write(0, random(65536, i)).join();
                namespace.read(0, buffer).join();
                switch (i % 3) {
                    case 0 -> controller.close();
                    case 1 -> target.dropConnections();
                    default -> rdma.connections().get(i % 2).breakQueuePairs();
                }
                controller.ended().get(20, TimeUnit.SECONDS);
                InitiatorTest.await(() -> rdma.counts().ids() == 0);
                if (idle == null) {
                    idle = rdma.counts();
                }
                assertEquals(idle, rdma.counts());
            }
        }
    }
}
