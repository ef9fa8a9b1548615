package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.log.AnaLog;
import io.nvmf.codec.log.ReservationNotification;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.controller.ControllerException;
import io.nvmf.initiator.namespace.Namespace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a host makes of asynchronous events. */
class EventsTest extends InitiatorTest {
    private static final long NAMESPACE_CHANGED = 0x0004_0002;
    private static final long RESERVATION_LOG_AVAILABLE = 0x0080_0006;
    private static final long ANA_CHANGED = 0x000C_0302;
    private static final int GONE = Status.INVALID_NAMESPACE_OR_FORMAT | Status.DNR;
    private static final long VENDOR_EVENT = 0x00C0_0007;

    private final BlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();
    /** Events that wait for a request; null stands for none. */
    private final BlockingQueue<Long> toTell = new LinkedBlockingQueue<>();

    private volatile long blocks = 1000;
    private volatile int[] changed = {1};
    private volatile byte[] anaLog = new byte[16];
    private volatile boolean ana;
    /** Notices in log 80h, the next first; one that is never taken from it when there is {@link #endlessNotices}. */
    private final Queue<ReservationNotification> notices = new ConcurrentLinkedQueue<>();

    private volatile boolean endlessNotices;
    private volatile boolean flood;
    private TargetConnection admin;
    private Integer waitingRequest;

    @BeforeEach
    void tellOfEvents() {
        target.script = (connection, command) -> {
            if (connection.queueId != 0) {
                return false;
            }
            admin = connection;
            return switch (command.opcode()) {
                case Opcode.Admin.ASYNC_EVENT_REQUEST -> onEventRequest(connection, command);
                case Opcode.Admin.GET_LOG_PAGE -> onGetLogPage(connection, command);
                case Opcode.Admin.IDENTIFY -> onIdentify(connection, command);
                default -> false;
            };
        };
    }

    private synchronized boolean onEventRequest(TargetConnection connection, ReceivedPdu command) throws IOException {
        if (flood) {
            connection.response(command.commandId(), 0, VENDOR_EVENT);
        } else {
            waitingRequest = command.commandId();
            tellNext();
        }
        return true;
    }

    private void tell(long event) throws IOException {
        toTell.add(event);
        tellNext();
    }

    private synchronized void tellNext() throws IOException {
        Long event = waitingRequest == null ? null : toTell.poll();
        if (event != null) {
            admin.response(waitingRequest, 0, event);
            waitingRequest = null;
        }
    }

