package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.controller.ControllerState;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.NvmeStatusException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An association is lost, and another one takes its place, or not. */
class ReconnectTest extends InitiatorTest {
    private static final int READ = 0x02;
    private static final int WRITE = 0x01;
    private static final int FABRICS = 0x7F;

    private final List<ControllerState> states = new CopyOnWriteArrayList<>();
    private final List<String> reasons = new CopyOnWriteArrayList<>();

    private ConnectOptions lasting() {
        return options()
                .controllerLossTimeoutMs(20_000)
                .reconnectDelayMs(20, 100)
                .stateListener((controller, state, reason) -> {
                    states.add(state);
                    reasons.add(reason);
                });
    }

    private List<ReceivedPdu> connects(int queueId) {
        return target.received.stream()
                .filter(pdu -> pdu.type() == ReceivedPdu.CAPSULE_CMD
                        && pdu.opcode() == FABRICS
                        && pdu.fabricsType() == 1
                        && pdu.u16(8 + 42) == queueId)
                .toList();
    }

    private static ByteBuffer block() {
        return ByteBuffer.allocateDirect(512);
    }

    // ---- Coming back

    @Test
    void shouldGoOnWithTheSameObjectsWhenTheAssociationIsLost() throws Exception {
        try (Controller controller = host.connect(lasting().ioQueues(3))) {
            Namespace namespace = controller.namespace(1);
            for (int round = 1; round <= 3; round++) {
                target.dropConnections();
                ByteBuffer data = random(16384, round);
                namespace.write(round, data).get(20, TimeUnit.SECONDS);
                assertArrayEquals(bytes(data), Arrays.copyOfRange(target.medium, 512 * round, 512 * round + 16384));
                int rounds = round;
                await(() -> controller.reconnects() == rounds && controller.isLive());
            }
            controller.identifyController();
            assertEquals(namespace, controller.namespace(1));
            assertEquals(4, connects(3).size());
            assertFalse(controller.ended().isDone());
        }
        assertEquals(
                List.of(
                        ControllerState.RECONNECTING,
                        ControllerState.LIVE,
                        ControllerState.RECONNECTING,
                        ControllerState.LIVE,
                        ControllerState.RECONNECTING,
                        ControllerState.LIVE,
                        ControllerState.CLOSING,
                        ControllerState.CLOSED),
                states);
    }

    @Test
    void shouldCarryOutAgainWhatWasOutWhenTheConnectionWasLost() throws Exception {
        AtomicInteger ignored = new AtomicInteger();
        target.script = (connection, command) ->
                connection.queueId == 1 && command.opcode() != FABRICS && ignored.incrementAndGet() <= 3;
        try (Controller controller = host.connect(lasting().maxTransferBytes(65536))) {
            Namespace namespace = controller.namespace(1);
            ByteBuffer data = random(1 << 20, 5);
            CompletableFuture<Void> write = namespace.write(7, data); // 16 commands, of which 3 are ignored
            await(() -> ignored.get() >= 3);
            target.dropConnections();
            write.get(20, TimeUnit.SECONDS);
            ByteBuffer back = ByteBuffer.allocateDirect(1 << 20);
            namespace.read(7, back).get(20, TimeUnit.SECONDS);
            assertEquals(data, back);
        }
    }

