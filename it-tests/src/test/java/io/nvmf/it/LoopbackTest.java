package io.nvmf.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.ConnectRejectedException;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.discovery.DiscoveryResult;
import io.nvmf.initiator.namespace.BlockRange;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.NvmeStatusException;
import io.nvmf.initiator.queue.QueueSelection;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Our host against our target over loopback. */
class LoopbackTest {
    private static final String NQN = "nqn.2024-01.com.example:loopback";
    private static final String GUARDED_NQN = "nqn.2024-01.com.example:guarded";
    private static final long DEVICE_BYTES = 96L << 20;
    private static final int[] SIZES = {
        512, 1024, 4096, 8192, 8704, 12288, 65536, 131072, 131584, 1 << 20, (1 << 20) + 4096, 3_000_320, 5 << 20
    };
    private static final int OUTSTANDING = 8;

    private static NvmfTarget target(int blockSizeBytes, TargetLimits limits) throws Exception {
        NamespaceConfig namespace = new NamespaceConfig(
                1,
                new MemoryBlockDevice(DEVICE_BYTES),
                blockSizeBytes,
                UUID.fromString("6a1f7c2e-0d3b-4f55-9c1a-2b7e4d8f9a10"),
                Nguid.parse("6a1f7c2e0d3b4f559c1a2b7e4d8f9a10"));
        List<SubsystemConfig> subsystems = List.of(
                new SubsystemConfig(NQN, "LOOP0001", "nvmf4j test", true, Set.of(), List.of(namespace)),
                new SubsystemConfig(
                        GUARDED_NQN,
                        "LOOP0002",
                        "nvmf4j test",
                        false,
                        Set.of("nqn.2024-01.com.example:other"),
                        List.of()));
        ListenerConfig listener = new ListenerConfig(
                1,
                TransportType.TCP,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Set.of(NQN, GUARDED_NQN));
        return NvmfTarget.start(new TargetConfig(List.of(listener), subsystems, limits));
    }

    private static TargetLimits limits(int inCapsuleDataBytes, int maxTransferBytes) {
        return new TargetLimits(128, 16, inCapsuleDataBytes, maxTransferBytes, 64L << 20, 2);
    }

    private static NvmfHost host() {
        return NvmfHost.builder().ioThreads(2).build();
    }

    private static ConnectOptions options(NvmfTarget target) {
        return ConnectOptions.tcp(target.addresses().get(0), NQN)
                .ioQueues(4)
                .queueSelection(QueueSelection.ROUND_ROBIN);
    }

    @ParameterizedTest
    @CsvSource({
        // block, HDGST, DDGST, flow control, in capsule, MDTS
        "512,  false, false, true,  8192,   1048576",
        "512,  true,  true,  true,  8192,   1048576",
        "4096, true,  false, false, 0,      131072",
        "4096, false, true,  false, 131072, 4194304",
        "512,  true,  true,  false, 4096,   65536"
    })
    void shouldReadBackWhatWasWritten(
            int blockSize, boolean headerDigest, boolean dataDigest, boolean flowControl, int inCapsule, int mdts)
            throws Exception {
        try (NvmfTarget target = target(blockSize, limits(inCapsule, mdts));
                NvmfHost host = host();
                Controller controller = host.connect(options(target)
                        .headerDigest(headerDigest)
                        .dataDigest(dataDigest)
                        .sqFlowControl(flowControl))) {
            assertEquals(4, controller.ioQueueCount());
            Namespace namespace = controller.namespace(1);
            assertEquals(blockSize, namespace.blockSizeBytes());
            assertEquals(DEVICE_BYTES, namespace.sizeBytes());
            for (int size : SIZES) {
                if (size % blockSize == 0) {
                    checkSize(namespace, size);
                }
            }
        }
    }

