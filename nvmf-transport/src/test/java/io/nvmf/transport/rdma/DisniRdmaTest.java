package io.nvmf.transport.rdma;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.FakeDisni.Piece;
import io.nvmf.transport.rdma.FakeDisni.Qp;
import io.nvmf.transport.rdma.FakeDisni.Work;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaEnd.Memory;
import io.nvmf.transport.rdma.RdmaLink.Done;
import io.nvmf.transport.rdma.disni.DisniRdma;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the adapter asks of DiSNI, by {@link FakeDisni}; that libdisni does as it is asked is not shown here. */
class DisniRdmaTest {
    private static final InetSocketAddress REMOTE = new InetSocketAddress("192.0.2.1", 4420);
    private static final QueuePairSize SIZE = new QueuePairSize(4, 5);
    private static final int SIGNALED = 2;

    private final List<RdmaLink> links = new ArrayList<>();
    private final List<Memory> memories = new ArrayList<>();
    private FakeDisni disni;
    private RdmaEnd host;

    @BeforeEach
    void open() throws Exception {
        disni = FakeDisni.install();
        host = new RdmaEnd(new DisniRdma(), EventLoops.Kind.NIO, "host");
    }

    @AfterEach
    void closeEverything() throws Exception {
        disni.failure = null;
        links.forEach(RdmaLink::close);
        memories.forEach(memory -> memory.region().close());
        host.close();
        // The thread of a completion queue has the last word.
        await().untilAsserted(() -> assertEquals(List.of(), disni.open()));
        FakeDisni.remove();
    }

    private RdmaLink resolve() throws Exception {
        RdmaLink link = host.resolve(REMOTE);
        links.add(link);
        return link;
    }

    private RdmaLink connect() throws Exception {
        RdmaLink link = resolve().open(SIZE, 9);
        link.connect(RdmaPair.data(1, 32), 16, 0);
        link.expect("established");
        return link;
    }

    private Memory memory(RdmaLink link, RemoteAccess access) throws Exception {
        Memory memory = host.register(link.id.device(), 4096, access);
        memories.add(memory);
        return memory;
    }

    private Qp queuePair() {
        List<Qp> all = disni.queuePairs();
        return all.get(all.size() - 1);
    }

    @Test
    void shouldConnectWithPrivateDataWhenTheRouteIsFound() throws Exception {
        RdmaLink link = resolve().open(SIZE, 9);
        assertEquals(REMOTE, disni.ids.get(0).destination);
        assertEquals(4, queuePair().sends);
        assertEquals(5, queuePair().receives);

        link.connect(RdmaPair.data(1, 56), 16, 0);
        assertFalse(link.expect("established").data().hasRemaining());
        byte[] privateData = new byte[56];
        RdmaPair.data(1, 56).get(privateData);
        assertArrayEquals(privateData, disni.connects.get(0).privateData());
        assertEquals(7, disni.connects.get(0).retryCount());
        assertEquals(7, disni.connects.get(0).rnrRetryCount());
        assertEquals(REMOTE, link.id.remoteAddress());
        assertEquals(40000, host.onControl(link.id::localAddress).getPort());
    }

    @Test
    void shouldRefusePrivateDataThatARequestCannotCarry() throws Exception {
        RdmaLink link = resolve().open(SIZE, 9);
        assertThrows(IllegalArgumentException.class, () -> link.connect(RdmaPair.data(1, 57), 0, 0));
        assertEquals(List.of(), disni.connects);
    }

    @Test
    void shouldPostEachKindOfSend() throws Exception {
        RdmaLink link = connect();
        assertTrue(link.post(queuePair -> {
            queuePair.addSend(1, 0x1000, 64, 11, 0, 0, 0);
            queuePair.addSend(2, 0x2000, 64, 12, 0x3000, 512, 13);
            queuePair.addWrite(3, 0x4000, 100, 14, 0x7777_0000_1234L, 0xfedcba98);
            queuePair.addRead(4, 0x5000, 200, 15, -8, 16);
            queuePair.addSend(5, 0x6000, 72, 17, 0, 0, 0);
        }));
        assertEquals(
                List.of(
                        new Work(2, SIGNALED, 1, List.of(new Piece(0x1000, 64, 11)), 0, 0),
                        new Work(2, SIGNALED, 2, List.of(new Piece(0x2000, 64, 12), new Piece(0x3000, 512, 13)), 0, 0),
                        new Work(0, 0, 3, List.of(new Piece(0x4000, 100, 14)), 0x7777_0000_1234L, 0xfedcba98),
                        new Work(4, SIGNALED, 4, List.of(new Piece(0x5000, 200, 15)), -8, 16),
                        new Work(2, SIGNALED, 5, List.of(new Piece(0x6000, 72, 17)), 0, 0)),
                queuePair().sent);
        for (long workId : new long[] {1, 2, 4, 5}) {
            link.expectDone(workId);
        }
        link.assertNothingDone();
        assertEquals(4, queuePair().preparedSends);
    }