    @Test
    void shouldNotCarryOutAgainWhatMayHaveAnotherOutcomeThen() throws Exception {
        target.script = (connection, command) -> connection.queueId == 1 && command.opcode() != FABRICS;
        try (Controller controller = host.connect(lasting())) {
            Namespace namespace = controller.namespace(1);
            List<CompletableFuture<?>> once = List.of(
                    controller.ioPassthrough(sqe -> sqe.clear(0x00).nsid(1), null),
                    namespace.compareAndWrite(0, random(512, 1), random(512, 2)),
                    namespace.copy(List.of(new io.nvmf.initiator.namespace.BlockRange(0, 1)), 5));
            await(() -> target.received.stream()
                            .filter(pdu -> pdu.type() == ReceivedPdu.CAPSULE_CMD
                                    && pdu.queueId() == 1
                                    && pdu.opcode() != FABRICS)
                            .count()
                    == 4);
            target.dropConnections();
            once.forEach(future -> assertEquals(Status.HOST_PATHING_ERROR, statusOf(future)));
            await(() -> controller.reconnects() == 1);
            target.script = (connection, command) -> false;
            namespace.flush().get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldGiveUpARequestThatIsOutAtEveryLoss() throws Exception {
        target.script = (connection, command) -> {
            if (connection.queueId == 1 && command.opcode() == READ) {
                connection.close();
                return true;
            }
            return false;
        };
        try (Controller controller = host.connect(lasting())) {
            CompletableFuture<Void> poison = controller.namespace(1).read(0, block());
            assertEquals(Status.HOST_PATHING_ERROR, statusOf(poison));
            assertEquals(6, target.commands(1, READ).size());
            await(() -> controller.isLive());
        }
    }

    @Test
    void shouldFailAdminCommandsUntilItIsConnectedAgain() throws Exception {
        try (Controller controller = host.connect(lasting())) {
            target.refusing = true;
            target.dropConnections();
            await(() -> controller.state() == ControllerState.RECONNECTING);
            NvmeStatusException failure =
                    assertThrows(NvmeStatusException.class, () -> controller.identifyController());
            assertEquals(Status.HOST_PATHING_ERROR, failure.status());
            target.refusing = false;
            await(() -> controller.isLive());
            controller.identifyController();
        }
    }

    @Test
    void shouldUseFewerQueuesWhenFewerAreGranted() throws Exception {
        try (Controller controller = host.connect(lasting().ioQueues(4))) {
            Namespace namespace = controller.namespace(1);
            target.grantedQueues = 2;
            target.refusing = true;
            target.dropConnections();
            await(() -> controller.state() == ControllerState.RECONNECTING);
            CompletableFuture<Integer> last = new CompletableFuture<>();
            assertTrue(namespace.submitRead(3, 0, block(), (status, result) -> last.complete(status)));
            target.refusing = false;
            assertEquals(Status.HOST_PATHING_ERROR, last.get(20, TimeUnit.SECONDS));
            await(() -> controller.isLive());
            assertEquals(2, controller.ioQueueCount());
            CompletableFuture<Integer> other = new CompletableFuture<>();
            assertTrue(namespace.submitRead(3, 0, block(), (status, result) -> other.complete(status)));
            assertEquals(Status.SUCCESS, other.get(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldNotExceedASmallerQueueOfTheNextAssociation() throws Exception {
        try (Controller controller = host.connect(lasting().queueDepth(32))) {
            Namespace namespace = controller.namespace(1);
            target.maxCommands = 3;
            target.refusing = true;
            target.dropConnections();
            await(() -> controller.state() == ControllerState.RECONNECTING);
            AtomicInteger read = new AtomicInteger();
            target.script = (connection, command) -> {
                boolean held = connection.queueId == 1 && command.opcode() == READ;
                read.addAndGet(held ? 1 : 0);
                return held;
            };
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                all.add(namespace.read(0, block()));
            }
            target.refusing = false;
            await(() -> controller.isLive() && read.get() > 0);
            for (int i = 0; i < 20; i++) {
                controller.identifyController();
            }
            assertEquals(2, read.get());
            assertEquals(2, connects(1).get(1).u16(8 + 44)); // SQSIZE
        }
    }

    // ---- Whose namespace it is then

    @Test
    void shouldNotTouchAnotherNamespaceThatHasTheIdNow() throws Exception {
        AtomicInteger disk = new AtomicInteger(1);
        target.script = (connection, command) -> {
            if (connection.queueId == 0 && command.opcode() == 0x06 && (command.cdw(10) & 0xFF) == 0x03) {
                byte[] ids = new byte[4096];
                ids[0] = 3; // UUID
                ids[1] = 16;
                ids[4] = (byte) disk.get();
                target.sendAll(connection, command.commandId(), ids);
                return true;
            }
            return false;
        };
        try (Controller controller = host.connect(lasting())) {
            Namespace namespace = controller.namespace(1);
            disk.set(2);
            target.refusing = true;
            target.dropConnections();
            await(() -> controller.state() == ControllerState.RECONNECTING);
            CompletableFuture<Void> write = namespace.write(0, random(512, 1));
            target.refusing = false;
            assertEquals(Status.INVALID_NAMESPACE_OR_FORMAT | Status.DNR, statusOf(write));
            assertEquals(Status.INVALID_NAMESPACE_OR_FORMAT | Status.DNR, statusOf(namespace.flush()));
            assertTrue(target.commands(1, WRITE).isEmpty());
            Namespace other = controller.namespace(1);
            assertFalse(other == namespace);
            other.flush().get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldSeeANewSizeAfterItIsConnectedAgain() throws Exception {
        AtomicInteger blocks = new AtomicInteger(1000);
        target.script = (connection, command) -> {
            if (connection.queueId == 0 && command.opcode() == 0x06 && (command.cdw(10) & 0xFF) == 0) {
                byte[] data = target.identify(0, 1);
                ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).putLong(0, blocks.get());
                target.sendAll(connection, command.commandId(), data);
                return true;
            }
            return false;
        };
        try (Controller controller = host.connect(lasting())) {
            Namespace namespace = controller.namespace(1);
            assertEquals(1000, namespace.blockCount());
            blocks.set(2000);
            target.dropConnections();
            await(() -> namespace.blockCount() == 2000);
        }
    }

    // ---- Giving up

    @Test
    void shouldFailRequestsWhenTheControllerStaysAwayForTooLongButGoOnTrying() throws Exception {
        try (Controller controller = host.connect(lasting().fastIoFailTimeoutMs(150))) {
            Namespace namespace = controller.namespace(1);
            target.refusing = true;
            target.dropConnections();
            await(() -> controller.state() == ControllerState.RECONNECTING);
            CompletableFuture<Void> waiting = namespace.flush();
            assertEquals(Status.HOST_PATHING_ERROR, statusOf(waiting));
            assertEquals(Status.HOST_PATHING_ERROR, statusOf(namespace.flush())); // at once, or the test takes long
            assertEquals(ControllerState.RECONNECTING, controller.state());
            target.refusing = false;
            await(() -> controller.isLive());
            namespace.flush().get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldGiveTheControllerUpWhenItStaysAway() throws Exception {
        Controller controller = host.connect(lasting().controllerLossTimeoutMs(300));
        Namespace namespace = controller.namespace(1);
        target.refusing = true;
        target.dropConnections();
        await(() -> controller.state() == ControllerState.RECONNECTING);
        CompletableFuture<Void> waiting = namespace.flush();
        String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
        assertTrue(reason.contains("could not be connected again for "), reason);
        assertTrue(waiting.isDone());
        assertEquals(Status.HOST_PATHING_ERROR, statusOf(waiting));
        assertEquals(Status.HOST_PATHING_ERROR, statusOf(namespace.flush()));
        assertTrue(target.refused.get() >= 2, target.refused.toString());
        assertEquals(List.of(ControllerState.RECONNECTING, ControllerState.CLOSED), states);
        int refused = target.refused.get();
        host.connectAsync(options()); // fails: the listener is served in order
        await(() -> target.refused.get() > refused);
        assertEquals(refused + 1, target.refused.get());
    }

    @Test
    void shouldGiveTheControllerUpAtOnceWhenItSaysNotToTryAgain() throws Exception {
        Controller controller = host.connect(lasting());
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == FABRICS && command.fabricsType() == 1;
            if (matches) {
                connection.response(command.commandId(), Status.CONNECT_INVALID_HOST | Status.DNR, 0);
            }
            return matches;
        };
        target.dropConnections();
        String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
        assertTrue(reason.contains("because it says not to try, in 1 attempts"), reason);
        assertTrue(reason.contains("refuses to connect"), reason);
        assertEquals(2, connects(0).size());
    }

    @Test
    void shouldTryAgainWhenAConnectIsRefusedForNow() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        try (Controller controller = host.connect(lasting())) {
            target.script = (connection, command) -> {
                boolean matches =
                        command.opcode() == FABRICS && command.fabricsType() == 1 && refused.incrementAndGet() <= 3;
                if (matches) {
                    connection.response(command.commandId(), Status.CONNECT_CONTROLLER_BUSY, 0);
                }
                return matches;
            };
            target.dropConnections();
            await(() -> controller.reconnects() == 1);
            assertEquals(5, connects(0).size());
        }
    }

    @Test
    void shouldStopConnectingWhenItIsDisconnected() throws Exception {
        Controller controller = host.connect(lasting());
        Namespace namespace = controller.namespace(1);
        target.refusing = true;
        target.dropConnections();
        await(() -> controller.state() == ControllerState.RECONNECTING);
        CompletableFuture<Void> waiting = namespace.flush();
        controller.close();
        assertEquals(ControllerState.CLOSED, controller.state());
        assertEquals(Status.ABORTED_BY_HOST, statusOf(waiting));
        await(() -> target.openConnections() == 0);
    }

    @Test
    void shouldStopAnAttemptWhenItIsDisconnected() throws Exception {
        AtomicInteger silent = new AtomicInteger();
        Controller controller = host.connect(lasting());
        target.script = (connection, command) ->
                command.opcode() == FABRICS && command.fabricsType() == 0 && silent.incrementAndGet() > 0;
        target.dropConnections();
        await(() -> silent.get() == 1); // its Property Set is never answered
        controller.close();
        await(() -> target.openConnections() == 0);
        assertEquals(List.of(ControllerState.RECONNECTING, ControllerState.CLOSING, ControllerState.CLOSED), states);
    }

    @Test
    void shouldSayThatKeepAliveMayHaveExpiredWhenTheControllerLeavesWhileItIsConnected() {
        target.script = (connection, command) -> {
            if (connection.queueId == 0 && command.opcode() == 0x18) {
                return true;
            }
            if (command.opcode() == FABRICS && command.fabricsType() == 1 && command.u16(8 + 42) == 1) {
                await(() -> !target.commands(0, 0x18).isEmpty());
                java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
                target.dropConnections();
                return true;
            }
            return false;
        };
        Exception failure = assertThrows(
                io.nvmf.initiator.transport.ConnectionException.class,
                () -> host.connect(options().keepAliveTimeoutMs(200)));
        assertTrue(
                failure.getMessage().contains("keep alive timeout of 200 ms may have expired"), failure.getMessage());
    }

    // ---- Late commands

    @Test
    void shouldAbortALateCommandAndLiveOn() throws Exception {
        int[] late = new int[1];
        TargetConnection[] queue = new TargetConnection[1];
        target.script = (connection, command) -> {
            if (connection.queueId == 1 && command.opcode() == READ) {
                late[0] = command.commandId();
                queue[0] = connection;
                return true;
            }
            if (connection.queueId == 0 && command.opcode() == 0x08) {
                queue[0].response(late[0], Status.ABORT_REQUESTED, 0);
                connection.response(command.commandId(), 0, 0);
                return true;
            }
            return false;
        };
        try (Controller controller = host.connect(options().ioTimeoutMs(200))) {
            Namespace namespace = controller.namespace(1);
            assertEquals(Status.ABORT_REQUESTED, statusOf(namespace.read(0, block())));
            assertTrue(controller.isLive());
            namespace.flush().join();
        }
        List<ReceivedPdu> aborts = target.commands(0, 0x08);
        assertEquals(1, aborts.size());
        assertEquals(late[0] << 16 | 1, aborts.get(0).cdw(10));
    }

    @Test
    void shouldAbortNoMoreAtATimeThanTheControllerTakes() throws Exception {
        target.script = (connection, command) -> connection.queueId == 1 && command.opcode() == READ
                || connection.queueId == 0 && command.opcode() == 0x08;
        Controller controller = host.connect(options().ioTimeoutMs(200));
        Namespace namespace = controller.namespace(1);
        List<CompletableFuture<Void>> late = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            late.add(namespace.read(i, block()));
        }
        late.forEach(future -> assertEquals(Status.HOST_PATHING_ERROR, statusOf(future)));
        String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
        assertTrue(reason.contains("nor when it was to be aborted"), reason);
        assertEquals(1, target.commands(0, 0x08).size()); // ACL 0: one
    }
}