    private static void checkSize(Namespace namespace, int size) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<ByteBuffer> written = new ArrayList<>();
        List<CompletableFuture<Void>> writes = new ArrayList<>();
        long blocks = size / namespace.blockSizeBytes();
        for (int i = 0; i < OUTSTANDING; i++) {
            ByteBuffer data = random(random, size);
            written.add(data);
            writes.add(namespace.write(1 + i * blocks, cut(data, random)));
        }
        all(writes);
        List<ByteBuffer> read = new ArrayList<>();
        List<CompletableFuture<Void>> reads = new ArrayList<>();
        for (int i = 0; i < OUTSTANDING; i++) {
            ByteBuffer data = ByteBuffer.allocateDirect(size);
            read.add(data);
            reads.add(namespace.read(1 + i * blocks, cut(data, random)));
        }
        all(reads);
        for (int i = 0; i < OUTSTANDING; i++) {
            int at = written.get(i).mismatch(read.get(i));
            assertEquals(-1, at, "request " + i + " of " + size + " bytes, seed " + seed);
        }
    }

    private static ByteBuffer random(Random random, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return ByteBuffer.allocateDirect(size).put(bytes).flip();
    }

    /** The same memory as one to four buffers of any lengths. */
    private static ByteBuffer[] cut(ByteBuffer data, Random random) {
        int pieces = 1 + random.nextInt(4);
        ByteBuffer[] buffers = new ByteBuffer[pieces];
        int from = 0;
        for (int i = 0; i < pieces; i++) {
            int to = i == pieces - 1 ? data.capacity() : from + random.nextInt(data.capacity() - from + 1);
            buffers[i] = data.slice(from, to - from);
            from = to;
        }
        return buffers;
    }

    private static void all(List<CompletableFuture<Void>> futures) {
        CompletableFuture.allOf(futures.toArray(new CompletableFuture<?>[0])).join();
    }

    @Test
    void shouldReadZerosWhereBlocksWereDeallocatedOrZeroed() throws Exception {
        try (NvmfTarget target = target(512, limits(8192, 1 << 20));
                NvmfHost host = host();
                Controller controller = host.connect(options(target))) {
            Namespace namespace = controller.namespace(1);
            ByteBuffer data = random(new Random(1), 4 << 20);
            namespace.writeThrough(0, data).join();
            namespace.flush().join();
            namespace
                    .deallocate(List.of(new BlockRange(0, 256), new BlockRange(1024, 128)))
                    .join();
            namespace.writeZeroes(2048, 6000, true).join();
            ByteBuffer back = ByteBuffer.allocateDirect(4 << 20);
            namespace.read(0, back).join();
            zero(data, 0, 256);
            zero(data, 1024, 128);
            zero(data, 2048, 6000);
            assertEquals(-1, data.mismatch(back));
        }
    }

    private static void zero(ByteBuffer data, int startBlock, int blockCount) {
        data.put(startBlock * 512, new byte[blockCount * 512]);
    }

    @Test
    void shouldAnswerWithTheStatusWhenBlocksAreOutOfRange() throws Exception {
        try (NvmfTarget target = target(4096, limits(8192, 1 << 20));
                NvmfHost host = host();
                Controller controller = host.connect(options(target))) {
            Namespace namespace = controller.namespace(1);
            ByteBuffer data = ByteBuffer.allocateDirect(1 << 21);
            CompletionException failure = assertThrows(
                    CompletionException.class,
                    () -> namespace.write(namespace.blockCount() - 300, data).join());
            NvmeStatusException status = (NvmeStatusException) failure.getCause();
            assertEquals(Status.LBA_OUT_OF_RANGE, Status.withoutFlags(status.status()));
            namespace.read(0, data).join();
        }
    }

    @Test
    void shouldTellOfTheControllerAndItsNamespaces() throws Exception {
        try (NvmfTarget target = target(512, limits(8192, 1 << 20));
                NvmfHost host = host();
                Controller controller = host.connect(options(target))) {
            assertEquals(List.of(1L), controller.activeNamespaces());
            assertEquals("LOOP0001", controller.identifyController().serialNumber());
            assertEquals(controller.controllerId(), controller.identify().get(Field.CNTLID));
            assertEquals(
                    UUID.fromString("6a1f7c2e-0d3b-4f55-9c1a-2b7e4d8f9a10"),
                    controller.namespaceDescriptors(1).uuid());
            assertEquals(5000, controller.getFeature(0x0F));
            assertEquals(512, controller.getLogPage(0x02, 0xFFFF_FFFFL, 0, 512).remaining());
        }
    }

    @Test
    void shouldFindTheSubsystemsThatThisHostMayUse() throws Exception {
        try (NvmfTarget target = target(512, limits(8192, 1 << 20));
                NvmfHost host = host()) {
            DiscoveryResult found = host.discover(target.addresses().get(0));
            assertTrue(found.entries().stream()
                    .anyMatch(entry -> entry.subsystemNqn().equals(NQN)
                            && entry.get(DiscoveryLogEntry.Field.TRTYPE) == DiscoveryLogEntry.TRTYPE_TCP
                            && entry.serviceId()
                                    .equals(String.valueOf(
                                            target.addresses().get(0).getPort()))));
            assertTrue(found.entries().stream()
                    .noneMatch(entry -> entry.subsystemNqn().equals(GUARDED_NQN)));
        }
    }

    @Test
    void shouldNameTheFieldWhenAConnectIsRefused() throws Exception {
        try (NvmfTarget target = target(512, limits(8192, 1 << 20));
                NvmfHost host = host()) {
            ConnectOptions unknown = ConnectOptions.tcp(target.addresses().get(0), "nqn.2024-01.com.example:none");
            assertEquals(
                    "SUBNQN",
                    assertThrows(ConnectRejectedException.class, () -> host.connect(unknown))
                            .field());
            ConnectOptions guarded = ConnectOptions.tcp(target.addresses().get(0), GUARDED_NQN);
            ConnectRejectedException refused =
                    assertThrows(ConnectRejectedException.class, () -> host.connect(guarded));
            assertEquals(Status.CONNECT_INVALID_HOST, Status.withoutFlags(refused.status()));
        }
    }

    @Test
    void shouldHearWhenANamespaceIsAdded() throws Exception {
        try (NvmfTarget target = target(512, limits(8192, 1 << 20));
                NvmfHost host = host()) {
            CompletableFuture<AsyncEvent> heard = new CompletableFuture<>();
            try (Controller controller = host.connect(options(target).eventListener(heard::complete))) {
                target.addNamespace(
                        NQN,
                        new NamespaceConfig(7, new MemoryBlockDevice(1 << 20), 512, new UUID(1, 7), new Nguid(1, 7)));
                assertEquals(AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED, heard.get(10, TimeUnit.SECONDS));
                assertEquals(List.of(1L, 7L), controller.activeNamespaces());
            }
        }
    }

    @Test
    void shouldFailRequestsAndTellWhenTheTargetStops() throws Exception {
        try (NvmfHost host = host()) {
            NvmfTarget target = target(512, limits(8192, 1 << 20));
            Controller controller = host.connect(options(target));
            Namespace namespace = controller.namespace(1);
            target.close();
            controller.ended().get(10, TimeUnit.SECONDS);
            CompletionException failure = assertThrows(
                    CompletionException.class, () -> namespace.flush().join());
            assertEquals(Status.HOST_PATHING_ERROR, ((NvmeStatusException) failure.getCause()).status());
        }
    }
}
