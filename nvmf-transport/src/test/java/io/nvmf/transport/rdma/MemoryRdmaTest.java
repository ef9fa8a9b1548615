package io.nvmf.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.transport.EventLoops;
import io.nvmf.transport.memory.MemoryConnection;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.memory.MemoryRdma.Counts;
import io.nvmf.transport.memory.MemoryRdma.Traffic;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaEnd.Memory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where the in-process provider is stricter than the contract, and how it fails when told to. */
class MemoryRdmaTest {
    private static final int REMOTE_INVALID_REQUEST = 9;
    private static final int REMOTE_ACCESS_ERROR = 10;
    private static final int LOCAL_PROTECTION_ERROR = 4;
    private static final int RETRIES_EXCEEDED = 12;

    private final MemoryRdma rdma = new MemoryRdma();
    private RdmaPair pair;
    private Memory hosts;
    private Memory targets;

    @BeforeEach
    void connect() throws Exception {
        pair = new RdmaPair(rdma, EventLoops.Kind.NIO, InetAddress.getByName("192.0.2.1")).connect();
        hosts = pair.memory(pair.host, 4096, RemoteAccess.READ_WRITE).fill(1);
        targets = pair.memory(pair.target, 4096, RemoteAccess.READ_WRITE);
    }

    @AfterEach
    void closeEverything() {
        pair.close();
        assertEquals(Counts.NONE, rdma.counts());
    }

    @Test
    void shouldCountWhatIsOpenAndWhatWasDone() throws Exception {
        assertEquals(new Counts(2, 1, 2, 2, 2, 2, 2), rdma.counts());
        pair.host.postReceive(1, hosts, 0, 64);
        pair.target.post(qp -> {
            addRead(qp, 1, 100);
            addWrite(qp, 2, 30);
            qp.addSendWithInvalidate(3, targets.address(0), 16, targets.localKey(), hosts.remoteKey());
        });
        pair.host.expectDone(1);
        assertEquals(new Traffic(1, 1, 1, 1, 16, 30, 100), rdma.traffic());
        assertEquals(1, rdma.connections().size());
        assertEquals(pair.host.id.localAddress(), rdma.connections().get(0).initiatorAddress());
        assertEquals(pair.target.id.localAddress(), rdma.connections().get(0).acceptorAddress());
    }

    @Test
    void shouldRefuseAddressThatIsTaken() throws Exception {
        InetSocketAddress taken = pair.listening.address();
        assertThrows(RdmaException.class, () -> pair.hostEnd.listen(taken));
        InetSocketAddress wildcard = new InetSocketAddress(taken.getPort());
        assertThrows(RdmaException.class, () -> pair.hostEnd.listen(wildcard));
        assertNotEquals(
                taken.getPort(),
                pair.hostEnd
                        .listen(new InetSocketAddress(taken.getAddress(), 0))
                        .address()
                        .getPort());
    }

    @Test
    void shouldReachOnlyIdsOfItsOwn() throws Exception {
        MemoryRdma other = new MemoryRdma();
        try (RdmaPair stranger = new RdmaPair(other, EventLoops.Kind.NIO, InetAddress.getByName("192.0.2.9"))) {
            RdmaLink link = stranger.keep(stranger.hostEnd.resolve(pair.listening.address()));
            link.open(RdmaPair.SIZE, 16).connect(RdmaPair.data(1, 1), 1, 0);
            assertEquals(8, link.expect("rejected").reason());
        }
        assertEquals(Counts.NONE, other.counts());
    }

    @Test
    void shouldKeepKeysOfEndsApart() throws Exception {
        pair.target.post(qp ->
                qp.addRead(1, targets.address(0), 8, targets.localKey(), targets.address(8), targets.remoteKey()));
        pair.target.expectDone(1, REMOTE_ACCESS_ERROR);
        assertNotEquals(hosts.region().localKey(), hosts.region().remoteKey());
        assertNotEquals(pair.host.id.device(), pair.target.id.device());
    }

    @Test
    void shouldBreakBothEndsWhenMoreIsReadThanAgreed() throws Exception {
        pair.host.postReceive(77, hosts, 0, 64);
        pair.target.post(qp -> {
            for (int i = 0; i <= RdmaPair.READS; i++) {
                addRead(qp, i, 8);
            }
        });
        for (int i = 0; i < RdmaPair.READS; i++) {
            pair.target.expectDone(i);
        }
        pair.target.expectDone(RdmaPair.READS, REMOTE_INVALID_REQUEST);
        pair.host.expectDone(77, Completions.FLUSHED);
        assertFalse(pair.target.postReceive(1, targets, 0, 64));
        assertFalse(pair.target.post(qp -> addRead(qp, 1, 8)));
    }