    private boolean onGetLogPage(TargetConnection connection, ReceivedPdu command) throws IOException {
        byte[] data = new byte[command.sglLength()];
        int logPageId = command.cdw(10) & 0xFF;
        if (logPageId == 0x04) {
            ByteBuffer list = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
            for (int nsid : changed) {
                list.putInt(nsid);
            }
        } else if (logPageId == 0x0C) {
            System.arraycopy(anaLog, 0, data, 0, Math.min(anaLog.length, data.length));
        } else if (logPageId == 0x80) {
            ReservationNotification next = endlessNotices ? notices.peek() : notices.poll();
            (next == null ? ReservationNotification.EMPTY : next)
                    .encode(ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN), 0);
        } else {
            return false;
        }
        target.sendAll(connection, command.commandId(), data);
        return true;
    }

    private boolean onIdentify(TargetConnection connection, ReceivedPdu command) throws IOException {
        int cns = command.cdw(10) & 0xFF;
        byte[] bytes = target.identify(cns, command.cdw(1));
        ByteBuffer data = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (cns == 0 && command.cdw(1) == 1) {
            data.putLong(0, blocks).putInt(92, 7); // ANAGRPID
        } else if (cns == 1) {
            data.putInt(92, 1 << 8 | 1 << 11); // OAES
            if (ana) {
                data.put(76, (byte) 0xA).putInt(344, 8).putInt(348, 2).put(342, (byte) 1);
            }
        }
        target.sendAll(connection, command.commandId(), bytes);
        return true;
    }

    /** Two groups, 7 and 8, of which the first has the state. */
    private static byte[] anaLog(int state) {
        ByteBuffer log = ByteBuffer.allocate(16 + 64).order(ByteOrder.LITTLE_ENDIAN);
        log.putLong(0, 1).putShort(8, (short) 2);
        log.putInt(16, 7).putLong(24, 1).put(32, (byte) state);
        log.putInt(48, 8).putLong(56, 1).put(64, (byte) 1);
        return log.array();
    }

    private Controller listening() {
        return host.connect(options().eventListener(events::add));
    }

    private AsyncEvent nextEvent() throws InterruptedException {
        return events.poll(20, TimeUnit.SECONDS);
    }

    // ---- Namespaces

    @Test
    void shouldSeeANewSizeBeforeItTellsOfTheChange() throws Exception {
        try (Controller controller = listening()) {
            Namespace namespace = controller.namespace(1);
            for (long size : new long[] {2000, 500, 4000}) {
                blocks = size;
                tell(NAMESPACE_CHANGED);
                assertEquals(AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED, nextEvent());
                assertEquals(size, namespace.blockCount());
                assertEquals(size * 512, namespace.sizeBytes());
            }
        }
        List<ReceivedPdu> logs = target.commands(0, Opcode.Admin.GET_LOG_PAGE);
        assertEquals(3, logs.size());
        assertEquals(1023 << 16 | 0x04, logs.get(0).cdw(10)); // 4096 bytes, RAE 0
        assertEquals(-1, logs.get(0).cdw(1));
    }

    @Test
    void shouldLookOnlyAtNamespacesThatChanged() throws Exception {
        try (Controller controller = listening()) {
            Namespace namespace = controller.namespace(1);
            blocks = 2000;
            changed = new int[] {2, 3};
            tell(NAMESPACE_CHANGED);
            assertEquals(AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED, nextEvent());
            assertEquals(1000, namespace.blockCount());
            changed = new int[] {-1}; // too many to tell
            tell(NAMESPACE_CHANGED);
            assertEquals(AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED, nextEvent());
            assertEquals(2000, namespace.blockCount());
        }
    }

    @Test
    void shouldFailRequestsOfANamespaceThatIsGone() throws Exception {
        ScriptedTarget.Script others = target.script;
        int[] held = new int[1];
        target.script = (connection, command) -> {
            if (connection.queueId == 1 && command.opcode() == 0x02) {
                held[0] = command.commandId();
                return true;
            }
            return others.onCommand(connection, command);
        };
        try (Controller controller = host.connect(options().queueDepth(2).eventListener(events::add))) {
            Namespace namespace = controller.namespace(1);
            CompletableFuture<Void> sent = namespace.read(0, ByteBuffer.allocateDirect(512));
            CompletableFuture<Void> waiting = namespace.write(0, random(512, 1));
            await(() -> held[0] != 0);
            blocks = 0;
            tell(NAMESPACE_CHANGED);
            assertEquals(AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED, nextEvent());
            assertFalse(sent.isDone()); // the controller has its buffer
            CompletableFuture<Void> later = namespace.flush();
            target.connections().stream()
                    .filter(connection -> connection.queueId == 1)
                    .forEach(connection -> {
                        try {
                            connection.response(held[0], GONE, 0);
                        } catch (IOException e) {
                            throw new java.io.UncheckedIOException(e);
                        }
                    });
            for (CompletableFuture<Void> each : List.of(sent, waiting, later)) {
                assertEquals(GONE, statusOf(each));
            }
            assertTrue(target.commands(1, 0x01).isEmpty());
        }
    }

    @Test
    void shouldGoOnWithANamespaceThatIsThereAgain() throws Exception {
        target.uuid = 0x21;
        try (Controller controller = listening()) {
            Namespace namespace = controller.namespace(1);
            for (long size : new long[] {2000, 1000}) {
                change(0, 0x21);
                assertEquals(GONE, statusOf(namespace.flush()));
                assertThrows(ControllerException.class, () -> controller.namespace(1));
                change(size, 0x22); // another one has its id
                assertEquals(GONE, statusOf(namespace.flush()));
                change(size, 0x21);
                namespace.flush().join();
                assertEquals(size, namespace.blockCount());
                assertSame(namespace, controller.namespace(1));
            }
        }
    }

    @Test
    void shouldNotTakeAnotherNamespaceForOneThatWasGone() throws Exception {
        target.uuid = 0;
        try (Controller controller = listening()) {
            Namespace namespace = controller.namespace(1);
            change(0, 0);
            change(1000, 0); // without identifiers it may be any
            assertEquals(GONE, statusOf(namespace.flush()));
            Namespace other = controller.namespace(1);
            assertNotSame(namespace, other);
            other.flush().join();
            assertEquals(GONE, statusOf(namespace.flush()));
        }
    }

    private void change(long size, int uuid) throws Exception {
        blocks = size;
        target.uuid = uuid;
        tell(NAMESPACE_CHANGED);
        assertEquals(AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED, nextEvent());
    }

    // ---- Reservations

    @Test
    void shouldReadReservationNoticesUntilThereAreNone() throws Exception {
        Queue<ReservationNotification> told = new ConcurrentLinkedQueue<>();
        try (Controller controller =
                host.connect(options().eventListener(events::add).reservationListener(told::add))) {
            for (int round = 0; round < 2; round++) { // which shows that another event is asked for
                List<ReservationNotification> sent = List.of(
                        new ReservationNotification(1, 3, 2, 1),
                        new ReservationNotification(2, 1, 1, 1),
                        new ReservationNotification(3, 2, 0, 7));
                notices.addAll(sent);
                tell(RESERVATION_LOG_AVAILABLE);
                assertEquals(AsyncEvent.RESERVATION_LOG_AVAILABLE, nextEvent());
                assertEquals(sent, List.copyOf(told));
                told.clear();
            }
            assertTrue(controller.isLive());
        }
        List<ReceivedPdu> logs = target.commands(0, Opcode.Admin.GET_LOG_PAGE);
        assertEquals(8, logs.size());
        assertEquals(15 << 16 | 0x80, logs.get(0).cdw(10)); // 64 bytes, RAE 0
    }

    @Test
    void shouldNotReadReservationNoticesForEver() throws Exception {
        Queue<ReservationNotification> told = new ConcurrentLinkedQueue<>();
        notices.add(new ReservationNotification(1, 3, 255, 1));
        endlessNotices = true;
        try (Controller controller =
                host.connect(options().eventListener(events::add).reservationListener(told::add))) {
            tell(RESERVATION_LOG_AVAILABLE);
            assertEquals(AsyncEvent.RESERVATION_LOG_AVAILABLE, nextEvent());
            assertEquals(1024, told.size());
            controller.namespace(1).flush().join();
        }
    }

    // ---- ANA

    @Test
    void shouldFollowTheStatesOfAnaGroups() throws Exception {
        ana = true;
        anaLog = anaLog(AnaLog.STATE_NON_OPTIMIZED);
        try (Controller controller = listening()) {
            Namespace namespace = controller.namespace(1);
            assertEquals(AnaLog.STATE_NON_OPTIMIZED, namespace.anaState());
            anaLog = anaLog(AnaLog.STATE_INACCESSIBLE);
            tell(ANA_CHANGED);
            assertEquals(AsyncEvent.ANA_CHANGE, nextEvent());
            assertEquals(AnaLog.STATE_INACCESSIBLE, namespace.anaState());
        }
        ReceivedPdu log = target.commands(0, Opcode.Admin.GET_LOG_PAGE).get(0);
        assertEquals(19 << 16 | 1 << 8 | 0x0C, log.cdw(10)); // 80 bytes, groups only
    }

    @Test
    void shouldReadTheStatesAgainWhenTheEndOfAChangeIsNotTold() {
        ana = true;
        anaLog = anaLog(AnaLog.STATE_CHANGE);
        try (Controller controller = listening()) {
            Namespace namespace = controller.namespace(1);
            assertEquals(AnaLog.STATE_CHANGE, namespace.anaState());
            anaLog = anaLog(AnaLog.STATE_OPTIMIZED);
            await(() -> namespace.anaState() == AnaLog.STATE_OPTIMIZED);
        }
    }

    @Test
    void shouldLiveOnWhenTheAnaLogIsNonsense() throws Exception {
        ana = true;
        anaLog = anaLog(1);
        ByteBuffer.wrap(anaLog).order(ByteOrder.LITTLE_ENDIAN).putInt(20, 0x7FFF_FFFF); // NSIDs of the first group
        try (Controller controller = listening()) {
            Namespace namespace = controller.namespace(1);
            assertEquals(AnaLog.STATE_OPTIMIZED, namespace.anaState());
            tell(ANA_CHANGED);
            assertEquals(AsyncEvent.ANA_CHANGE, nextEvent());
            namespace.flush().join();
        }
    }

    // ---- Floods

    @Test
    void shouldHearAControllerThatNeverStopsLessOften() {
        flood = true;
        try (Controller controller = host.connect(options().eventListener(event -> {}))) {
            await(() -> target.commands(0, Opcode.Admin.ASYNC_EVENT_REQUEST).size() == 64);
            for (int i = 0; i < 20; i++) {
                controller.identifyController();
            }
            assertTrue(target.commands(0, Opcode.Admin.ASYNC_EVENT_REQUEST).size() < 128);
            int before = target.commands(0, Opcode.Admin.ASYNC_EVENT_REQUEST).size();
            await(() -> target.commands(0, Opcode.Admin.ASYNC_EVENT_REQUEST).size() > before); // it is heard again
        }
    }

    @Test
    void shouldOutliveAListenerThatThrows() throws Exception {
        try (Controller controller = host.connect(options().eventListener(event -> {
            events.add(event);
            throw new IllegalStateException("a listener of this test");
        }))) {
            tell(NAMESPACE_CHANGED);
            tell(NAMESPACE_CHANGED);
            assertEquals(AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED, nextEvent());
            assertEquals(AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED, nextEvent());
            assertTrue(controller.isLive());
        }
    }
}
