package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.controller.ControllerException;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.NvmeStatusException;
import io.nvmf.initiator.transport.ConnectionException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What happens while an association lives, and how it ends. */
class LifecycleTest extends InitiatorTest {
    private static final int KEEP_ALIVE = 0x18;
    private static final int ASYNC_EVENT_REQUEST = 0x0C;

    // ---- Keep alive

    @Test
    void shouldSendKeepAliveWhileConnected() {
        try (Controller controller = host.connect(options().keepAliveTimeoutMs(1000))) {
            await(() -> target.commands(0, KEEP_ALIVE).size() >= 2);
            assertTrue(controller.isLive());
        }
        ReceivedPdu keepAlive = target.commands(0, KEEP_ALIVE).get(0);
        assertEquals(0, keepAlive.cdw(1)); // NSID
        assertEquals(0, keepAlive.sglLength());
        assertEquals(0x5A, keepAlive.sglIdentifier());
    }

    @Test
    void shouldSendNoKeepAliveWithoutATimeout() {
        try (Controller controller = host.connect(options().keepAliveTimeoutMs(0))) {
            for (int i = 0; i < 50; i++) {
                controller.identifyController();
            }
            assertEquals(0, target.commands(0, KEEP_ALIVE).size());
        }
    }

    @Test
    void shouldSendNoKeepAliveToAControllerThatHasNone() {
        target.keepAliveGranularity = 0;
        try (Controller controller = host.connect(options().keepAliveTimeoutMs(100))) {
            Awaitility.await()
                    .during(Duration.ofMillis(400))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> target.commands(0, KEEP_ALIVE).isEmpty());
            assertTrue(controller.isLive());
        }
    }

    @Test
    void shouldEndTheAssociationWhenKeepAliveIsNotAnswered() throws Exception {
        Controller controller = host.connect(options().keepAliveTimeoutMs(200));
        target.script = (connection, command) -> command.opcode() == KEEP_ALIVE && connection.queueId == 0;
        String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
        assertTrue(reason.contains("did not answer a command (opcode 18h) within 200 ms"), reason);
        await(() -> target.openConnections() == 0);
    }

    @Test
    void shouldEndTheAssociationWhenKeepAliveIsRefused() throws Exception {
        Controller controller = host.connect(options().keepAliveTimeoutMs(200));
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == KEEP_ALIVE && connection.queueId == 0;
            if (matches) {
                connection.response(command.commandId(), Status.KEEP_ALIVE_TIMEOUT_EXPIRED, 0);
            }
            return matches;
        };
        String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
        assertTrue(reason.contains("refuses Keep Alive"), reason);
    }

    @Test
    void shouldSendKeepAliveThoughTheAdminQueueIsFull() {
        target.script = (connection, command) -> command.opcode() == Opcode.Admin.GET_FEATURES;
        Controller controller = host.connect(options().keepAliveTimeoutMs(1000));
        List<CompletableFuture<Long>> stuck = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            stuck.add(controller.getFeatureAsync(1, 0, 0));
        }
        await(() -> target.commands(0, Opcode.Admin.GET_FEATURES).size() == 29);
        int before = target.commands(0, KEEP_ALIVE).size();
        await(() -> target.commands(0, KEEP_ALIVE).size() >= before + 2);
        controller.close();
        stuck.forEach(future -> assertEquals(Status.ABORTED_BY_HOST, statusOf(future)));
    }

    // ---- Asynchronous events

    @Test
    void shouldHandOnEventsAndAskForTheNext() throws Exception {
        BlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();
        AtomicInteger requests = new AtomicInteger();
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == ASYNC_EVENT_REQUEST && connection.queueId == 0;
            if (matches && requests.incrementAndGet() <= 2) {
                connection.response(command.commandId(), 0, requests.get() == 1 ? 0x0004_0002L : 0x0070_F002L);
            }
            return matches;
        };
        try (Controller controller = host.connect(options().eventListener(events::add))) {
            assertEquals(AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED, events.poll(20, TimeUnit.SECONDS));
            assertEquals(AsyncEvent.DISCOVERY_LOG_CHANGE, events.poll(20, TimeUnit.SECONDS));
            await(() -> target.commands(0, ASYNC_EVENT_REQUEST).size() == 3);
            assertTrue(controller.isLive());
        }
        List<ReceivedPdu> features = target.commands(0, Opcode.Admin.SET_FEATURES);
        assertTrue(features.stream().anyMatch(pdu -> pdu.cdw(10) == 0x0B && pdu.cdw(11) == 1 << 8));
    }

    @Test
    void shouldLiveOnWhenEventsAreRefused() {
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == ASYNC_EVENT_REQUEST && connection.queueId == 0;
            if (matches) {
                connection.response(command.commandId(), Status.ASYNC_EVENT_REQUEST_LIMIT_EXCEEDED, 0);
            }
            return matches;
        };
        try (Controller controller = connect()) {
            controller.namespace(1).flush().join();
            assertEquals(1, target.commands(0, ASYNC_EVENT_REQUEST).size());
        }
    }

    // ---- Disconnecting

    @Test
    void shouldShutTheControllerDownBeforeItDisconnects() {
        Controller controller = host.connect(options().ioQueues(2));
        controller.close();
        assertFalse(controller.isLive());
        await(() -> target.openConnections() == 0);
        List<ReceivedPdu> fabrics = target.commands(0, 0x7F);
        ReceivedPdu shutdown = fabrics.get(fabrics.size() - 2);
        assertEquals(0x00, shutdown.fabricsType());
        assertEquals(0x14, shutdown.i32(8 + 44)); // CC
        assertEquals(0x0046_4001, shutdown.i64(8 + 48)); // SHN 01b, EN stays
        ReceivedPdu poll = fabrics.get(fabrics.size() - 1);
        assertEquals(0x04, poll.fabricsType());
        assertEquals(0x1C, poll.i32(8 + 44)); // CSTS
        controller.close();
    }

    @Test
    void shouldDisconnectInBoundedTimeWhenTheControllerDoesNotShutDown() {
        target.script = (connection, command) ->
                command.opcode() == 0x7F && command.fabricsType() == 0 && (command.i64(8 + 48) & 0xC000) != 0;
        host.connect(options().shutdownTimeoutMs(300)).close();
        await(() -> target.openConnections() == 0);
    }

    @Test
    void shouldFailWhatIsOutstandingWhenItDisconnects() {
        target.script = (connection, command) -> connection.queueId == 1 && command.opcode() != 0x7F;
        Controller controller = host.connect(options().queueDepth(2));
        Namespace namespace = controller.namespace(1);
        CompletableFuture<Void> sent = namespace.read(0, ByteBuffer.allocateDirect(512));
        CompletableFuture<Void> waiting = namespace.write(0, ByteBuffer.allocateDirect(1 << 20));
        await(() -> target.commands(1, 0x02).size() == 1);
        controller.close();
        assertEquals(Status.ABORTED_BY_HOST, statusOf(sent));
        assertEquals(Status.ABORTED_BY_HOST, statusOf(waiting));
        assertEquals(Status.ABORTED_BY_HOST, statusOf(namespace.flush()));
        assertThrows(NvmeStatusException.class, () -> controller.identifyController());
    }

    // ---- Losing

    @Test
    void shouldFailEverythingWhenOneConnectionIsLost() throws Exception {
        target.script = (connection, command) -> {
            if (connection.queueId > 0 && command.opcode() == 0x02) {
                if (connection.queueId == 2) {
                    connection.close();
                }
                return true;
            }
            return false;
        };
        Controller controller = host.connect(options().ioQueues(3));
        Namespace namespace = controller.namespace(1);
        List<CompletableFuture<Integer>> done = new ArrayList<>();
        for (int queue : new int[] {0, 2, 1}) {
            CompletableFuture<Integer> status = new CompletableFuture<>();
            done.add(status);
            namespace.submitRead(queue, 0, ByteBuffer.allocateDirect(512), (result, none) -> status.complete(result));
            await(() -> target.commands(queue + 1, 0x02).size() == 1);
        }
        for (CompletableFuture<Integer> status : done) {
            assertEquals(Status.HOST_PATHING_ERROR, status.get(20, TimeUnit.SECONDS));
        }
        ConnectionException reason = controller.ended().get(20, TimeUnit.SECONDS);
        assertTrue(reason.getMessage().contains("queue 2 closed the connection"), reason.getMessage());
        await(() -> target.openConnections() == 0);
        CompletionException failure =
                assertThrows(CompletionException.class, () -> namespace.flush().join());
        assertTrue(
                failure.getCause().getMessage().contains("queue 2 closed"),
                failure.getCause().getMessage());
        assertFalse(controller.isLive());
    }

    @Test
    void shouldEndTheAssociationWhenACommandIsLate() throws Exception {
        target.script = (connection, command) -> connection.queueId == 1 && command.opcode() == 0x02;
        Controller controller = host.connect(options().ioTimeoutMs(150));
        Namespace namespace = controller.namespace(1);
        assertEquals(Status.HOST_PATHING_ERROR, statusOf(namespace.read(0, ByteBuffer.allocateDirect(512))));
        String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
        assertTrue(reason.contains("queue 1 did not answer a command (opcode 02h) within 150 ms"), reason);
        await(() -> target.openConnections() == 0);
    }

    @Test
    void shouldKeepTheBuffersUntilTheSocketLetsGoOfThem() throws Exception {
        int length = 32 << 20;
        CompletableFuture<Void> mayRead = new CompletableFuture<>();
        int[] flushId = new int[1];
        target.script = (connection, command) -> {
            if (connection.queueId == 1 && command.opcode() == 0x00) {
                flushId[0] = command.commandId();
                return true;
            }
            if (connection.queueId == 1 && command.opcode() == 0x01) {
                connection.r2t(command.commandId(), 1, 0, length);
                connection.awaitInput();
                connection.response(command.commandId(), Status.INTERNAL_ERROR, 0);
                connection.response(flushId[0], 0, 0);
                mayRead.join();
                connection.receive();
                return true;
            }
            return false;
        };
        target.maxH2cData = length;
        Controller controller = host.connect(options().maxTransferBytes(length));
        Namespace namespace = controller.namespace(1);
        CompletableFuture<Void> flush = namespace.flush();
        CompletableFuture<Void> write = namespace.write(0, ByteBuffer.allocateDirect(length));
        flush.get(20, TimeUnit.SECONDS); // its answer comes behind that of the write
        assertFalse(write.isDone());
        mayRead.complete(null);
        assertEquals(Status.INTERNAL_ERROR, statusOf(write));
        controller.close();
    }

    // ---- Admin commands

    @Test
    void shouldSendAnyAdminCommand() {
        target.script = (connection, command) -> {
            if (command.opcode() == 0xC1 && connection.queueId == 0) {
                connection.response(command.commandId(), 0, command.data()[3] + (0x77L << 32));
                return true;
            }
            if (command.opcode() == 0xC2 && connection.queueId == 0) {
                target.sendAll(connection, command.commandId(), new byte[] {1, 2, 3, 4});
                return true;
            }
            return false;
        };
        try (Controller controller = connect()) {
            ByteBuffer out = ByteBuffer.allocateDirect(8).put(3, (byte) 42);
            assertEquals(
                    42 + (0x77L << 32),
                    controller
                            .adminPassthrough(sqe -> sqe.clear(0xC1).nsid(5).cdw(15, 0xFFFF_FFFFL), out)
                            .join());
            ByteBuffer in = ByteBuffer.allocateDirect(4);
            controller.adminPassthrough(sqe -> sqe.clear(0xC2), in).join();
            assertEquals(0x01020304, in.getInt(0));
            NvmeStatusException failure = (NvmeStatusException) assertThrows(
                            CompletionException.class,
                            () -> controller
                                    .adminPassthrough((Sqe sqe) -> sqe.clear(0xC0), null)
                                    .join())
                    .getCause();
            assertEquals(Status.INVALID_OPCODE | Status.DNR, failure.status());
            assertEquals("Admin command C0h failed: Invalid Command Opcode (0/01h) DNR", failure.getMessage());
        }
        ReceivedPdu sent = target.commands(0, 0xC1).get(0);
        assertEquals(5, sent.cdw(1));
        assertEquals(-1, sent.cdw(15));
    }

    @Test
    void shouldSendAnyIoCommand() {
        byte[] answer = new byte[4096];
        answer[4095] = 9;
        target.script = (connection, command) -> {
            if (connection.queueId == 1 && command.opcode() == 0x95) {
                connection.response(command.commandId(), 0, command.data()[0] + (0x55L << 32));
                return true;
            }
            if (connection.queueId == 1 && command.opcode() == 0x0E) {
                target.sendAll(connection, command.commandId(), answer);
                return true;
            }
            return false;
        };
        try (Controller controller = connect()) {
            ByteBuffer out = ByteBuffer.allocateDirect(16).put(0, (byte) 7);
            assertEquals(
                    7 + (0x55L << 32),
                    controller
                            .ioPassthrough(sqe -> sqe.clear(0x95).nsid(1).cdw(10, 0x8000_0001L), out)
                            .join());
            ByteBuffer in = ByteBuffer.allocateDirect(4096);
            controller
                    .ioPassthrough(sqe -> sqe.clear(0x0E).nsid(1).cdw(10, 1023), in)
                    .join();
            assertEquals(9, in.get(4095));
            controller.ioPassthrough(sqe -> sqe.clear(0x00).nsid(1), null).join();
            assertEquals(
                    Status.INVALID_OPCODE | Status.DNR,
                    statusOf(controller.ioPassthrough(sqe -> sqe.clear(0x9C).nsid(1), null)));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> controller.ioPassthrough(sqe -> sqe.clear(0x81), ByteBuffer.allocateDirect((1 << 20) + 4)));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> controller.ioPassthrough(sqe -> sqe.clear(0x83), ByteBuffer.allocateDirect(4)));
        }
        ReceivedPdu sent = target.commands(1, 0x95).get(0);
        assertEquals(1, sent.cdw(1));
        assertEquals(0x8000_0001, sent.cdw(10));
        assertEquals(16, sent.sglLength());
    }

    @Test
    void shouldRefuseANamespaceThatIsNotActive() {
        try (Controller controller = connect()) {
            ControllerException failure = assertThrows(ControllerException.class, () -> controller.namespace(9));
            assertEquals("Namespace 9 is not active", failure.getMessage());
        }
    }
}