    @Test
    void shouldRefuseMoreWorkThanQueuesHold() throws Exception {
        rdma.pause();
        pair.target.post(qp -> {
            for (int i = 0; i < RdmaPair.DEPTH; i++) {
                addWrite(qp, i, 8);
            }
        });
        assertThrows(IllegalStateException.class, () -> pair.target.post(qp -> addWrite(qp, 9, 8)));
        for (int i = 0; i < RdmaPair.DEPTH; i++) {
            pair.target.postReceive(i, targets, 0, 64);
        }
        assertThrows(IllegalStateException.class, () -> pair.target.postReceive(9, targets, 0, 64));
        rdma.resume();
        assertThrows(
                IllegalStateException.class,
                () -> pair.target.post(qp -> addWrite(qp, 9, 8)),
                "a WRITE leaves its place with a later SEND or READ");
    }

    @Test
    void shouldFreePlacesOfWritesWithNextCompletionThatIsPolled() throws Exception {
        for (int round = 0; round < 5; round++) {
            pair.target.post(qp -> {
                for (int i = 1; i < RdmaPair.DEPTH; i++) {
                    addWrite(qp, i, 8);
                }
                addRead(qp, 99, 8);
            });
            pair.target.expectDone(99);
        }
    }

    @Test
    void shouldKeepPlacesUntilCompletionsArePolled() throws Exception {
        for (int i = 0; i < RdmaPair.DEPTH; i++) {
            pair.host.postReceive(i, hosts, 0, 64);
        }
        pair.targetEnd.onData(() -> {
            QueuePair queuePair = pair.target.queuePair;
            for (int i = 0; i < RdmaPair.DEPTH; i++) {
                queuePair.addSend(i, targets.address(0), 8, targets.localKey(), 0, 0, 0);
            }
            assertTrue(queuePair.post());
            assertThrows(IllegalStateException.class, () -> addRead(queuePair, 99, 8));
            return null;
        });
        for (int i = 0; i < RdmaPair.DEPTH; i++) {
            pair.target.expectDone(i);
        }
        pair.target.post(qp -> addRead(qp, 99, 8));
        pair.target.expectDone(99);
    }

    @Test
    void shouldSendWhenOtherEndHasHeardOfConnection() throws Exception {
        RdmaLink host =
                pair.keep(pair.hostEnd.resolve(pair.listening.address())).open(RdmaPair.SIZE, 16);
        pair.hostEnd.onControl(() -> host.queuePair.postReceive(1, hosts.address(0), 64, hosts.localKey(), 0, 0, 0));
        host.connect(RdmaPair.data(1, 1), 0, 0);
        RdmaLink target =
                pair.keep(pair.targetEnd.answer(pair.targetEnd.takeRequest())).open(RdmaPair.SIZE, 16);
        pair.hostEnd.onControl(() -> {
            target.accept(RdmaPair.data(1, 1), 0, 0);
            target.post(qp -> qp.addSend(2, targets.address(0), 8, targets.localKey(), 0, 0, 0));
            target.assertNothingDone();
            return null;
        });
        host.expect("established");
        host.expectDone(1);
        target.expectDone(2);
    }

    @Test
    void shouldRefuseCallsOnWrongThread() {
        assertThrows(IllegalStateException.class, () -> pair.host.id.disconnect());
        assertThrows(IllegalStateException.class, () -> pair.host.queuePair.post());
        assertThrows(IllegalStateException.class, () -> pair.host.completionQueue.arm());
        assertThrows(
                IllegalStateException.class,
                () -> pair.host.end().onData(() -> {
                    pair.host.id.close();
                    return null;
                }));
    }

    @Test
    void shouldRefuseCallsInWrongOrder() throws Exception {
        RdmaLink early =
                pair.keep(pair.hostEnd.resolve(pair.listening.address())).open(RdmaPair.SIZE, 16);
        assertThrows(IllegalStateException.class, () -> early.post(qp -> addWrite(qp, 1, 8)));
        assertThrows(IllegalStateException.class, () -> pair.host.completionQueue.close());
        assertThrows(
                IllegalStateException.class,
                () -> pair.host.end().onData(() -> {
                    pair.host.end().channel(pair.host.id.device()).close();
                    return null;
                }));
        pair.host.close();
        assertThrows(IllegalStateException.class, () -> pair.host.postReceive(1, hosts, 0, 64));
        assertThrows(IllegalStateException.class, () -> pair.host.end().onData(() -> pair.host.completionQueue.arm()));
    }

    @Test
    void shouldFailAtThisEndAloneWhenItsOwnMemoryIsNotRegistered() throws Exception {
        targets.region().close();
        pair.target.post(qp -> addRead(qp, 1, 8));
        pair.target.expectDone(1, LOCAL_PROTECTION_ERROR);
        pair.host.post(qp -> qp.addSend(2, hosts.address(0), 8, hosts.localKey(), 0, 0, 0));
        pair.host.expectDone(2, RETRIES_EXCEEDED);
    }

