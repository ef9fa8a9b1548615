package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.Status;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.ConnectRejectedException;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.controller.ControllerException;
import io.nvmf.initiator.queue.NvmeStatusException;
import io.nvmf.initiator.transport.ConnectionException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From the first byte of a connection to a controller that is ready. */
class ConnectTest extends InitiatorTest {
    private static final int IDENTIFY = 0x06;
    private static final int FABRICS = 0x7F;
    private static final int PROPERTY_SET = 0x00;
    private static final int CONNECT = 0x01;
    private static final int PROPERTY_GET = 0x04;

    @Test
    void shouldBeginEveryConnectionWithIcReq() {
        try (Controller controller = host.connect(options().dataDigest(true))) {
            assertEquals(1, controller.ioQueueCount());
        }
        byte[] expected = new byte[128];
        expected[2] = (byte) 128; // HLEN
        expected[4] = (byte) 128; // PLEN
        expected[11] = 2; // DDGST
        List<ReceivedPdu> requests = target.ofType(ReceivedPdu.IC_REQ);
        assertEquals(2, requests.size());
        requests.forEach(request -> assertArrayEquals(expected, request.header()));
    }

    @Test
    void shouldSendConnectWithIdentityOfTheHostInTheCapsule() {
        try (Controller controller = host.connect(options().keepAliveTimeoutMs(7000))) {
            assertEquals(ScriptedTarget.CONTROLLER_ID, controller.controllerId());
        }
        ReceivedPdu connect = target.ofType(ReceivedPdu.CAPSULE_CMD).get(0);
        assertEquals(FABRICS, connect.opcode());
        assertEquals(0x40, connect.u8(8 + 1)); // PSDT
        assertEquals(CONNECT, connect.fabricsType());
        assertEquals(0, connect.i64(8 + 24)); // SGL1 offset
        assertEquals(1024, connect.sglLength());
        assertEquals(0x01, connect.sglIdentifier());
        assertEquals(0, connect.u16(8 + 40)); // RECFMT
        assertEquals(0, connect.u16(8 + 42)); // QID
        assertEquals(31, connect.u16(8 + 44)); // SQSIZE
        assertEquals(0, connect.u8(8 + 46)); // CATTR
        assertEquals(7000, connect.i32(8 + 48)); // KATO
        byte[] data = connect.data();
        assertEquals(1024, data.length);
        assertEquals("00112233445566778899aabbccddeeff", HexFormat.of().formatHex(data, 0, 16));
        assertEquals("ffff", HexFormat.of().formatHex(data, 16, 18));
        assertEquals(ScriptedTarget.NQN, text(data, 256));
        assertEquals(HOST_NQN, text(data, 512));
    }

    private static String text(byte[] data, int offset) {
        return new String(data, offset, 256, StandardCharsets.UTF_8).trim();
    }

    @Test
    void shouldConnectIoQueuesToTheControllerThatAnswered() {
        host.connect(options().ioQueues(3).queueDepth(64).sqFlowControl(false)).close();
        List<ReceivedPdu> connects = target.received.stream()
                .filter(pdu -> pdu.type() == ReceivedPdu.CAPSULE_CMD
                        && pdu.opcode() == FABRICS
                        && pdu.fabricsType() == CONNECT
                        && pdu.u16(8 + 42) != 0)
                .sorted(Comparator.comparing(pdu -> pdu.u16(8 + 42)))
                .toList();
        assertEquals(3, connects.size());
        for (int i = 0; i < 3; i++) {
            ReceivedPdu connect = connects.get(i);
            assertEquals(i + 1, connect.u16(8 + 42)); // QID
            assertEquals(63, connect.u16(8 + 44)); // SQSIZE
            assertEquals(4, connect.u8(8 + 46)); // CATTR: SQ flow control disabled
            assertEquals(0, connect.i32(8 + 48)); // KATO
            assertEquals("0201", HexFormat.of().formatHex(connect.data(), 16, 18)); // CNTLID
        }
    }

