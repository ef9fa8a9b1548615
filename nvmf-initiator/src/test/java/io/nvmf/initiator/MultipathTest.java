package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Status;
import io.nvmf.codec.log.AnaLog;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.controller.ControllerException;
import io.nvmf.initiator.multipath.MultipathNamespace;
import io.nvmf.initiator.multipath.PathPolicy;
import io.nvmf.initiator.namespace.BlockRange;
import io.nvmf.initiator.namespace.Namespace;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One namespace over two controllers that may fail, refuse or lie. */
class MultipathTest {
    private static final int READ = 0x02;
    private static final int WRITE = 0x01;
    private static final int WAIT_MS = 15_000;

    /** A target, and how it tells of ANA. */
    private static final class Peer implements AutoCloseable {
        final ScriptedTarget target;
        volatile int anaState = AnaLog.STATE_OPTIMIZED;
        /** What it answers to reads and writes; 0 = it carries them out. */
        volatile int status;

        volatile boolean silent;

        Peer(byte[] medium) throws IOException {
            target = new ScriptedTarget(medium);
            target.uuid = 0x11;
            target.script = this::onCommand;
        }

        private boolean onCommand(TargetConnection connection, ReceivedPdu command) throws IOException {
            if (connection.queueId == 0) {
                return onAdmin(connection, command);
            }
            boolean data = command.opcode() == READ || command.opcode() == WRITE || command.opcode() == 0x19;
            if (data && status != 0) {
                connection.response(command.commandId(), status, 0);
                return true;
            }
            return data && silent;
        }

        private boolean onAdmin(TargetConnection connection, ReceivedPdu command) throws IOException {
            if (command.opcode() == Opcode.Admin.IDENTIFY && (command.cdw(10) & 0xFF) == 1) {
                byte[] bytes = target.identify(1, 0);
                ByteBuffer.wrap(bytes)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .put(76, (byte) 0xA) // CMIC
                        .putShort(128, (short) 3) // CRDT1: 300 ms
                        .putInt(344, 1)
                        .putInt(348, 1);
                target.sendAll(connection, command.commandId(), bytes);
                return true;
            }
            if (command.opcode() == Opcode.Admin.GET_LOG_PAGE && (command.cdw(10) & 0xFF) == 0x0C) {
                ByteBuffer log = ByteBuffer.allocate(48).order(ByteOrder.LITTLE_ENDIAN);
                log.putShort(8, (short) 1).put(32, (byte) anaState); // group 0, where every namespace is
                target.sendAll(connection, command.commandId(), log.array());
                return true;
            }
            return false;
        }

        long commands(int opcode) {
            return target.received.stream()
                    .filter(pdu -> pdu.type() == ReceivedPdu.CAPSULE_CMD && pdu.queueId() > 0 && pdu.opcode() == opcode)
                    .count();
        }

        @Override
        public void close() throws IOException {
            target.close();
            assertEquals(List.of(), target.faults);
        }
    }

    private final byte[] medium = new byte[ScriptedDisk.MEDIUM_BYTES];
    private Peer one;
    private Peer two;
    private NvmfHost host;
    private Controller first;
    private Controller second;

    @BeforeEach
    void start() throws Exception {
        one = new Peer(medium);
        two = new Peer(medium);
        host = NvmfHost.builder().hostNqn(InitiatorTest.HOST_NQN).ioThreads(2).build();
    }

    @AfterEach
    void stop() throws Exception {
        host.close();
        one.close();
        two.close();
    }

    private static ConnectOptions options(Peer peer) {
        return ConnectOptions.tcp(peer.target.address(), ScriptedDisk.NQN)
                .ioQueues(2)
                .controllerLossTimeoutMs(60_000)
                .reconnectDelayMs(20, 100);
    }

    private MultipathNamespace open(PathPolicy policy, int waitMs) {
        first = host.connect(options(one));
        second = host.connect(options(two));
        return MultipathNamespace.open(List.of(first, second), 1, policy, waitMs);
    }

    private Namespace namespace() {
        return open(PathPolicy.ROUND_ROBIN, WAIT_MS).namespace();
    }

    private static ByteBuffer block() {
        return ByteBuffer.allocateDirect(512);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(40, TimeUnit.SECONDS);
    }

    // ---- Choosing