    @Test
    void shouldBreakWhenKeyToInvalidateIsNone() throws Exception {
        pair.host.postReceive(1, hosts, 0, 64);
        pair.target.post(qp -> qp.addSendWithInvalidate(2, targets.address(0), 8, targets.localKey(), 12345));
        pair.target.expectDone(2, REMOTE_ACCESS_ERROR);
        pair.host.expectDone(1, Completions.FLUSHED);
    }

    @Test
    void shouldBreakQueueThatOverflowsAndItsQueuePair() throws Exception {
        RdmaLink host =
                pair.keep(pair.hostEnd.resolve(pair.listening.address())).open(RdmaPair.SIZE, 2);
        host.connect(RdmaPair.data(1, 1), 0, 0);
        RdmaLink target =
                pair.keep(pair.targetEnd.answer(pair.targetEnd.takeRequest())).open(RdmaPair.SIZE, 16);
        target.accept(RdmaPair.data(1, 1), 0, 0);
        host.expect("established");
        for (int i = 0; i < 3; i++) {
            target.postReceive(i, targets, 0, 64);
        }
        host.post(qp -> {
            for (int i = 0; i < 3; i++) {
                qp.addSend(i, hosts.address(0), 8, hosts.localKey(), 0, 0, 0);
            }
        });
        assertEquals(-1, host.takeDone().status(), "the poll says that the queue is broken");
        assertFalse(host.postReceive(9, hosts, 0, 64));
        assertFalse(host.end().onData(host.completionQueue::arm));
    }

    @Test
    void shouldTellEveryIdWhenDeviceIsRemoved() throws Exception {
        RdmaLink waiting =
                pair.keep(pair.hostEnd.resolve(pair.listening.address())).open(RdmaPair.SIZE, 16);
        pair.host.postReceive(1, hosts, 0, 64);
        rdma.removeDevice();
        pair.host.expect("device removed");
        pair.target.expect("device removed");
        waiting.expect("device removed");
        pair.host.expectDone(1, Completions.FLUSHED);
        assertThrows(RdmaException.class, () -> pair.hostEnd.resolve(pair.listening.address()));
        assertThrows(RdmaException.class, () -> pair.memory(pair.host, 64, RemoteAccess.NONE));
        pair.host.disconnect();
        pair.host.close();
        assertNull(pair.target.events.poll());
    }

    @Test
    void shouldEndWhoListensAtAnAddressOfTheDeviceWhenItIsRemoved() throws Exception {
        InetSocketAddress address = pair.listening.address();
        InetSocketAddress wildcard = pair.targetEnd
                .listen(new InetSocketAddress("0.0.0.0", address.getPort() + 1000))
                .address();
        rdma.removeDevice();
        assertNotNull(pair.targetEnd.endedListenings.poll(RdmaEnd.PATIENCE_S, TimeUnit.SECONDS));
        rdma.restoreDevice();
        assertEquals(8, knock(address).expect("rejected").reason());
        assertThrows(RdmaException.class, () -> pair.targetEnd.listen(address), "taken until it is closed");
        RdmaEnd.quietly(pair.targetEnd::onControl, pair.listening::close);
        pair.targetEnd.listen(address);
        for (int port : List.of(address.getPort(), wildcard.getPort())) {
            knock(new InetSocketAddress(address.getAddress(), port));
            pair.keep(pair.targetEnd.answer(pair.targetEnd.takeRequest()));
        }
        assertNull(pair.targetEnd.endedListenings.poll(), "the wildcard address goes on");
    }

    private RdmaLink knock(InetSocketAddress address) throws Exception {
        RdmaLink link = pair.keep(pair.hostEnd.resolve(address)).open(RdmaPair.SIZE, 16);
        link.connect(RdmaPair.data(1, 1), 1, 0);
        return link;
    }

    @Test
    void shouldFailNextRegistrationOnly() throws Exception {
        rdma.failNextRegistration();
        RdmaException e = assertThrows(RdmaException.class, () -> pair.memory(pair.host, 64, RemoteAccess.NONE));
        assertTrue(e.getMessage().contains("locked memory"), e.getMessage());
        pair.memory(pair.host, 64, RemoteAccess.NONE);
    }

    @Test
    void shouldDoNothingWhilePaused() throws Exception {
        rdma.pause();
        pair.host.postReceive(1, hosts, 0, 64);
        pair.target.post(qp -> {
            addRead(qp, 1, 8);
            qp.addSend(2, targets.address(0), 8, targets.localKey(), 0, 0, 0);
        });
        pair.hostEnd.onData(() -> null);
        pair.targetEnd.onData(() -> null);
        pair.host.assertNothingDone();
        pair.target.assertNothingDone();
        rdma.resume();
        pair.target.expectDone(1);
        pair.target.expectDone(2);
        pair.host.expectDone(1);
    }