    @Test
    void shouldEnableTheControllerBeforeAnyOtherAdminCommand() {
        connect().close();
        List<String> steps = target.received.stream()
                .filter(pdu -> pdu.type() == ReceivedPdu.CAPSULE_CMD && pdu.queueId() <= 0)
                .map(ConnectTest::step)
                .limit(9)
                .toList();
        assertEquals(
                List.of(
                        "Connect",
                        "Get 0", // CAP
                        "Set 14 460000", // CC with entry sizes
                        "Set 14 460001", // CC.EN
                        "Get 1c", // CSTS
                        "Get 8", // VS
                        "Admin 6", // Identify Controller
                        "Admin 6", // Identify of the command set
                        "Admin 9"), // Number of Queues
                steps);
        ReceivedPdu identify = target.commands(0, 0x06).get(0);
        assertEquals(0x01, identify.cdw(10));
        assertEquals(4096, identify.sglLength());
        assertEquals(0x5A, identify.sglIdentifier());
        ReceivedPdu numberOfQueues = target.commands(0, 0x09).get(0);
        assertEquals(0x07, numberOfQueues.cdw(10));
        assertEquals(0, numberOfQueues.cdw(11));
    }

    private static String step(ReceivedPdu pdu) {
        if (pdu.opcode() != FABRICS) {
            return "Admin " + Integer.toHexString(pdu.opcode());
        }
        String offset = Integer.toHexString(pdu.i32(8 + 44));
        return switch (pdu.fabricsType()) {
            case CONNECT -> "Connect";
            case PROPERTY_GET -> "Get " + offset;
            case PROPERTY_SET -> "Set " + offset + " " + Long.toHexString(pdu.i64(8 + 48));
            default -> "?";
        };
    }

    @Test
    void shouldTakeFewerQueuesWhenTheControllerGrantsFewer() {
        target.grantedQueues = 2;
        try (Controller controller = host.connect(options().ioQueues(5))) {
            assertEquals(2, controller.ioQueueCount());
        }
        assertEquals(0x0004_0004, target.commands(0, 0x09).get(0).cdw(11));
    }

    @Test
    void shouldNotAskForMoreEntriesThanMaxcmd() {
        target.maxCommands = 16;
        connect().close();
        assertTrue(target.received.stream()
                .anyMatch(pdu -> pdu.type() == ReceivedPdu.CAPSULE_CMD
                        && pdu.opcode() == FABRICS
                        && pdu.fabricsType() == CONNECT
                        && pdu.u16(8 + 42) == 1
                        && pdu.u16(8 + 44) == 15));
    }

    @ParameterizedTest
    @CsvSource({
        "0x182, 0x00010100, SUBNQN",
        "0x182, 0x00010200, HOSTNQN",
        "0x182, 0x00010010, CNTLID",
        "0x182, 0x0000002C, SQSIZE",
        "0x182, 0x00000033, byte 51 of the command",
        "0x184, 0x00000000, "
    })
    void shouldNameTheFieldThatARefusedConnectPointsAt(String status, String result, String field) {
        target.script = (connection, command) -> {
            connection.response(command.commandId(), 0x4000 | Integer.decode(status), Integer.decode(result));
            return true;
        };
        ConnectRejectedException refused = assertThrows(ConnectRejectedException.class, this::connect);
        assertEquals(field, refused.field());
        assertTrue(refused.dnr());
        assertEquals(Integer.decode(status), Status.withoutFlags(refused.status()));
        await(() -> target.openConnections() == 0);
    }

    @Test
    void shouldFailWhenTheControllerWantsAuthentication() {
        target.script = (connection, command) -> {
            connection.response(command.commandId(), 0, 0x0002_0000 | ScriptedTarget.CONTROLLER_ID);
            return true;
        };
        assertMessage("authenticate", assertThrows(ControllerException.class, this::connect));
    }

    @Test
    void shouldFailWhenTheControllerReportsAFatalError() {
        onProperty(0x1C, 0x2);
        assertMessage("CSTS.CFS", assertThrows(ControllerException.class, this::connect));
        await(() -> target.openConnections() == 0);
    }