    @Test
    void shouldTakePathsInTurn() throws Exception {
        Namespace namespace = namespace();
        for (int i = 0; i < 20; i++) {
            get(namespace.read(i, block()));
        }
        assertEquals(10, one.commands(READ));
        assertEquals(10, two.commands(READ));
    }

    @Test
    void shouldTakeThePathWithFewerCommandsOut() throws Exception {
        Namespace namespace = open(PathPolicy.QUEUE_DEPTH, WAIT_MS).namespace();
        one.silent = true;
        CompletableFuture<Void> stuck = namespace.read(0, block());
        InitiatorTest.await(() -> one.commands(READ) == 1);
        for (int i = 0; i < 10; i++) {
            get(namespace.read(i, block()));
        }
        assertEquals(1, one.commands(READ));
        assertEquals(10, two.commands(READ));
        one.silent = false;
        one.target.dropConnections();
        get(stuck);
    }

    @ParameterizedTest
    @ValueSource(ints = {AnaLog.STATE_NON_OPTIMIZED, AnaLog.STATE_INACCESSIBLE, AnaLog.STATE_PERSISTENT_LOSS, 0xF, 0})
    void shouldTakeTheOptimizedPathAlone(int otherState) throws Exception {
        one.anaState = otherState;
        Namespace namespace = namespace();
        for (int i = 0; i < 10; i++) {
            get(namespace.read(i, block()));
        }
        assertEquals(0, one.commands(READ));
        assertEquals(10, two.commands(READ));
    }

    @Test
    void shouldTakeANonOptimizedPathWhenThereIsNoBetter() throws Exception {
        one.anaState = AnaLog.STATE_INACCESSIBLE;
        two.anaState = AnaLog.STATE_NON_OPTIMIZED;
        Namespace namespace = namespace();
        get(namespace.read(0, block()));
        assertEquals(1, two.commands(READ));
    }