    @Test
    void shouldLetAnswersOvertakeHeldCompletions() throws Exception {
        rdma.holdSendCompletions();
        pair.target.postReceive(1, targets, 0, 64);
        pair.host.postReceive(2, hosts, 0, 64);
        pair.host.post(qp -> qp.addSend(3, hosts.address(0), 8, hosts.localKey(), 0, 0, 0));
        pair.target.expectDone(1);
        pair.target.post(qp -> qp.addSend(4, targets.address(0), 8, targets.localKey(), 0, 0, 0));
        pair.host.expectDone(2);
        pair.host.assertNothingDone();
        rdma.releaseSendCompletions();
        pair.host.expectDone(3);
        pair.target.expectDone(4);

        rdma.holdSendCompletions();
        pair.target.postReceive(5, targets, 0, 64);
        pair.target.postReceive(6, targets, 0, 64);
        pair.host.post(qp -> qp.addSend(7, hosts.address(0), 8, hosts.localKey(), 0, 0, 0));
        pair.host.postReceive(8, hosts, 0, 64);
        pair.host.disconnect();
        pair.host.expectDone(7);
        pair.host.expectDone(8, Completions.FLUSHED);
    }

    @Test
    void shouldLeaveOtherEndInTheDarkWhenCut() throws Exception {
        MemoryConnection connection = rdma.connections().get(0);
        connection.cut();
        pair.target.postReceive(1, targets, 0, 64);
        pair.host.post(qp -> qp.addSend(2, hosts.address(0), 8, hosts.localKey(), 0, 0, 0));
        pair.host.assertNothingDone();
        pair.host.disconnect();
        pair.host.expect("disconnected");
        pair.host.expectDone(2, Completions.FLUSHED);
        pair.targetEnd.onControl(() -> null);
        pair.targetEnd.onData(() -> null);
        assertNull(pair.target.events.poll());
        pair.target.assertNothingDone();
        pair.target.disconnect();
        pair.target.expect("disconnected");
        pair.target.expectDone(1, Completions.FLUSHED);
        assertEquals(List.of(), rdma.connections());
    }

    @Test
    void shouldFlushWithoutEventWhenQueuePairsBreak() throws Exception {
        pair.target.postReceive(1, targets, 0, 64);
        rdma.connections().get(0).breakQueuePairs();
        pair.target.expectDone(1, Completions.FLUSHED);
        assertFalse(pair.host.postReceive(1, hosts, 0, 64));
        pair.targetEnd.onControl(() -> null);
        assertNull(pair.target.events.poll());
        pair.target.disconnect();
        pair.host.expect("disconnected");
    }

    @Test
    void shouldRefuseToAcceptWhenPeerHasGivenUp() throws Exception {
        RdmaLink host =
                pair.keep(pair.hostEnd.resolve(pair.listening.address())).open(RdmaPair.SIZE, 16);
        host.connect(RdmaPair.data(1, 1), 0, 0);
        RdmaLink target =
                pair.keep(pair.targetEnd.answer(pair.targetEnd.takeRequest())).open(RdmaPair.SIZE, 16);
        host.close();
        assertEquals(4, target.expect("rejected").reason());
        assertThrows(RdmaException.class, () -> target.accept(RdmaPair.data(1, 1), 0, 0));
        target.reject(RdmaPair.data(1, 1));
    }

    @Test
    void shouldRefuseWhatDeviceCannotDo() throws Exception {
        RdmaLink link = pair.keep(pair.hostEnd.resolve(pair.listening.address()));
        RdmaDevice device = link.id.device();
        assertSame(device, pair.host.id.device());
        int most = device.limits().maxWork();
        assertThrows(
                RdmaException.class,
                () -> link.open(new QueuePairSize(1, 1), device.limits().maxCompletions() + 1));
        assertThrows(RdmaException.class, () -> link.open(new QueuePairSize(most + 1, 1), 16));
        link.end().onControl(() -> {
            link.completionQueue.close();
            return null;
        });
        link.open(RdmaPair.SIZE, 16);
        assertThrows(
                RdmaException.class,
                () -> link.connect(RdmaPair.data(1, 1), device.limits().maxResponderReads() + 1, 0));
    }

    private void addRead(QueuePair queuePair, long workId, int length) {
        queuePair.addRead(workId, targets.address(0), length, targets.localKey(), hosts.address(0), hosts.remoteKey());
    }

    private void addWrite(QueuePair queuePair, long workId, int length) {
        queuePair.addWrite(workId, targets.address(0), length, targets.localKey(), hosts.address(0), hosts.remoteKey());
    }
}
