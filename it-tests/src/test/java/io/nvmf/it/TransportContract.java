package io.nvmf.it;

import static io.nvmf.it.Expect.all;
import static io.nvmf.it.Expect.await;
import static io.nvmf.it.Expect.check;
import static io.nvmf.it.Expect.cut;
import static io.nvmf.it.Expect.equal;
import static io.nvmf.it.Expect.random;
import static io.nvmf.it.Expect.same;
import static io.nvmf.it.Expect.statusOf;

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
import io.nvmf.initiator.queue.QueueSelection;
import io.nvmf.initiator.transport.RegisteredMemory;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.queue.DataCounts;
import io.nvmf.target.queue.QueueReport;
import io.nvmf.transport.rdma.Rdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * What our host and our target must do together over whatever transport. Knows nothing of JUnit, so that it also runs
 * where only a plain program can, on real RDMA devices: see {@link #main}.
 */
public final class TransportContract {
    private static final String NQN = "nqn.2024-01.com.example:contract";
    private static final String GUARDED_NQN = "nqn.2024-01.com.example:guarded";
    private static final UUID DISK_UUID = UUID.fromString("6a1f7c2e-0d3b-4f55-9c1a-2b7e4d8f9a10");
    private static final long DEVICE_BYTES = 96L << 20;
    private static final int[] SIZES = {
        512, 1024, 4096, 8192, 8704, 12288, 65536, 131072, 131584, 1 << 20, (1 << 20) + 4096, 3_000_320, 5 << 20
    };
    private static final int OUTSTANDING = 8;
    private static final int RECONNECTS = 20;
    private static final long WAIT_S = 30;

    /** One thing to be checked; fails by throwing. */
    @FunctionalInterface
    public interface Check {
        void run() throws Exception;
    }

    /** How the two ends are set up for one run of the data checks. */
    private record Setting(
            String name,
            int blockSize,
            boolean headerDigest,
            boolean dataDigest,
            boolean flowControl,
            int inCapsule,
            int mdts) {}

    private static final List<Setting> SETTINGS = List.of(
            new Setting("512-byte-blocks", 512, false, false, true, 8192, 1048576),
            new Setting("both-digests", 512, true, true, true, 8192, 1048576),
            new Setting("no-in-capsule-data", 4096, false, false, false, 0, 131072),
            new Setting("header-digest-no-flow-control", 4096, true, false, false, 0, 131072),
            new Setting("data-digest-large-capsules", 4096, false, true, false, 131072, 4194304),
            new Setting("large-capsules", 4096, false, false, false, 131072, 4194304),
            new Setting("small-commands", 512, false, false, false, 4096, 65536));

    private final TransportType transport;
    private final InetAddress address;
    private final RdmaProvider rdma;

    /**
     * @param address to listen on, at a port that is free
     * @param rdma how both ends reach RDMA devices
     */
    public TransportContract(TransportType transport, InetAddress address, RdmaProvider rdma) {
        this.transport = transport;
        this.address = address;
        this.rdma = rdma;
    }

    /**
     * Runs all checks and prints a line for each: {@code CHECK name PASS} or {@code CHECK name FAIL why}.
     *
     * @param args transport and address, {@code rdma 192.0.2.1}; then the names of checks, if not all are wanted
     */
    public static void main(String[] args) throws IOException {
        TransportContract contract =
                new TransportContract(TransportType.named(args[0]), InetAddress.getByName(args[1]), Rdma.provider());
        List<String> wanted = List.of(args).subList(2, args.length);
        Map<String, Check> checks = contract.checks();
        if (!wanted.isEmpty()) {
            checks.keySet().retainAll(wanted);
        }
        int failed = 0;
        for (Map.Entry<String, Check> check : checks.entrySet()) {
            String outcome;
            try {
                check.getValue().run();
                outcome = "PASS";
            } catch (Exception | AssertionError e) {
                outcome = "FAIL " + e;
                failed++;
            }
            System.out.println("CHECK contract-" + check.getKey() + " " + outcome);
        }
        System.exit(failed == 0 ? 0 : 1);
    }

    /** All checks by name, each on a target and a host of its own. */
    public Map<String, Check> checks() {
        Map<String, Check> checks = new LinkedHashMap<>();
        for (Setting setting : SETTINGS) {
            if (transport == TransportType.TCP || !setting.headerDigest() && !setting.dataDigest()) {
                checks.put("data-" + setting.name(), () -> readsBackWhatWasWritten(setting));
            }
        }
        checks.put("registered-memory", this::readsAndWritesRegisteredMemory);
        checks.put("many-threads", this::keepsRequestsOfManyThreadsApart);
        checks.put("zeros", this::readsZerosWhereBlocksWereDeallocatedOrZeroed);
        checks.put("out-of-range", this::answersWithTheStatusWhenBlocksAreOutOfRange);
        checks.put("identify", this::tellsOfTheControllerAndItsNamespaces);
        checks.put("discovery", this::findsTheSubsystemsThatThisHostMayUse);
        checks.put("refused-connect", this::namesTheFieldWhenAConnectIsRefused);
        checks.put("namespace-event", this::hearsWhenANamespaceIsAdded);
        checks.put("target-stops", this::failsRequestsAndTellsWhenTheTargetStops);
        checks.put("reconnect", this::connectsAgainAfterEveryEnd);
        checks.put("path", this::countsHowDataTravels);
        checks.put("with-tcp", this::servesTheSameBlocksByTcpToo);
        return checks;
    }

    // ---- Both ends

    private NvmfTarget target(int blockSize, int inCapsule, int mdts, TransportType... transports) throws IOException {
        NamespaceConfig namespace = new NamespaceConfig(
                1,
                new MemoryBlockDevice(DEVICE_BYTES),
                blockSize,
                DISK_UUID,
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
        List<ListenerConfig> listeners = new ArrayList<>();
        for (TransportType each : transports) {
            listeners.add(new ListenerConfig(
                    listeners.size() + 1, each, new InetSocketAddress(address, 0), Set.of(NQN, GUARDED_NQN)));
        }
        TargetLimits limits = new TargetLimits(128, 16, inCapsule, mdts, 64L << 20, 2);
        RdmaConfig rdmaConfig = new RdmaConfig(inCapsule, 256L << 20);
        NvmfTarget target = NvmfTarget.start(new TargetConfig(listeners, subsystems, limits, rdmaConfig), rdma);
        equal(List.of(), target.listenFailures(), "listeners that failed");
        return target;
    }

    private NvmfTarget target() throws IOException {
        return target(512, 8192, 1 << 20, transport);
    }

    private NvmfHost host() {
        return NvmfHost.builder().ioThreads(2).rdmaProvider(rdma).build();
    }

    private ConnectOptions options(NvmfTarget target) {
        return patient(ConnectOptions.of(transport, target.addresses().get(0), NQN))
                .ioQueues(4)
                .queueSelection(QueueSelection.ROUND_ROBIN);
    }

    /** An emulated machine may take its time. */
    private static ConnectOptions patient(ConnectOptions options) {
        return options.connectTimeoutMs((int) TimeUnit.SECONDS.toMillis(WAIT_S));
    }

    // ---- Data

    private void readsBackWhatWasWritten(Setting setting) throws Exception {
        try (NvmfTarget target = target(setting.blockSize(), setting.inCapsule(), setting.mdts(), transport);
                NvmfHost host = host();
                Controller controller = host.connect(options(target)
                        .headerDigest(setting.headerDigest())
                        .dataDigest(setting.dataDigest())
                        .sqFlowControl(setting.flowControl()))) {
            equal(4, controller.ioQueueCount(), "I/O queues");
            Namespace namespace = controller.namespace(1);
            equal(setting.blockSize(), namespace.blockSizeBytes(), "block size");
            equal(DEVICE_BYTES, namespace.sizeBytes(), "size");
            for (int size : SIZES) {
                if (size % setting.blockSize() == 0) {
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
            same(written.get(i), read.get(i), "request " + i + " of " + size + " bytes, seed " + seed);
        }
    }

    private void readsAndWritesRegisteredMemory() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ByteBuffer out = random(random, 8 << 20);
        ByteBuffer in = ByteBuffer.allocateDirect(8 << 20);
        try (NvmfTarget target = target();
                NvmfHost host = host();
                RegisteredMemory before = host.register(out);
                Controller controller = host.connect(options(target));
                RegisteredMemory after = host.register(in)) {
            equal(before.lengthBytes(), after.lengthBytes(), "registered bytes");
            Namespace namespace = controller.namespace(1);
            List<CompletableFuture<Void>> done = new ArrayList<>();
            int[] ends = new int[40];
            for (int i = 0, at = 0; i < ends.length; at = ends[i++]) {
                ends[i] = at + 512 * (1 + random.nextInt(i % 2 == 0 ? 16 : 400));
                done.add(namespace.write(at / 512, out.slice(at, ends[i] - at)));
            }
            all(done);
            done.clear();
            for (int i = 0, at = 0; i < ends.length; at = ends[i++]) {
                done.add(namespace.read(at / 512, in.slice(at, ends[i] - at)));
            }
            all(done);
            int length = ends[ends.length - 1];
            same(out.slice(0, length), in.slice(0, length), "seed " + seed);
        }
    }

    private void keepsRequestsOfManyThreadsApart() throws Exception {
        long seed = System.nanoTime();
        try (NvmfTarget target = target();
                NvmfHost host = host();
                Controller controller = host.connect(options(target)
                        .queueSelection(QueueSelection.PER_THREAD)
                        .queueDepth(16)
                        .bufferBytes(1 << 20))) {
            Namespace namespace = controller.namespace(1);
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                Random random = new Random(seed + t);
                int region = t * 40_000;
                CompletableFuture<Void> thread = new CompletableFuture<>();
                new Thread(() -> {
                            try {
                                writeAndRead(namespace, region, random, "seed " + seed);
                                thread.complete(null);
                            } catch (RuntimeException | AssertionError e) {
                                thread.completeExceptionally(e);
                            }
                        })
                        .start();
                threads.add(thread);
            }
            all(threads);
        }
    }

    private static void writeAndRead(Namespace namespace, int region, Random random, String seed) {
        for (int round = 0; round < 3; round++) {
            List<ByteBuffer> written = new ArrayList<>();
            List<ByteBuffer> read = new ArrayList<>();
            List<CompletableFuture<Void>> done = new ArrayList<>();
            for (int i = 0; i < 48; i++) {
                ByteBuffer data = random(random, 512 * (1 + random.nextInt(300)));
                written.add(data);
                done.add(namespace.write(region + i * 512, data));
            }
            all(done);
            done.clear();
            for (int i = 0; i < 48; i++) {
                ByteBuffer data = ByteBuffer.allocateDirect(written.get(i).capacity());
                read.add(data);
                done.add(namespace.read(region + i * 512, data));
            }
            all(done);
            for (int i = 0; i < 48; i++) {
                same(written.get(i), read.get(i), "region " + region + ", request " + i + ", " + seed);
            }
        }
    }

    private void readsZerosWhereBlocksWereDeallocatedOrZeroed() throws Exception {
        try (NvmfTarget target = target();
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
            same(data, back, "zeros");
        }
    }

    private static void zero(ByteBuffer data, int startBlock, int blockCount) {
        data.put(startBlock * 512, new byte[blockCount * 512]);
    }

    private void answersWithTheStatusWhenBlocksAreOutOfRange() throws Exception {
        try (NvmfTarget target = target(4096, 8192, 1 << 20, transport);
                NvmfHost host = host();
                Controller controller = host.connect(options(target))) {
            Namespace namespace = controller.namespace(1);
            ByteBuffer data = ByteBuffer.allocateDirect(1 << 21);
            long end = namespace.blockCount();
            equal(
                    Status.LBA_OUT_OF_RANGE,
                    statusOf(() -> namespace.write(end - 300, data).join()),
                    "write");
            equal(
                    Status.LBA_OUT_OF_RANGE,
                    statusOf(() -> namespace.read(end - 1, data.slice(0, 8192)).join()),
                    "read");
            namespace.read(0, data).join();
        }
    }

    // ---- The controller

    private void tellsOfTheControllerAndItsNamespaces() throws Exception {
        try (NvmfTarget target = target();
                NvmfHost host = host();
                Controller controller = host.connect(options(target))) {
            equal(List.of(1L), controller.activeNamespaces(), "namespaces");
            equal("LOOP0001", controller.identifyController().serialNumber(), "serial number");
            equal((long) controller.controllerId(), controller.identify().get(Field.CNTLID), "CNTLID");
            equal(DISK_UUID, controller.namespaceDescriptors(1).uuid(), "UUID");
            equal(5000L, controller.getFeature(0x0F), "KATO");
            equal(512, controller.getLogPage(0x02, 0xFFFF_FFFFL, 0, 512).remaining(), "SMART log");
        }
    }

    private void findsTheSubsystemsThatThisHostMayUse() throws Exception {
        try (NvmfTarget target = target();
                NvmfHost host = host()) {
            InetSocketAddress at = target.addresses().get(0);
            DiscoveryResult found = host.discover(patient(ConnectOptions.discovery(transport, at)));
            DiscoveryLogEntry entry = found.entries().stream()
                    .filter(each -> each.subsystemNqn().equals(NQN))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("not found: " + NQN));
            equal((long) transport.trtype(), entry.get(DiscoveryLogEntry.Field.TRTYPE), "TRTYPE");
            equal(String.valueOf(at.getPort()), entry.serviceId(), "TRSVCID");
            equal(address.getHostAddress(), entry.transportAddress(), "TRADDR");
            check(
                    found.entries().stream()
                            .noneMatch(each -> each.subsystemNqn().equals(GUARDED_NQN)),
                    "the guarded subsystem is shown");
        }
    }

    private void namesTheFieldWhenAConnectIsRefused() throws Exception {
        try (NvmfTarget target = target();
                NvmfHost host = host()) {
            InetSocketAddress at = target.addresses().get(0);
            equal("SUBNQN", refusal(host, at, "nqn.2024-01.com.example:none").field(), "field");
            equal(
                    Status.CONNECT_INVALID_HOST,
                    Status.withoutFlags(refusal(host, at, GUARDED_NQN).status()),
                    "status");
            host.connect(options(target)).close();
        }
    }

    private ConnectRejectedException refusal(NvmfHost host, InetSocketAddress at, String nqn) {
        try {
            host.connect(patient(ConnectOptions.of(transport, at, nqn))).close();
        } catch (ConnectRejectedException e) {
            return e;
        }
        throw new AssertionError("connected to " + nqn);
    }

    private void hearsWhenANamespaceIsAdded() throws Exception {
        try (NvmfTarget target = target();
                NvmfHost host = host()) {
            CompletableFuture<AsyncEvent> heard = new CompletableFuture<>();
            // A namespace that is new to its ANA group is told of by another event, too.
            ConnectOptions listening = options(target).eventListener(event -> {
                if (event.equals(AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED)) {
                    heard.complete(event);
                }
            });
            try (Controller controller = host.connect(listening)) {
                target.administration()
                        .addNamespace(
                                NQN,
                                new NamespaceConfig(
                                        7, new MemoryBlockDevice(1 << 20), 512, new UUID(1, 7), new Nguid(1, 7)));
                equal(AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED, heard.get(WAIT_S, TimeUnit.SECONDS), "event");
                equal(List.of(1L, 7L), controller.activeNamespaces(), "namespaces");
            }
        }
    }

    // ---- Ends

    private void failsRequestsAndTellsWhenTheTargetStops() throws Exception {
        try (NvmfHost host = host()) {
            NvmfTarget target = target();
            Controller controller = host.connect(options(target));
            Namespace namespace = controller.namespace(1);
            target.close();
            controller.ended().get(WAIT_S, TimeUnit.SECONDS);
            equal(Status.HOST_PATHING_ERROR, statusOf(() -> namespace.flush().join()), "status");
        }
    }

    private void connectsAgainAfterEveryEnd() throws Exception {
        try (NvmfTarget target = target();
                NvmfHost host = host()) {
            ByteBuffer data = random(new Random(4), 65536);
            for (int i = 0; i < RECONNECTS; i++) {
                Controller controller = host.connect(options(target).ioQueues(2));
                Namespace namespace = controller.namespace(1);
                namespace.write(i * 128, data).join();
                ByteBuffer back = ByteBuffer.allocateDirect(data.capacity());
                namespace.read(i * 128, back).join();
                same(data, back, "connection " + i);
                controller.close();
                await(() -> target.queues().isEmpty(), "the target still has queues");
            }
        }
    }

    // ---- The way data takes

    private void countsHowDataTravels() throws Exception {
        boolean isRdma = transport == TransportType.RDMA;
        try (NvmfTarget target = target(512, 4096, 1 << 20, transport);
                NvmfHost host = host();
                Controller controller = host.connect(options(target).ioQueues(1))) {
            Namespace namespace = controller.namespace(1);
            DataCounts start = report(target);
            for (int i = 0; i < 10; i++) {
                namespace.write(0, ByteBuffer.allocateDirect(4096)).join();
            }
            equal(10L, grown(target, start, DataCounts::inCapsuleCommands), "commands with 4 KiB in the capsule");
            equal(10L * 4096, grown(target, start, DataCounts::inCapsuleBytes), "bytes in capsules");
            equal(0L, grown(target, start, DataCounts::fetchRequests), "fetches of 4 KiB");
            for (int i = 0; i < 10; i++) {
                namespace.write(0, ByteBuffer.allocateDirect(65536)).join();
            }
            equal(10L, grown(target, start, DataCounts::inCapsuleCommands), "commands with data in the capsule");
            equal(10L, grown(target, start, DataCounts::fetchedCommands), "commands with 64 KiB to fetch");
            equal(10L, grown(target, start, DataCounts::fetchRequests), "fetches of 64 KiB");
            equal(10L * 65536, grown(target, start, DataCounts::fetchedBytes), "bytes fetched");
            for (int i = 0; i < 10; i++) {
                namespace.read(0, ByteBuffer.allocateDirect(65536)).join();
            }
            equal(10L, grown(target, start, DataCounts::sentCommands), "commands with data sent");
            equal(10L * 65536, grown(target, start, DataCounts::sentBytes), "bytes sent");
            check(
                    grown(target, start, DataCounts::sendRequests) >= 10
                            && (!isRdma || grown(target, start, DataCounts::sendRequests) == 10),
                    "each read is sent at once");
        }
    }

    private static DataCounts report(NvmfTarget target) {
        return target.queues().stream()
                .filter(queue -> queue.queueId() == 1)
                .map(QueueReport::data)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no I/O queue is reported"));
    }

    private static long grown(NvmfTarget target, DataCounts start, ToLongFunction<DataCounts> counter) {
        return counter.applyAsLong(report(target)) - counter.applyAsLong(start);
    }

    private void servesTheSameBlocksByTcpToo() throws Exception {
        try (NvmfTarget target = target(512, 8192, 1 << 20, transport, TransportType.TCP);
                NvmfHost host = host();
                Controller one = host.connect(options(target));
                Controller other = host.connect(
                        patient(ConnectOptions.tcp(target.addresses().get(1), NQN)))) {
            check(one.controllerId() != other.controllerId(), "one controller id twice");
            ByteBuffer data = random(new Random(5), 1 << 20);
            one.namespace(1).write(8, data).join();
            ByteBuffer back = ByteBuffer.allocateDirect(1 << 20);
            other.namespace(1).read(8, back).join();
            same(data, back, "written by " + transport + ", read by TCP");
            other.namespace(1).writeZeroes(8, 2048, false).join();
            one.namespace(1).read(8, back).join();
            same(ByteBuffer.allocateDirect(1 << 20), back, "zeroed by TCP, read by " + transport);
        }
    }
}