    @Test
    void shouldAllocateNothingToChoose() throws Exception {
        Namespace namespace = namespace();
        ByteBuffer buffer = block();
        AtomicInteger done = new AtomicInteger();
        io.nvmf.initiator.queue.IoCallback callback = (status, result) -> done.incrementAndGet();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long leastBytes = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            int before = done.get();
            long start = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 100; i++) {
                namespace.queues().select();
            }
            leastBytes = Math.min(leastBytes, threads.getCurrentThreadAllocatedBytes() - start);
            assertTrue(namespace.submitRead(0, 0, buffer, callback));
            InitiatorTest.await(() -> done.get() == before + 1);
        }
        assertEquals(0, leastBytes);
    }

    // ---- Failing over

    @Test
    void shouldTakeAnotherPathWhenOneBecomesInaccessible() throws Exception {
        Namespace namespace = namespace();
        one.anaState = AnaLog.STATE_INACCESSIBLE;
        one.status = Status.ANA_INACCESSIBLE;
        for (int i = 0; i < 20; i++) {
            get(namespace.write(i, InitiatorTest.random(512, i)));
        }
        assertEquals(20, two.commands(WRITE));
        assertEquals(1, one.commands(WRITE));
        // It comes back: nobody tells by an event here, so the host asks.
        one.anaState = AnaLog.STATE_OPTIMIZED;
        one.status = 0;
        get(first.refreshAnaAsync());
        get(namespace.read(0, block()));
        get(namespace.read(0, block()));
        assertEquals(1, one.commands(READ));
    }

    @ParameterizedTest
    @ValueSource(ints = {Status.ANA_INACCESSIBLE, 1 << 11 | Status.COMMAND_INTERRUPTED}) // no path; CRD 1
    void shouldEndWhatWaitsWhenTheHostIsClosed(int status) throws Exception {
        Namespace namespace = namespace();
        one.anaState = AnaLog.STATE_INACCESSIBLE;
        two.anaState = AnaLog.STATE_INACCESSIBLE;
        one.status = status;
        two.status = status;
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            waiting.add(namespace.write(i, InitiatorTest.random(512, i)));
        }
        InitiatorTest.await(() -> one.commands(WRITE) + two.commands(WRITE) >= 8);
        host.close();
        for (CompletableFuture<Void> each : waiting) {
            InitiatorTest.await(each::isCompletedExceptionally);
        }
    }

    @Test
    void shouldLoseNoWriteWhilePathsComeAndGo() throws Exception {
        Namespace namespace = namespace();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] model = new byte[1 << 20];
        int written = 0;
        for (int round = 0; round < 12; round++) {
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                byte[] data = new byte[16384];
                random.nextBytes(data);
                int at = i * 32768 + 512 * random.nextInt(32); // requests of a round do not overlap
                System.arraycopy(data, 0, model, at, data.length);
                writes.add(namespace.write(
                        at / 512,
                        ByteBuffer.allocateDirect(data.length).put(data).flip()));
                if (i == 16) {
                    (round % 2 == 0 ? one : two).target.dropConnections();
                }
                written++;
            }
            for (CompletableFuture<Void> write : writes) {
                get(write);
            }
            ByteBuffer back = ByteBuffer.allocateDirect(model.length);
            get(namespace.read(0, back));
            assertTrue(
                    Arrays.equals(model, InitiatorTest.bytes(back)), "seed " + seed + " after " + written + " writes");
        }
    }

    @Test
    void shouldSendTheWholeRequestAgainWhenAPathIsLostInTheMiddle() throws Exception {
        one.target.readPduBytes = 4096;
        Namespace namespace = namespace();
        ByteBuffer data = InitiatorTest.random(1 << 20, 9);
        get(namespace.write(0, data));
        AtomicInteger halves = new AtomicInteger();
        ScriptedTarget.Script others = one.target.script;
        one.target.script = (connection, command) -> {
            if (connection.queueId > 0 && command.opcode() == READ) {
                halves.incrementAndGet();
                connection.readData(command.commandId(), 0, new byte[4096], 0, 4096, 0); // zeros, which are wrong
                connection.close();
                return true;
            }
            return others.onCommand(connection, command);
        };
        for (int i = 0; i < 4; i++) {
            ByteBuffer back = ByteBuffer.allocateDirect(1 << 20);
            get(namespace.read(0, back));
            assertEquals(data, back);
        }
        assertTrue(halves.get() >= 1);
    }

    @Test
    void shouldWaitForAPathAndGoOn() throws Exception {
        Namespace namespace = namespace();
        for (Peer peer : List.of(one, two)) {
            peer.target.refusing = true;
            peer.target.dropConnections();
        }
        InitiatorTest.await(() -> !first.isLive() && !second.isLive());
        CompletableFuture<Void> write = namespace.write(3, InitiatorTest.random(512, 4));
        CompletableFuture<Void> copy = namespace.copy(List.of(new BlockRange(0, 1)), 9); // never sent, so it may wait
        two.target.refusing = false;
        get(write);
        assertEquals(Status.INVALID_OPCODE | Status.DNR, InitiatorTest.statusOf(copy));
        assertEquals(0, one.commands(WRITE));
    }

    @Test
    void shouldFailWhenThereIsNoPathForTooLong() throws Exception {
        Namespace namespace = open(PathPolicy.ROUND_ROBIN, 300).namespace();
        one.anaState = AnaLog.STATE_INACCESSIBLE;
        two.anaState = AnaLog.STATE_INACCESSIBLE;
        one.status = Status.ANA_INACCESSIBLE;
        two.status = Status.ANA_INACCESSIBLE;
        assertEquals(Status.ANA_INACCESSIBLE, InitiatorTest.statusOf(namespace.read(0, block())));
        assertEquals(1, one.commands(READ));
        assertEquals(1, two.commands(READ));
    }

    @Test
    void shouldFailAtOnceWhenEveryPathIsOver() throws Exception {
        Namespace namespace = open(PathPolicy.ROUND_ROBIN, Integer.MAX_VALUE).namespace();
        first.close();
        get(namespace.read(0, block()));
        second.close();
        assertEquals(Status.ABORTED_BY_HOST, InitiatorTest.statusOf(namespace.read(0, block())));
    }

    @Test
    void shouldNotRepeatWhatMayHaveTakenEffect() throws Exception {
        Namespace namespace = namespace();
        one.silent = true;
        two.silent = true;
        CompletableFuture<Void> copy = namespace.copy(List.of(new BlockRange(0, 1)), 9);
        InitiatorTest.await(() -> one.commands(0x19) + two.commands(0x19) == 1);
        one.target.dropConnections();
        two.target.dropConnections();
        assertEquals(Status.HOST_PATHING_ERROR, InitiatorTest.statusOf(copy));
        assertEquals(1, one.commands(0x19) + two.commands(0x19));
    }

    // ---- Statuses

    @ParameterizedTest
    @ValueSource(
            ints = {
                Status.INTERNAL_PATH_ERROR | Status.DNR,
                Status.UNRECOVERED_READ_ERROR,
                Status.LBA_OUT_OF_RANGE,
                Status.COMMAND_INTERRUPTED | Status.DNR
            })
    void shouldNotRetryWhatAnotherPathCannotHelp(int status) throws Exception {
        Namespace namespace = namespace();
        one.status = status;
        two.status = status;
        assertEquals(status, InitiatorTest.statusOf(namespace.read(0, block())));
        assertEquals(1, one.commands(READ) + two.commands(READ));
    }

    @Test
    void shouldNotRetryForEverWhatShouldPassByItself() throws Exception {
        Namespace namespace = namespace();
        one.status = Status.COMMAND_INTERRUPTED;
        two.status = Status.COMMAND_INTERRUPTED;
        assertEquals(Status.COMMAND_INTERRUPTED, InitiatorTest.statusOf(namespace.read(0, block())));
        assertEquals(5, one.commands(READ) + two.commands(READ));
    }

    @Test
    void shouldWaitAsLongAsTheControllerAsks() throws Exception {
        Namespace namespace = namespace();
        one.anaState = AnaLog.STATE_INACCESSIBLE;
        get(first.refreshAnaAsync());
        long[] nanos = new long[2];
        ScriptedTarget.Script others = two.target.script;
        two.target.script = (connection, command) -> {
            if (connection.queueId > 0 && command.opcode() == READ) {
                if (nanos[0] == 0) {
                    nanos[0] = System.nanoTime();
                    connection.response(command.commandId(), Status.COMMAND_INTERRUPTED | 1 << 11, 0); // CRD 1
                    return true;
                }
                nanos[1] = System.nanoTime();
            }
            return others.onCommand(connection, command);
        };
        get(namespace.read(0, block()));
        assertTrue(nanos[1] - nanos[0] >= TimeUnit.MILLISECONDS.toNanos(300));
    }

    @Test
    void shouldNotSpinOnAPathThatLies() throws Exception {
        Namespace namespace = open(PathPolicy.ROUND_ROBIN, 1000).namespace();
        one.status = Status.ANA_INACCESSIBLE; // the log says optimized
        two.status = Status.INTERNAL_PATH_ERROR;
        InitiatorTest.statusOf(namespace.read(0, block()));
        long sent = one.commands(READ) + two.commands(READ);
        assertTrue(sent >= 3 && sent < 40, "sent " + sent + " times");
    }

    // ---- Which paths there are

    @Test
    void shouldRefuseAPathToAnotherNamespace() throws Exception {
        two.target.uuid = 0x22;
        ControllerException failure =
                assertThrows(ControllerException.class, () -> open(PathPolicy.ROUND_ROBIN, WAIT_MS));
        assertTrue(failure.getMessage().contains("is another one"), failure.getMessage());
    }

    @Test
    void shouldRefuseAPathToANamespaceWithoutIdentifiers() throws Exception {
        one.target.uuid = 0;
        two.target.uuid = 0;
        ControllerException failure =
                assertThrows(ControllerException.class, () -> open(PathPolicy.ROUND_ROBIN, WAIT_MS));
        assertTrue(failure.getMessage().contains("no identifiers"), failure.getMessage());
    }

    @Test
    void shouldUseAPathNoLongerThatWasRemoved() throws Exception {
        MultipathNamespace multipath = open(PathPolicy.ROUND_ROBIN, WAIT_MS);
        multipath.removePath(first);
        assertEquals(1, multipath.paths().size());
        for (int i = 0; i < 4; i++) {
            get(multipath.namespace().read(0, block()));
        }
        assertEquals(0, one.commands(READ));
        multipath.removePath(second);
        assertEquals(1, multipath.paths().size()); // the last one stays
        multipath.addPath(first);
        assertFalse(multipath.paths().stream().noneMatch(path -> path.controller() == first));
        get(multipath.namespace().read(0, block()));
        get(multipath.namespace().read(0, block()));
        assertEquals(1, one.commands(READ));
    }
}
