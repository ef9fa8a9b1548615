package io.nvmf.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaEnd.Memory;
import io.nvmf.transport.rdma.RdmaEnd.Request;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What every provider of RDMA must do: checks by name, for JUnit and for a plain program where the hardware is. Each makes
 * two ends of its own.
 */
final class RdmaContract {
    /** A check. */
    interface Check {
        void run() throws Exception;
    }

    private static final int REMOTE_ACCESS_ERROR = 10;
    private static final int MEBIBYTE = 1 << 20;

    private final RdmaProvider provider;
    private final EventLoops.Kind kind;
    private final List<InetAddress> addresses;
    private final boolean canInvalidate;

    /**
     * @param kind of the event loops
     * @param addresses of the RDMA device; the first is used where one suffices
     * @param canInvalidate whether memory registered here can be invalidated by the peer
     */
    RdmaContract(RdmaProvider provider, EventLoops.Kind kind, List<InetAddress> addresses, boolean canInvalidate) {
        this.provider = provider;
        this.kind = kind;
        this.addresses = addresses;
        this.canInvalidate = canInvalidate;
    }

    Map<String, Check> checks() {
        Map<String, Check> checks = new LinkedHashMap<>();
        for (InetAddress address : addresses) {
            checks.put("connects at " + address.getHostAddress(), () -> connects(address, address));
        }
        checks.put("listens at all addresses", this::listensAtAllAddresses);
        checks.put("rejects with private data", this::rejectsWithPrivateData);
        checks.put("is rejected where nobody listens", this::isRejectedWhereNobodyListens);
        checks.put("is rejected by an id that closes", this::isRejectedByIdThatCloses);
        checks.put("refuses too much private data", this::refusesTooMuchPrivateData);
        checks.put("sends one piece", this::sendsOnePiece);
        checks.put("sends two pieces into two pieces", this::sendsTwoPiecesIntoTwoPieces);
        checks.put("waits for a receive", this::waitsForReceive);
        checks.put("writes", this::writes);
        checks.put("reads", this::reads);
        if (canInvalidate) {
            checks.put("sends with invalidate", this::sendsWithInvalidate);
        }
        checks.put("keeps the order of writes and sends", this::keepsOrder);
        checks.put("sends many messages at depth", this::sendsManyMessagesAtDepth);
        checks.put("reads as deep as agreed", this::readsAsDeepAsAgreed);
        checks.put("disconnects from the end that connected", () -> disconnects(true));
        checks.put("disconnects from the end that accepted", () -> disconnects(false));
        checks.put("tells the peer when an id closes", this::tellsPeerWhenIdCloses);
        checks.put("a wrong key ends its own connection only", this::wrongKeyEndsItsOwnConnection);
        checks.put("a region too short ends its own connection only", this::shortRegionEndsItsOwnConnection);
        checks.put("memory without remote access is out of reach", this::memoryWithoutRemoteAccessIsOutOfReach);
        checks.put("a message too long ends both ends", this::messageTooLongEndsBothEnds);
        checks.put("a closed queue pair touches no memory", this::closedQueuePairTouchesNoMemory);
        checks.put("arms once", this::armsOnce);
        checks.put("closes everything 200 times", this::closesEverythingManyTimes);
        return checks;
    }

    /** Runs all checks, a line each. @return how many failed */
    int runAll(PrintStream out) {
        int failed = 0;
        for (Map.Entry<String, Check> check : checks().entrySet()) {
            try {
                check.getValue().run();
                out.println("CHECK " + check.getKey() + " PASS");
            } catch (Exception | AssertionError e) {
                failed++;
                out.println("CHECK " + check.getKey() + " FAIL " + e);
                e.printStackTrace(out);
            }
        }
        return failed;
    }