    @Test
    void shouldFailInBoundedTimeWhenTheControllerDoesNotBecomeReady() {
        onProperty(0x1C, 0x0);
        assertMessage("did not become ready", assertThrows(ControllerException.class, this::connect));
    }

    private void onProperty(int offset, long value) {
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == FABRICS
                    && command.fabricsType() == PROPERTY_GET
                    && command.i32(8 + 44) == offset;
            if (matches) {
                connection.response(command.commandId(), 0, value);
            }
            return matches;
        };
    }

    @Test
    void shouldFailWhenIdentifyTellsAnotherController() {
        answerIdentify(78, 2);
        assertMessage("identifies itself as controller", assertThrows(ControllerException.class, this::connect));
    }

    @Test
    void shouldConnectToAControllerWithoutNamespaces() {
        target.script = (connection, command) -> {
            boolean isList = command.opcode() == IDENTIFY && (command.cdw(10) & 0xFF) == 0x02;
            if (isList) {
                target.sendAll(connection, command.commandId(), new byte[4096]);
            }
            return isList;
        };
        try (Controller controller = connect()) {
            assertEquals(List.of(), controller.activeNamespaces());
            assertTrue(controller.isLive());
        }
    }

    @Test
    void shouldFailWhenCapsulesAreTooSmallForACommand() {
        target.ioccsz = 3;
        assertMessage("command capsules", assertThrows(ControllerException.class, this::connect));
    }

    @Test
    void shouldFailWhenAnIoQueueIsRefused() {
        target.script = (connection, command) -> {
            boolean refused = command.opcode() == FABRICS && command.fabricsType() == CONNECT && command.u16(50) == 2;
            if (refused) {
                connection.response(command.commandId(), 0x4182, 0x2A);
            }
            return refused;
        };
        ConnectRejectedException refused = assertThrows(
                ConnectRejectedException.class, () -> host.connect(options().ioQueues(2)));
        assertEquals("QID", refused.field());
        await(() -> target.openConnections() == 0);
    }

    /** Inverts one byte of Identify Controller. */
    private void answerIdentify(int offset, int mask) {
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == 0x06 && command.cdw(10) == 1;
            if (matches) {
                byte[] data = target.identify(1, 0);
                data[offset] ^= (byte) mask;
                target.sendAll(connection, command.commandId(), data);
            }
            return matches;
        };
    }

    @Test
    void shouldFailWithTheStatusWhenAnAdminCommandFails() {
        target.script = (connection, command) -> {
            boolean matches = command.opcode() == 0x09;
            if (matches) {
                connection.response(command.commandId(), 0x4002, 0);
            }
            return matches;
        };
        NvmeStatusException failure = assertThrows(NvmeStatusException.class, this::connect);
        assertEquals(Status.INVALID_FIELD | Status.DNR, failure.status());
        assertMessage("Set Features (FID 07h) failed: ", failure);
    }

    @Test
    void shouldSayWhyWhenNobodyListens() throws IOException {
        // Bound, so that nobody else can listen there, nor the host connect to itself.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            ConnectionException failure = assertThrows(
                    ConnectionException.class,
                    () -> host.connect(ConnectOptions.tcp("127.0.0.1", bound.getLocalPort(), ScriptedTarget.NQN)));
            assertMessage("Connection refused", failure);
        }
    }

    @Test
    void shouldTimeOutWhenTheOtherEndIsSilent() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            ConnectionException failure = assertThrows(
                    ConnectionException.class,
                    () -> host.connect(ConnectOptions.tcp("127.0.0.1", silent.getLocalPort(), ScriptedTarget.NQN)
                            .connectTimeoutMs(200)));
            assertMessage("did not answer ICReq within 200 ms", failure);
        }
    }

    @Test
    void shouldNotCountTimeBeforeItHasAsked() throws Exception {
        int timeoutMs = 300;
        try (NvmfHost one = NvmfHost.builder().ioThreads(1).build();
                Controller first = one.connect(options())) {
            IoEventLoop loop = first.namespace(1).queues().select().loop();
            CompletableFuture<CompletableFuture<Controller>> second = new CompletableFuture<>();
            loop.execute(() -> {
                // It begins in this turn of the loop, which then stands still for longer than the other end may take.
                second.complete(one.connectAsync(options().connectTimeoutMs(timeoutMs)));
                loop.execute(() -> {
                    long start = System.nanoTime();
                    await(() -> System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(2 * timeoutMs));
                });
            });
            second.get().get(20, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void shouldTimeOutWhenConnectIsNotAnswered() {
        target.script = (connection, command) -> true;
        ConnectionException failure = assertThrows(
                ConnectionException.class, () -> host.connect(options().adminTimeoutMs(200)));
        assertMessage("did not answer a command (opcode 7Fh) within 200 ms", failure);
        await(() -> target.openConnections() == 0);
    }

    @Test
    void shouldFailWhenTheOtherEndHangsUp() {
        target.script = (connection, command) -> {
            connection.close();
            return true;
        };
        assertMessage("closed the connection", assertThrows(ConnectionException.class, this::connect));
    }

    @Test
    void shouldFailWhenTheNameCannotBeResolved() {
        ConnectOptions nowhere =
                ConnectOptions.tcp(InetSocketAddress.createUnresolved("nowhere.invalid", 4420), ScriptedTarget.NQN);
        assertMessage(
                "There is no host nowhere.invalid",
                assertThrows(ConnectionException.class, () -> host.connect(nowhere)));
    }

    @Test
    void shouldFailAConnectThatIsUnderWayWhenTheHostCloses() {
        target.script = (connection, command) -> true;
        CompletableFuture<Controller> connecting = host.connectAsync(options());
        await(() -> target.ofType(ReceivedPdu.CAPSULE_CMD).size() == 1);
        host.close();
        CompletionException failure = assertThrows(CompletionException.class, connecting::join);
        assertMessage("The host is closed", failure.getCause());
        assertThrows(ConnectionException.class, this::connect);
        await(() -> target.openConnections() == 0);
    }

    @Test
    void shouldKeepEachNqnWithOneId() {
        try (NvmfHost byNqn = NvmfHost.builder().hostNqn(HOST_NQN).ioThreads(1).build();
                NvmfHost again =
                        NvmfHost.builder().hostNqn(HOST_NQN).ioThreads(1).build();
                NvmfHost byId = NvmfHost.builder().hostId(HOST_ID).ioThreads(1).build()) {
            assertEquals(byNqn.identity(), again.identity());
            assertEquals(HOST_NQN, byNqn.identity().hostNqn());
            assertEquals(
                    "nqn.2014-08.org.nvmexpress:uuid:" + HOST_ID,
                    byId.identity().hostNqn());
        }
    }

    @Test
    void shouldUseTheMachinesIdentityByDefault() {
        try (NvmfHost other = NvmfHost.builder().ioThreads(1).build()) {
            assertNotNull(other.identity().hostId());
            assertFalse(other.identity().hostNqn().isEmpty());
        }
        assertEquals(HOST_NQN, host.identity().hostNqn());
    }

    @Test
    void shouldRefuseToBlockAnEventLoop() {
        try (Controller controller = connect()) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            controller.namespace(1).submitFlush(0, (status, result) -> {
                try {
                    controller.activeNamespaces();
                    thrown.complete(null);
                } catch (IllegalStateException e) {
                    thrown.complete(e);
                }
            });
            Throwable failure = thrown.join();
            assertMessage("asynchronous", failure);
        }
    }

    private static void assertMessage(String part, Throwable failure) {
        assertTrue(failure.getMessage().contains(part), failure.getMessage());
    }

    @Test
    void shouldEndEveryConnectionWhenTheHostCloses() {
        connect();
        connect();
        host.close();
        await(() -> target.openConnections() == 0);
        assertEquals(1, target.configuration() >> 14 & 3); // CC.SHN
    }
}
