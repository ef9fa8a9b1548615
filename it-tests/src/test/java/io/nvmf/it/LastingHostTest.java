package io.nvmf.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.AnaLog;
import io.nvmf.codec.log.ReservationNotification;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationStatus;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.multipath.MultipathNamespace;
import io.nvmf.initiator.multipath.PathPolicy;
import io.nvmf.initiator.namespace.BlockRange;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.namespace.Reservations;
import io.nvmf.initiator.queue.NvmeStatusException;
import io.nvmf.initiator.queue.QueueSelection;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.file.FileBlockDevice;
import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.AnaState;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.transport.memory.MemoryRdma;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A host that stays while our target changes under it: listeners and paths come and go, sizes and states change. */
class LastingHostTest {
    private static final String NQN = "nqn.2024-01.com.example:lasting";
    private static final long DEVICE_BYTES = 16L << 20;
    private static final int MODEL_BYTES = 4 << 20;
    private static final int PIECE_BYTES = 16384;
    private static final int PIECES = MODEL_BYTES / (2 * PIECE_BYTES);

    @TempDir
    Path directory;

    private final MemoryRdma rdma = new MemoryRdma();
    private TransportType transport;
    private NvmfTarget target;
    private NvmfHost host;

    private void start(TransportType transport) throws Exception {
        start(transport, new MemoryBlockDevice(DEVICE_BYTES));
    }

    /** Serves the subsystem at two addresses of the transport. */
    private void start(TransportType transport, BlockDevice device) throws Exception {
        this.transport = transport;
        NamespaceConfig namespace = new NamespaceConfig(1, device, 512, new UUID(7, 7), new Nguid(7, 7));
        List<ListenerConfig> listeners = new ArrayList<>();
        for (int id = 1; id <= 2; id++) {
            listeners.add(new ListenerConfig(
                    id, transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Set.of(NQN)));
        }
        target = NvmfTarget.start(
                new TargetConfig(
                        listeners,
                        List.of(new SubsystemConfig(
                                NQN, "LASTING1", "nvmf4j test", true, Set.of(), List.of(namespace))),
                        new TargetLimits(128, 16, 8192, 1 << 20, 64L << 20, 2),
                        new RdmaConfig(8192, 256L << 20)),
                rdma);
        assertEquals(List.of(), target.listenFailures());
        host = host();
    }

    private NvmfHost host() {
        return NvmfHost.builder()
                .hostId(UUID.randomUUID())
                .ioThreads(2)
                .rdmaProvider(rdma)
                .build();
    }

    @AfterEach
    void stop() {
        host.close();
        target.close();
        assertEquals(MemoryRdma.Counts.NONE, rdma.counts());
    }