    @Test
    void shouldRefuseWhatOnlyTargetsPost() throws Exception {
        RdmaLink link = connect();
        assertThrows(
                UnsupportedOperationException.class,
                () -> link.post(queuePair -> queuePair.addSendWithInvalidate(1, 0, 1, 1, 1)));
        assertThrows(
                UnsupportedOperationException.class,
                () -> link.post(queuePair -> queuePair.postReceive(1, 0, 64, 1, 64, 64, 1)));
    }

    /** Each message wakes the loop anew, which arms the queue after each. */
    @Test
    void shouldTakeMessagesIntoThePlacesPosted() throws Exception {
        RdmaLink link = connect();
        Memory memory = memory(link, RemoteAccess.NONE);
        long tag = 1L << 40;
        for (int place = 0; place < SIZE.receives(); place++) {
            assertTrue(link.postReceive(tag | place, memory, place * 16, 16));
        }
        for (int i = 0; i < 3 * SIZE.receives(); i++) {
            int place = i % SIZE.receives();
            queuePair().deliver(new byte[] {(byte) i, 1, 2}, 0, 0);
            Done done = link.expectDone(tag | place);
            assertEquals(3, done.lengthBytes());
            assertFalse(done.hasInvalidatedKey());
            assertEquals(i, memory.buffer().get(place * 16));
            assertTrue(link.postReceive(tag | place, memory, place * 16, 16));
        }
        assertEquals(SIZE.receives(), queuePair().preparedReceives);

        // The same place with other memory, and another work id at the same place.
        queuePair().deliver(new byte[] {99}, 0, 0);
        link.expectDone(tag);
        assertTrue(link.postReceive(tag, memory, 1024, 16));
        assertEquals(SIZE.receives() + 1, queuePair().preparedReceives);
        queuePair().deliver(new byte[] {99}, 0, 0);
        link.expectDone(tag | 1);
        assertTrue(link.postReceive(tag | 8, memory, 1024, 16));
        assertEquals(SIZE.receives() + 2, queuePair().preparedReceives);
        assertFalse(link.postReceive(tag | 9, memory, 0, 16), "more than there is room for");
    }

    @Test
    void shouldTellOfAnInvalidatedKey() throws Exception {
        RdmaLink link = connect();
        Memory memory = memory(link, RemoteAccess.READ_WRITE);
        link.postReceive(1, memory, 0, 16);
        queuePair().deliver(new byte[16], 8, memory.remoteKey());
        Done done = link.expectDone(1);
        assertTrue(done.hasInvalidatedKey());
        assertEquals(memory.remoteKey(), done.invalidatedKey());
    }

    @Test
    void shouldRegisterMemoryAsAsked() throws Exception {
        RdmaLink link = resolve();
        Memory local = memory(link, RemoteAccess.NONE);
        Memory shared = memory(link, RemoteAccess.READ_WRITE);
        assertEquals(100, local.localKey());
        assertEquals(1101, shared.remoteKey());
        assertEquals(4096, shared.region().lengthBytes());
        disni.failure = "j2c::regMr: ibv_reg_mr failed: Cannot allocate memory\n";
        assertEquals(
                "registering 64 bytes of memory (see the limit of locked memory): j2c::regMr: ibv_reg_mr failed: Cannot"
                        + " allocate memory",
                assertThrows(RdmaException.class, () -> host.register(link.id.device(), 64, RemoteAccess.NONE))
                        .getMessage());
        assertThrows(
                IllegalArgumentException.class,
                () -> link.id.device().register(ByteBuffer.allocate(64), RemoteAccess.NONE));
    }

    @Test
    void shouldShareADeviceBetweenItsConnections() throws Exception {
        RdmaDevice first = resolve().id.device();
        assertSame(first, resolve().id.device());
        disni.deviceFile = 8;
        assertNotSame(first, resolve().id.device());
        links.get(0).close();
        links.get(1).close();
        assertEquals(List.of("Channel", "Id", "Pd"), disni.open());
        assertThrows(RdmaException.class, () -> first.register(ByteBuffer.allocateDirect(64), RemoteAccess.NONE));
    }