    private void connects(InetAddress listenAddress, InetAddress connectAddress) throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, listenAddress)) {
            InetSocketAddress bound = pair.listening.address();
            assertNotEquals(0, bound.getPort());
            assertEquals(listenAddress, bound.getAddress());
            RdmaLink host = pair.keep(pair.hostEnd.resolve(new InetSocketAddress(connectAddress, bound.getPort())));
            host.open(RdmaPair.SIZE, 2 * RdmaPair.DEPTH).connect(RdmaPair.data(1, 56), 3, 0);
            Request request = pair.targetEnd.takeRequest();
            assertStartsWith(RdmaPair.data(1, 56), request.privateData(), 56);
            assertEquals(0, request.responderResources());
            assertEquals(3, request.initiatorDepth());
            RdmaLink target = pair.keep(pair.targetEnd.answer(request)).open(RdmaPair.SIZE, 2 * RdmaPair.DEPTH);
            target.accept(RdmaPair.data(2, 32), 0, 3);
            assertStartsWith(RdmaPair.data(2, 32), host.expect("established").data(), 196);
            target.expect("established");
            assertEquals(connectAddress, host.id.remoteAddress().getAddress());
            assertEquals(bound.getPort(), host.id.remoteAddress().getPort());
            assertEquals(connectAddress, target.id.localAddress().getAddress());
            assertEquals(host.id.localAddress(), target.id.remoteAddress());
            assertTrue(host.id.device().limits().maxWork() >= RdmaPair.DEPTH);
        }
    }

    private void listensAtAllAddresses() throws Exception {
        for (InetAddress address : addresses) {
            byte[] zeros = new byte[address.getAddress().length];
            try (RdmaPair pair = new RdmaPair(provider, kind, InetAddress.getByAddress(zeros))) {
                pair.connect(
                        RdmaPair.SIZE,
                        new InetSocketAddress(address, pair.listening.address().getPort()));
            }
        }
    }

    private void rejectsWithPrivateData() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0))) {
            RdmaLink host =
                    pair.keep(pair.hostEnd.resolve(pair.listening.address())).open(RdmaPair.SIZE, 2 * RdmaPair.DEPTH);
            host.connect(RdmaPair.data(1, 32), RdmaPair.READS, 0);
            RdmaLink target = pair.keep(pair.targetEnd.answer(pair.targetEnd.takeRequest()));
            target.reject(RdmaPair.data(3, 4));
            RdmaLink.Event event = host.expect("rejected");
            assertEquals(CmId.REJECTED_BY_CONSUMER, event.reason());
            assertStartsWith(RdmaPair.data(3, 4), event.data(), 148);
        }
    }

    private void isRejectedWhereNobodyListens() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0))) {
            InetSocketAddress address = pair.listening.address();
            pair.targetEnd.onControl(() -> {
                pair.listening.close();
                return null;
            });
            RdmaLink host = pair.keep(pair.hostEnd.resolve(address)).open(RdmaPair.SIZE, 2 * RdmaPair.DEPTH);
            host.connect(RdmaPair.data(1, 32), RdmaPair.READS, 0);
            assertNotEquals(CmId.REJECTED_BY_CONSUMER, host.expect("rejected").reason());
        }
    }

    private void isRejectedByIdThatCloses() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0))) {
            RdmaLink host =
                    pair.keep(pair.hostEnd.resolve(pair.listening.address())).open(RdmaPair.SIZE, 2 * RdmaPair.DEPTH);
            host.connect(RdmaPair.data(1, 32), RdmaPair.READS, 0);
            pair.targetEnd.answer(pair.targetEnd.takeRequest()).close();
            host.expect("rejected");
        }
    }

    private void refusesTooMuchPrivateData() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0))) {
            RdmaLink host =
                    pair.keep(pair.hostEnd.resolve(pair.listening.address())).open(RdmaPair.SIZE, 2 * RdmaPair.DEPTH);
            assertThrows(RdmaException.class, () -> host.connect(RdmaPair.data(1, 57), RdmaPair.READS, 0));
        }
    }

    private void sendsOnePiece() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            Memory from = pair.memory(pair.host, 4096, RemoteAccess.NONE).fill(1);
            Memory to = pair.memory(pair.target, 8192, RemoteAccess.NONE);
            assertTrue(pair.target.postReceive(5, to, 100, 4096));
            assertTrue(pair.host.post(qp -> qp.addSend(6, from.address(10), 64, from.localKey(), 0, 0, 0)));
            assertEquals(64, pair.target.expectDone(5).lengthBytes());
            assertFalse(pair.host.expectDone(6).hasInvalidatedKey());
            assertHolds(to, 100, from, 10, 64);
            assertZero(to, 0, 100);
            assertZero(to, 164, 8192);
        }
    }

    private void sendsTwoPiecesIntoTwoPieces() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            Memory from = pair.memory(pair.host, 8192, RemoteAccess.NONE).fill(2);
            Memory to = pair.memory(pair.target, 16384, RemoteAccess.NONE);
            Memory more = pair.memory(pair.target, 16384, RemoteAccess.NONE);
            int key = to.localKey();
            assertTrue(pair.target
                    .end()
                    .onData(() -> pair.target.queuePair.postReceive(
                            1, to.address(0), 64, key, more.address(4096), 4096, more.localKey())));
            assertTrue(pair.host.post(qp ->
                    qp.addSend(2, from.address(7), 60, from.localKey(), from.address(1000), 1004, from.localKey())));
            assertEquals(1064, pair.target.expectDone(1).lengthBytes());
            pair.host.expectDone(2);
            assertHolds(to, 0, from, 7, 60);
            assertHolds(to, 60, from, 1000, 4);
            assertHolds(more, 4096, from, 1004, 1000);
            assertZero(to, 64, 16384);
            assertZero(more, 0, 4096);
            assertZero(more, 5096, 16384);
        }
    }

    private void waitsForReceive() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            Memory from = pair.memory(pair.host, 64, RemoteAccess.NONE).fill(3);
            Memory to = pair.memory(pair.target, 64, RemoteAccess.NONE);
            pair.host.post(qp -> qp.addSend(1, from.address(0), 64, from.localKey(), 0, 0, 0));
            Thread.sleep(5);
            pair.host.assertNothingDone();
            pair.target.postReceive(2, to, 0, 64);
            pair.target.expectDone(2);
            pair.host.expectDone(1);
            assertHolds(to, 0, from, 0, 64);
        }
    }

    private void writes() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            Memory mine = pair.memory(pair.target, MEBIBYTE, RemoteAccess.NONE).fill(4);
            Memory peers = pair.memory(pair.host, MEBIBYTE + 4096, RemoteAccess.READ_WRITE);
            Memory note = pair.memory(pair.host, 16, RemoteAccess.NONE);
            pair.host.postReceive(9, note, 0, 16);
            assertTrue(pair.target.post(qp -> {
                qp.addWrite(1, mine.address(0), MEBIBYTE, mine.localKey(), peers.address(512), peers.remoteKey());
                qp.addSend(2, mine.address(0), 16, mine.localKey(), 0, 0, 0);
            }));
            pair.host.expectDone(9);
            pair.target.expectDone(2);
            pair.target.assertNothingDone();
            assertHolds(peers, 512, mine, 0, MEBIBYTE);
            assertZero(peers, 0, 512);
            assertZero(peers, MEBIBYTE + 512, MEBIBYTE + 4096);
        }
    }

    private void reads() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            Memory mine = pair.memory(pair.target, MEBIBYTE + 4096, RemoteAccess.NONE);
            Memory peers =
                    pair.memory(pair.host, MEBIBYTE, RemoteAccess.READ_WRITE).fill(5);
            assertTrue(pair.target.post(qp -> qp.addRead(
                    3, mine.address(4), MEBIBYTE - 9, mine.localKey(), peers.address(9), peers.remoteKey())));
            pair.target.expectDone(3);
            assertHolds(mine, 4, peers, 9, MEBIBYTE - 9);
            assertZero(mine, MEBIBYTE - 5, MEBIBYTE + 4096);
            pair.host.assertNothingDone();
        }
    }

    private void sendsWithInvalidate() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            Memory mine = pair.memory(pair.target, 64, RemoteAccess.NONE).fill(6);
            Memory first = pair.memory(pair.host, 64, RemoteAccess.READ_WRITE);
            Memory second = pair.memory(pair.host, 64, RemoteAccess.READ_WRITE);
            Memory note = pair.memory(pair.host, 64, RemoteAccess.NONE);
            pair.host.postReceive(1, note, 0, 64);
            assertTrue(pair.target.post(
                    qp -> qp.addSendWithInvalidate(2, mine.address(0), 16, mine.localKey(), first.remoteKey())));
            RdmaLink.Done done = pair.host.expectDone(1);
            assertTrue(done.hasInvalidatedKey());
            assertEquals(first.remoteKey(), done.invalidatedKey());
            assertEquals(16, done.lengthBytes());
            pair.target.expectDone(2);
            assertTrue(pair.target.post(
                    qp -> qp.addRead(3, mine.address(0), 8, mine.localKey(), second.address(0), second.remoteKey())));
            pair.target.expectDone(3);
            pair.target.post(
                    qp -> qp.addRead(4, mine.address(0), 8, mine.localKey(), first.address(0), first.remoteKey()));
            pair.target.expectDone(4, REMOTE_ACCESS_ERROR);
        }
    }

    /** What is written before a message is there when the message is. */
    private void keepsOrder() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            int length = 65_536;
            Memory mine = pair.memory(pair.target, length, RemoteAccess.NONE);
            Memory peers = pair.memory(pair.host, length, RemoteAccess.READ_WRITE);
            Memory note = pair.memory(pair.host, 16, RemoteAccess.NONE);
            for (int round = 1; round <= 20; round++) {
                mine.fill(round);
                pair.host.postReceive(round, note, 0, 16);
                pair.target.post(qp -> {
                    qp.addWrite(1, mine.address(0), length, mine.localKey(), peers.address(0), peers.remoteKey());
                    qp.addWrite(2, mine.address(8), 16, mine.localKey(), peers.address(8), peers.remoteKey());
                    qp.addSend(3, mine.address(0), 16, mine.localKey(), 0, 0, 0);
                });
                pair.host.expectDone(round);
                assertHolds(peers, 0, mine, 0, length);
                pair.target.expectDone(3);
            }
        }
    }

    private void sendsManyMessagesAtDepth() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            int messages = 2000;
            Memory from = pair.memory(pair.host, RdmaPair.DEPTH * 64, RemoteAccess.NONE);
            Memory to = pair.memory(pair.target, RdmaPair.DEPTH * 64, RemoteAccess.NONE);
            for (int i = 0; i < RdmaPair.DEPTH; i++) {
                pair.target.postReceive(i, to, i * 64, 64);
            }
            int sent = 0;
            for (int received = 0; received < messages; received++) {
                while (sent < messages && sent < received + RdmaPair.DEPTH) {
                    if (sent >= RdmaPair.DEPTH) {
                        pair.host.expectDone(sent - RdmaPair.DEPTH);
                    }
                    int slot = sent % RdmaPair.DEPTH * 64;
                    long number = sent;
                    from.buffer().putLong(slot, number);
                    pair.host.post(qp -> qp.addSend(number, from.address(slot), 64, from.localKey(), 0, 0, 0));
                    sent++;
                }
                int slot = received % RdmaPair.DEPTH;
                pair.target.expectDone(slot);
                assertEquals(received, to.buffer().getLong(slot * 64));
                pair.target.postReceive(slot, to, slot * 64, 64);
            }
        }
    }

    private void readsAsDeepAsAgreed() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            Memory mine = pair.memory(pair.target, RdmaPair.READS * 4096, RemoteAccess.NONE);
            Memory peers = pair.memory(pair.host, RdmaPair.READS * 4096, RemoteAccess.READ_WRITE);
            for (int round = 0; round < 50; round++) {
                peers.fill(round);
                pair.target.post(qp -> {
                    for (int i = 0; i < RdmaPair.READS; i++) {
                        int at = i * 4096;
                        qp.addRead(i, mine.address(at), 4096, mine.localKey(), peers.address(at), peers.remoteKey());
                    }
                });
                for (int i = 0; i < RdmaPair.READS; i++) {
                    pair.target.expectDone(i);
                }
                assertHolds(mine, 0, peers, 0, RdmaPair.READS * 4096);
            }
        }
    }

    private void disconnects(boolean byHost) throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            Memory hosts = pair.memory(pair.host, 4096, RemoteAccess.NONE);
            Memory targets = pair.memory(pair.target, 4096, RemoteAccess.NONE);
            for (int i = 0; i < RdmaPair.DEPTH; i++) {
                pair.host.postReceive(i, hosts, i * 64, 64);
                pair.target.postReceive(i, targets, i * 64, 64);
            }
            RdmaLink first = byHost ? pair.host : pair.target;
            RdmaLink other = byHost ? pair.target : pair.host;
            first.disconnect();
            other.expect("disconnected");
            other.disconnect();
            first.expect("disconnected");
            for (RdmaLink link : List.of(first, other)) {
                for (int i = 0; i < RdmaPair.DEPTH; i++) {
                    link.expectDone(i, Completions.FLUSHED);
                }
            }
        }
    }

    private void tellsPeerWhenIdCloses() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            pair.host.close();
            pair.target.expect("disconnected");
        }
    }

    private void wrongKeyEndsItsOwnConnection() throws Exception {
        breaksItsOwnConnection((pair, mine, peers) -> pair.target.post(
                qp -> qp.addRead(1, mine.address(0), 64, mine.localKey(), peers.address(0), peers.remoteKey() ^ 0x40)));
        breaksItsOwnConnection((pair, mine, peers) -> pair.target.post(qp ->
                qp.addWrite(1, mine.address(0), 64, mine.localKey(), peers.address(0), peers.remoteKey() ^ 0x40)));
    }

    private void shortRegionEndsItsOwnConnection() throws Exception {
        breaksItsOwnConnection((pair, mine, peers) -> pair.target.post(
                qp -> qp.addRead(1, mine.address(0), 4096, mine.localKey(), peers.address(1), peers.remoteKey())));
        breaksItsOwnConnection((pair, mine, peers) -> pair.target.post(
                qp -> qp.addWrite(1, mine.address(0), 64, mine.localKey(), peers.address(-1), peers.remoteKey())));
    }

    private void memoryWithoutRemoteAccessIsOutOfReach() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            Memory mine = pair.memory(pair.target, 4096, RemoteAccess.NONE).fill(1);
            Memory peers = pair.memory(pair.host, 4096, RemoteAccess.NONE);
            pair.target.post(
                    qp -> qp.addWrite(1, mine.address(0), 64, mine.localKey(), peers.address(0), peers.remoteKey()));
            pair.target.expectDone(1, REMOTE_ACCESS_ERROR);
            assertZero(peers, 0, 4096);
        }
    }

    private interface Mistake {
        boolean make(RdmaPair pair, Memory mine, Memory peers) throws Exception;
    }

    private void breaksItsOwnConnection(Mistake mistake) throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            RdmaLink otherHost = pair.host;
            RdmaLink otherTarget = pair.target;
            pair.connect();
            Memory mine = pair.memory(pair.target, 4096, RemoteAccess.NONE);
            Memory peers = pair.memory(pair.host, 4096, RemoteAccess.READ_WRITE);
            pair.target.postReceive(2, mine, 0, 64);
            mistake.make(pair, mine, peers);
            pair.target.expectDone(1, REMOTE_ACCESS_ERROR);
            pair.target.expectDone(2, Completions.FLUSHED);
            pair.target.disconnect();
            pair.host.expect("disconnected");

            otherTarget.postReceive(3, mine, 0, 64);
            otherHost.post(qp -> qp.addSend(4, peers.address(0), 64, peers.localKey(), 0, 0, 0));
            otherTarget.expectDone(3);
            otherHost.expectDone(4);
        }
    }

    private void messageTooLongEndsBothEnds() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            Memory from = pair.memory(pair.host, 4096, RemoteAccess.NONE).fill(1);
            Memory to = pair.memory(pair.target, 4096, RemoteAccess.NONE);
            pair.target.postReceive(1, to, 0, 64);
            pair.host.post(qp -> qp.addSend(2, from.address(0), 65, from.localKey(), 0, 0, 0));
            assertNotEquals(Completions.SUCCESS, pair.target.takeDone().status());
            assertNotEquals(Completions.SUCCESS, pair.host.takeDone().status());
            assertZero(to, 64, 4096);
        }
    }

    /** What the peer does after the close is not seen here. */
    private void closedQueuePairTouchesNoMemory() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            Memory from = pair.memory(pair.host, 4096, RemoteAccess.NONE).fill(1);
            Memory to = pair.memory(pair.target, 4096, RemoteAccess.READ_WRITE);
            pair.target.postReceive(1, to, 0, 4096);
            pair.target.end().onControl(() -> {
                pair.target.queuePair.close();
                pair.target.queuePair.close();
                return null;
            });
            pair.host.post(qp -> {
                qp.addWrite(2, from.address(0), 64, from.localKey(), to.address(0), to.remoteKey());
                qp.addSend(3, from.address(0), 64, from.localKey(), 0, 0, 0);
            });
            pair.host.disconnect();
            pair.host.expect("disconnected");
            assertNotEquals(Completions.SUCCESS, pair.host.takeDone().status());
            assertZero(to, 0, 4096);
        }
    }

    /** An armed queue tells once; what comes later is told after it has been armed again. */
    private void armsOnce() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0)).connect()) {
            Memory from = pair.memory(pair.host, 64, RemoteAccess.NONE);
            Memory to = pair.memory(pair.target, 64, RemoteAccess.NONE);
            Set<Long> seen = new HashSet<>();
            for (long i = 0; i < 100; i++) {
                long workId = i;
                pair.target.postReceive(workId, to, 0, 64);
                pair.host.post(qp -> qp.addSend(workId, from.address(0), 8, from.localKey(), 0, 0, 0));
                seen.add(pair.target.expectDone(workId).workId());
                pair.host.expectDone(workId);
            }
            assertEquals(100, seen.size());
        }
    }

    /** The provider's own count of open objects, where it has one, is for its test to look at. */
    private void closesEverythingManyTimes() throws Exception {
        try (RdmaPair pair = new RdmaPair(provider, kind, addresses.get(0))) {
            for (int i = 0; i < 200; i++) {
                pair.connect();
                Memory memory = pair.memory(pair.target, 4096, RemoteAccess.READ_WRITE);
                pair.target.postReceive(1, memory, 0, 64);
                (i % 2 == 0 ? pair.host : pair.target).close();
                (i % 2 == 0 ? pair.target : pair.host).close();
                memory.region().close();
                memory.region().close();
                pair.links.clear();
                pair.memories.clear();
            }
        }
    }

    /** Whether data came, padded with zeros to what messages of its kind carry. */
    private static void assertStartsWith(ByteBuffer expected, ByteBuffer actual, int lengthBytes) {
        assertEquals(lengthBytes, actual.remaining(), "bytes of private data");
        assertEquals(0, actual.position());
        int length = expected.remaining();
        assertEquals(expected, actual.duplicate().limit(length));
        for (int i = length; i < lengthBytes; i++) {
            assertEquals(0, actual.get(i), "byte " + i);
        }
    }

    private static void assertHolds(Memory memory, int offset, Memory expected, int expectedOffset, int lengthBytes) {
        int mismatch = memory.buffer()
                .duplicate()
                .position(offset)
                .limit(offset + lengthBytes)
                .mismatch(expected.buffer().duplicate().position(expectedOffset).limit(expectedOffset + lengthBytes));
        assertEquals(-1, mismatch, "first byte that differs");
    }

    private static void assertZero(Memory memory, int from, int to) {
        for (int i = from; i < to; i++) {
            assertEquals(0, memory.buffer().get(i), "byte " + i);
        }
    }
}