    private Controller connect(NvmfHost host, int listener) {
        return host.connect(ConnectOptions.of(transport, target.addresses().get(listener), NQN)
                .ioQueues(2)
                .controllerLossTimeoutMs(60_000)
                .reconnectDelayMs(20, 200));
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    /** Writes pieces all over, does something meanwhile, and checks that every byte is what was written last. */
    private static void writeWhile(Namespace namespace, byte[] model, Random random, Runnable meanwhile, String seed)
            throws Exception {
        List<CompletableFuture<Void>> writes = new ArrayList<>();
        for (int i = 0; i < PIECES; i++) {
            byte[] data = new byte[PIECE_BYTES];
            random.nextBytes(data);
            int at = i * 2 * PIECE_BYTES + 512 * random.nextInt(32);
            System.arraycopy(data, 0, model, at, data.length);
            ByteBuffer buffer = ByteBuffer.allocateDirect(data.length).put(data).flip();
            writes.add(namespace.write(at / 512, buffer));
            if (i == PIECES / 2) {
                meanwhile.run();
            }
        }
        for (CompletableFuture<Void> write : writes) {
            get(write);
        }
        ByteBuffer back = ByteBuffer.allocateDirect(model.length);
        get(namespace.read(0, back));
        byte[] bytes = new byte[model.length];
        back.get(0, bytes);
        assertTrue(Arrays.equals(model, bytes), seed);
    }

    private void openListener(InetSocketAddress address) {
        try {
            target.administration().addListener(NQN, transport, address);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource(TransportType.class)
    void shouldComeBackToAListenerThatWasClosed(TransportType transport) throws Exception {
        start(transport);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] model = new byte[MODEL_BYTES];
        InetSocketAddress address = target.addresses().get(0);
        try (Controller controller = connect(host, 0)) {
            Namespace namespace = controller.namespace(1);
            for (int round = 1; round <= 3; round++) {
                int rounds = round;
                writeWhile(
                        namespace,
                        model,
                        random,
                        () -> {
                            target.administration().removeListener(NQN, transport, address);
                            openListener(address);
                        },
                        "seed " + seed + " round " + round);
                Expect.await(() -> controller.reconnects() >= rounds, "it was not connected again");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(TransportType.class)
    void shouldGoOnOverTheOtherPath(TransportType transport) throws Exception {
        start(transport);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] model = new byte[MODEL_BYTES];
        List<InetSocketAddress> addresses = List.copyOf(target.addresses());
        try (Controller one = connect(host, 0);
                Controller two = connect(host, 1)) {
            Namespace namespace = MultipathNamespace.open(List.of(one, two), 1, PathPolicy.ROUND_ROBIN, 60_000)
                    .namespace();
            for (int round = 0; round < 4; round++) {
                InetSocketAddress lost = addresses.get(round % 2);
                Controller controller = round % 2 == 0 ? one : two;
                String name = "seed " + seed + " round " + round;
                writeWhile(
                        namespace,
                        model,
                        random,
                        () -> target.administration().removeListener(NQN, transport, lost),
                        name);
                assertFalse(controller.isLive(), name);
                openListener(lost);
                Expect.await(controller::isLive, "it was not connected again");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(TransportType.class)
    void shouldFollowAnaStates(TransportType transport) throws Exception {
        start(transport);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] model = new byte[MODEL_BYTES];
        List<InetSocketAddress> addresses = List.copyOf(target.addresses());
        try (Controller one = connect(host, 0);
                Controller two = connect(host, 1)) {
            MultipathNamespace multipath =
                    MultipathNamespace.open(List.of(one, two), 1, PathPolicy.QUEUE_DEPTH, 60_000);
            for (int round = 0; round < 4; round++) {
                int bad = round % 2;
                writeWhile(
                        multipath.namespace(),
                        model,
                        random,
                        () -> {
                            ana(addresses.get(1 - bad), AnaState.OPTIMIZED);
                            ana(addresses.get(bad), AnaState.INACCESSIBLE);
                        },
                        "seed " + seed + " round " + round);
                Namespace shown = multipath.paths().get(bad).namespace();
                Expect.await(
                        () -> shown.anaState() == AnaLog.STATE_INACCESSIBLE, "the state was not seen, seed " + seed);
            }
        }
    }

    private void ana(InetSocketAddress address, AnaState state) {
        target.administration().anaState(NQN, transport, address, 0, state);
    }

    @ParameterizedTest
    @EnumSource(TransportType.class)
    void shouldSeeANamespaceGrowAndGo(TransportType transport) throws Exception {
        start(transport, FileBlockDevice.open(directory.resolve("disk"), new FileOptions(DEVICE_BYTES, false, false)));
        try (Controller controller = connect(host, 0)) {
            Namespace namespace = controller.namespace(1);
            target.administration().resizeNamespace(NQN, 1, 2 * DEVICE_BYTES);
            Expect.await(() -> namespace.sizeBytes() == 2 * DEVICE_BYTES, "the new size was not seen");
            get(namespace.write(2 * DEVICE_BYTES / 512 - 1, ByteBuffer.allocateDirect(512)));
            target.administration().removeNamespace(NQN, 1);
            Expect.await(() -> !Status.isSuccess(namespace.refusal()), "its end was not seen");
            assertEquals(
                    Status.INVALID_NAMESPACE_OR_FORMAT,
                    Status.withoutFlags(Expect.statusOf(() -> namespace.flush().join())));
            assertTrue(controller.isLive());
        }
    }

    @ParameterizedTest
    @EnumSource(TransportType.class)
    void shouldKeepOtherHostsOut(TransportType transport) throws Exception {
        start(transport);
        try (NvmfHost stranger = host();
                Controller mine = connect(host, 0);
                Controller theirs = connect(stranger, 1)) {
            Namespace namespace = mine.namespace(1);
            get(namespace.reservations().register(11, ReservationCommand.PERSISTENCE_UNCHANGED));
            get(namespace.reservations().acquire(11, ReservationType.WRITE_EXCLUSIVE));
            assertEquals(
                    ReservationType.WRITE_EXCLUSIVE,
                    get(theirs.namespace(1).reservations().report()).type());
            assertEquals(
                    Status.RESERVATION_CONFLICT,
                    Status.withoutFlags(Expect.statusOf(() -> theirs.namespace(1)
                            .write(0, ByteBuffer.allocateDirect(512))
                            .join())));
            get(namespace.write(0, ByteBuffer.allocateDirect(512)));
            get(namespace.reservations().release(11, ReservationType.WRITE_EXCLUSIVE));
            get(theirs.namespace(1).write(0, ByteBuffer.allocateDirect(512)));
            get(namespace.reservations().unregister(11));
        }
    }

    /** What a racing host has got. */
    private final class Racer implements AutoCloseable {
        final NvmfHost host = host();
        final Queue<ReservationNotification> notices = new ConcurrentLinkedQueue<>();
        final AtomicLong preempted = new AtomicLong();
        final Controller controller;
        final Namespace namespace;
        final long key;

        Racer(int listener, long key) {
            this.key = key;
            controller =
                    host.connect(ConnectOptions.of(transport, target.addresses().get(listener), NQN)
                            .ioQueues(4)
                            .queueSelection(QueueSelection.ROUND_ROBIN)
                            .reservationListener(notices::add));
            namespace = controller.namespace(1);
        }

        /** Registers, acquires, writes and preempts; every command is answered, with success or because of the other. */
        CompletableFuture<Void> race(long otherKey, boolean abort) {
            Reservations reservations = namespace.reservations();
            return allowed(reservations.register(key, ReservationCommand.PERSISTENCE_UNCHANGED))
                    .thenCompose(registered -> allowed(reservations.acquire(key, ReservationType.WRITE_EXCLUSIVE)))
                    .thenCompose(acquired -> CompletableFuture.allOf(
                            allowed(namespace.write(0, ByteBuffer.allocateDirect(65536))),
                            allowed(namespace.write(8, ByteBuffer.allocateDirect(512))),
                            allowed(reservations.preempt(key, otherKey, ReservationType.WRITE_EXCLUSIVE, abort))
                                    .thenAccept(won -> preempted.addAndGet(won ? 1 : 0))));
        }

        private static CompletableFuture<Boolean> allowed(CompletableFuture<Void> command) {
            return command.handle((nothing, failure) -> {
                if (failure == null) {
                    return true;
                }
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                int status = Status.withoutFlags(((NvmeStatusException) cause).status());
                assertTrue(
                        status == Status.RESERVATION_CONFLICT || status == Status.PREEMPT_ABORT,
                        () -> "status " + Integer.toHexString(status));
                return false;
            });
        }

        @Override
        public void close() {
            host.close();
        }
    }

    @ParameterizedTest
    @EnumSource(TransportType.class)
    void shouldLeaveOneHolderWhenHostsRaceForTheNamespace(TransportType transport) throws Exception {
        start(transport);
        try (Racer one = new Racer(0, 11);
                Racer other = new Racer(1, 22)) {
            for (int round = 0; round < 30; round++) {
                List<CompletableFuture<Void>> races = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    races.add(one.race(other.key, round % 2 == 0));
                    races.add(other.race(one.key, i % 2 == 0));
                }
                for (CompletableFuture<Void> race : races) {
                    get(race);
                }
                ReservationStatus status = get(one.namespace.reservations().report());
                String what = "round " + round + ": " + status;
                assertEquals(ReservationType.WRITE_EXCLUSIVE, status.type(), what);
                List<ReservationStatus.Registrant> holders = status.registrants().stream()
                        .filter(ReservationStatus.Registrant::holdsReservation)
                        .toList();
                assertEquals(1, holders.size(), what);
                Racer holder = holders.get(0).key() == one.key ? one : other;
                get(holder.namespace.write(0, ByteBuffer.allocateDirect(512)));
                assertEquals(
                        Status.RESERVATION_CONFLICT,
                        Status.withoutFlags(Expect.statusOf(() -> (holder == one ? other : one)
                                .namespace
                                .write(0, ByteBuffer.allocateDirect(512))
                                .join())));
            }
            assertTrue(one.preempted.get() + other.preempted.get() > 0);
            Awaitility.await().until(() -> one.notices.size() == other.preempted.get());
            Awaitility.await().until(() -> other.notices.size() == one.preempted.get());
        }
    }

    @ParameterizedTest
    @EnumSource(TransportType.class)
    void shouldBeAFile(TransportType transport) throws Exception {
        start(transport);
        try (Controller controller = connect(host, 0);
                var channel = controller.namespace(1).channel(true)) {
            byte[] bytes = new byte[3_000_001];
            new Random(6).nextBytes(bytes);
            channel.position(777);
            assertEquals(bytes.length, channel.write(ByteBuffer.wrap(bytes)));
            channel.force();
            ByteBuffer back = ByteBuffer.allocate(bytes.length);
            channel.position(777);
            while (back.hasRemaining()) {
                channel.read(back);
            }
            assertEquals(ByteBuffer.wrap(bytes), back.flip());
            get(controller.namespace(1).deallocate(List.of(new BlockRange(0, 1))));
        }
    }
}