    @Test
    void shouldFlushAndAnswerWhenThePeerDisconnects() throws Exception {
        RdmaLink link = connect();
        Memory memory = memory(link, RemoteAccess.NONE);
        link.postReceive(5, memory, 0, 16);
        disni.ids.get(0).tell(EventType.RDMA_CM_EVENT_DISCONNECTED);
        link.expect("disconnected");
        assertEquals(1, disni.disconnects);
        Done done = link.expectDone(5, Completions.FLUSHED);
        assertEquals(0, done.lengthBytes());
        assertFalse(done.hasInvalidatedKey());
    }

    @Test
    void shouldTellWhenTheDeviceIsRemoved() throws Exception {
        RdmaLink link = connect();
        disni.ids.get(0).tell(EventType.RDMA_CM_EVENT_TIMEWAIT_EXIT);
        disni.ids.get(0).tell(1000);
        disni.ids.get(0).tell(EventType.RDMA_CM_EVENT_DEVICE_REMOVAL);
        link.expect("device removed");
    }

    @ParameterizedTest
    @CsvSource({
        "RDMA_CM_EVENT_ADDR_ERROR, , , no RDMA device reaches that address",
        ", RDMA_CM_EVENT_ROUTE_ERROR, , there is no RDMA route to that address",
        ", , RDMA_CM_EVENT_UNREACHABLE, that address does not answer",
        ", , RDMA_CM_EVENT_CONNECT_ERROR, the connection could not be set up",
        ", , RDMA_CM_EVENT_REJECTED, 'the connection was rejected, for a reason that DiSNI does not tell'"
    })
    void shouldFailWhenAStepOfConnectingDoes(EventType address, EventType route, EventType connect, String why)
            throws Exception {
        disni.addressAnswer = address != null ? address : disni.addressAnswer;
        disni.routeAnswer = route != null ? route : disni.routeAnswer;
        disni.connectAnswer = connect != null ? connect : disni.connectAnswer;
        RdmaLink link;
        if (connect != null) {
            link = resolve().open(SIZE, 9);
            link.connect(RdmaPair.data(1, 32), 16, 0);
        } else {
            link = new RdmaLink(host);
            links.add(link);
            link.id = host.resolveLater(REMOTE, link);
        }
        link.expect("failed: " + why);
    }

    @Test
    void shouldSayWhatItCannotDo() {
        String ipv6 = refusal(() -> host.resolve(new InetSocketAddress("2001:db8::1", 4420)));
        assertEquals("DiSNI knows no IPv6: use an IPv4 address, or leave out -Dnvmf.rdma=disni", ipv6);
        String listen = refusal(() -> host.listen(REMOTE));
        assertEquals("DiSNI cannot serve hosts, whose requests it does not show: leave out -Dnvmf.rdma=disni", listen);
    }

    @Test
    void shouldLeaveNothingBehindWhenACallFails() throws Exception {
        RdmaLink link = resolve();
        disni.failure = "j2c: no\n";
        assertEquals("j2c: no", refusal(() -> host.resolve(REMOTE)));
        assertEquals("making a completion queue of 9 entries: j2c: no", refusal(() -> link.open(SIZE, 9)));
        assertEquals(List.of("Channel", "Id", "Pd"), disni.open());
    }

    @Test
    void shouldReportABrokenQueuePair() throws Exception {
        RdmaLink link = connect();
        Memory memory = memory(link, RemoteAccess.NONE);
        disni.failure = "j2c::post_send: ibv_post_send failed: Invalid argument\n";
        assertFalse(link.post(queuePair -> queuePair.addSend(1, 0, 1, 1, 0, 0, 0)));
        assertFalse(link.postReceive(1, memory, 0, 16));
        Completions batch = new Completions(4);
        assertEquals(-1, host.<Integer>onData(() -> link.completionQueue.poll(batch)));
        disni.failure = null;
        assertFalse(link.post(queuePair -> queuePair.addSend(2, 0, 1, 1, 0, 0, 0)), "broken once, broken for ever");
        assertEquals(List.of(), queuePair().sent);
    }

    @Test
    void shouldTakeNoWorkWhenClosed() throws Exception {
        RdmaLink link = connect();
        Memory memory = memory(link, RemoteAccess.NONE);
        link.close();
        link.close();
        assertFalse(link.post(queuePair -> {}));
        assertFalse(link.postReceive(1, memory, 0, 16));
        assertFalse(host.<Boolean>onData(link.completionQueue::arm));
        link.disconnect();
        assertEquals(0, disni.disconnects);
    }

    private static String refusal(org.junit.jupiter.api.function.Executable call) {
        return assertThrows(RdmaException.class, call).getMessage();
    }
}
