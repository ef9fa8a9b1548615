package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.FatalErrorStatus;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.codec.tcp.TermReq;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.queue.EntryLimit;
import io.nvmf.transport.MemorySlab;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The target at its bounds: many queues, many controllers, the smallest and the largest capsules. */
class LimitsTest extends TargetTestBase {
    private static final int WRITE = 1;
    private static final int READ = 2;

    private final List<RawHost> hosts = new ArrayList<>();

    private RawHost opened() throws IOException {
        RawHost host = open();
        hosts.add(host);
        return host;
    }

    /** The id of a controller that is enabled. */
    private int openController() throws IOException {
        RawHost admin = opened();
        int controllerId = admin.connectAdmin(NQN, 0);
        admin.enable();
        return controllerId;
    }

    private RawHost openIo(int controllerId, int queueId, int sqSizeZeroBased) throws IOException {
        RawHost io = opened();
        io.initialize(0, 0);
        io.connectIo(controllerId, queueId, sqSizeZeroBased, NQN);
        return io;
    }

    /** So many reads of so many bytes, 8 KiB apart, over and over from the start of the first MiB. */
    private static byte[] reads(RawHost io, int count, int bytes) {
        ByteArrayOutputStream capsules = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            Sqe read = command(READ, i % 128 * 16L, bytes).commandId(i);
            read.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, bytes);
            capsules.writeBytes(io.capsule(read, new byte[0]));
        }
        return capsules.toByteArray();
    }

    private void closeHosts() throws IOException {
        for (RawHost host : hosts) {
            host.close();
        }
    }

    private static Sqe command(int opcode, long startBlock, int bytes) {
        return ReadWriteCommand.encode(Sqe.allocate(), opcode, 1, startBlock, bytes / 512);
    }

    @Test
    void shouldServeAControllerWithMoreThanAHundredDeepQueues() throws IOException {
        start(new TargetLimits(1024, 160, 8192, 1 << 20, 64L << 20, 2));
        RawHost admin = opened();
        int controllerId = admin.connectAdmin(NQN, 0);
        admin.enable();
        Sqe ask = FeaturesCommand.encodeSet(Sqe.allocate(), 7, 159L << 16 | 159);
        assertEquals(159L << 16 | 159, admin.execute(ask).dw0());
        for (int queueId = 1; queueId <= 160; queueId++) {
            openIo(controllerId, queueId, 1023);
        }
        // All 1024 slots of one queue at once.
        RawHost io = hosts.get(160);
        for (int i = 0; i < 1024; i++) {
            Sqe sqe = command(READ, i, 512).commandId(i);
            sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
            io.send(io.capsule(sqe, new byte[0]));
        }
        for (int i = 0; i < 1024; i++) {
            assertEquals(512, io.read().data().length);
            assertEquals(0, io.read().completion().status());
        }
        for (RawHost host : hosts.subList(1, hosts.size())) {
            assertEquals(512, host.executeRead(command(READ, 0, 512), 512).length);
        }
        closeHosts();
    }

    @Test
    void shouldServeHundredsOfControllers() throws IOException {
        start(new TargetLimits(128, 4, 8192, 1 << 20, 16L << 20, 2));
        for (int i = 0; i < 300; i++) {
            int controllerId = openController();
            openIo(controllerId, 1, 31);
        }
        for (int i = 1; i < hosts.size(); i += 2) {
            byte[] data = new byte[512];
            Arrays.fill(data, (byte) i);
            Sqe write = command(WRITE, i, 512);
            write.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 512);
            assertEquals(0, hosts.get(i).execute(write, data).status());
            assertArrayEquals(data, hosts.get(i).executeRead(command(READ, i, 512), 512));
        }
        closeHosts();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4096, 131072})
    void shouldTakeInCapsuleDataUpToItsSizeAndNotAByteMore(int inCapsuleBytes) throws IOException {
        start(new TargetLimits(128, 4, inCapsuleBytes, 1 << 20, 16L << 20, 2));
        RawHost admin = opened();
        int controllerId = admin.connectAdmin(NQN, 0);
        admin.enable();
        ByteBuffer identify = ByteBuffer.wrap(
                        admin.executeRead(Sqe.allocate().clear(6).cdw(10, 1), 4096))
                .order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(inCapsuleBytes, IdentifyController.decode(identify, 0).inCapsuleDataBytes());
        RawHost io = opened();
        io.initialize(0, 0);
        io.connectIo(controllerId, 1, 31, NQN);
        if (inCapsuleBytes > 0) {
            byte[] data = new byte[inCapsuleBytes];
            new Random(1).nextBytes(data);
            Sqe write = command(WRITE, 8, inCapsuleBytes);
            write.sgl1().set(SglDescriptor.IN_CAPSULE, 0, inCapsuleBytes);
            assertEquals(0, io.execute(write, data).status());
            assertArrayEquals(data, io.executeRead(command(READ, 8, inCapsuleBytes), inCapsuleBytes));
        }
        byte[] byR2t = new byte[65536];
        new Random(2).nextBytes(byR2t);
        assertEquals(0, io.executeWrite(command(WRITE, 0, 65536), byR2t, 4096).status());
        Sqe tooLong = command(WRITE, 0, inCapsuleBytes + 512);
        tooLong.sgl1().set(SglDescriptor.IN_CAPSULE, 0, inCapsuleBytes + 512);
        io.send(io.capsule(tooLong, new byte[inCapsuleBytes + 512]));
        HandshakeTest.assertTerminated(io, FatalErrorStatus.INVALID_PDU_HEADER_FIELD, PduHeader.PLEN_OFFSET);
        closeHosts();
    }

    @Test
    void shouldBoundWhatWaitsForAllHostsTogetherThatTakeNoAnswers() throws IOException {
        start(new TargetLimits(1024, 64, 8192, 1 << 20, 8L << 20, 1));
        RawHost admin = opened();
        int controllerId = admin.connectAdmin(NQN, 0);
        admin.enable();
        Sqe ask = FeaturesCommand.encodeSet(Sqe.allocate(), 7, 63L << 16 | 63);
        assertEquals(63L << 16 | 63, admin.execute(ask).dw0());
        RawHost reading = openIo(controllerId, 1, 127);
        byte[] stored = new byte[1 << 20];
        new Random(3).nextBytes(stored);
        Cqe written = reading.executeWrite(command(WRITE, 0, stored.length), stored, 65536);
        assertEquals(0, written.status());
        long before = activeBytes();

        List<RawHost> silent = new ArrayList<>();
        for (int queueId = 2; queueId < 34; queueId++) {
            RawHost io = openIo(controllerId, queueId, 1023);
            io.send(reads(io, 1000, 8192));
            silent.add(io);
        }
        MemorySlab slab = target.loops().get(0).buffers().slab();
        Awaitility.await().until(() -> slab.freeBytes() <= slab.capacityBytes() / 4);
        for (int i = 0; i < 200; i++) {
            int at = i % 128 * 8192;
            byte[] read = reading.executeRead(command(READ, i % 128 * 16L, 8192), 8192);
            assertArrayEquals(Arrays.copyOfRange(stored, at, at + 8192), read);
        }
        // They have asked for 250 MiB, of which the kernel holds some.
        long waiting = activeBytes() - before;
        assertTrue(waiting < 16 << 20, waiting + " bytes wait outside of the memory for data");

        for (RawHost io : silent) {
            Set<Integer> answered = new HashSet<>();
            while (answered.size() < 1000) {
                RawHost.Pdu data = io.read();
                int commandId = DataPdu.commandId(data.header());
                int at = commandId % 128 * 8192;
                assertArrayEquals(Arrays.copyOfRange(stored, at, at + 8192), data.data());
                assertEquals(0, io.completionOf(commandId).status());
                answered.add(commandId);
            }
        }
        closeHosts();
    }

    private static long activeBytes() {
        return PooledByteBufAllocator.DEFAULT.metric().directArenas().stream()
                .mapToLong(PoolArenaMetric::numActiveBytes)
                .sum();
    }

    @Test
    void shouldRefuseMoreCommandsAtOnceThanTheQueueHasEntriesThoughEachIsDoneAtOnce() throws IOException {
        start();
        RawHost io = openIo(openController(), 1, 15);
        io.send(reads(io, 64, 512));
        RawHost.Pdu pdu = io.read();
        while (pdu != null && pdu.type() != PduType.C2H_TERM_REQ) {
            pdu = io.read();
        }
        assertNotNull(pdu, "a TermReq");
        assertEquals(FatalErrorStatus.PDU_SEQUENCE_ERROR.code(), TermReq.status(pdu.header()));
        closeHosts();
    }

    @Test
    void shouldServeThoseWhoWaitedBehindAHostThatLeaves() throws IOException {
        start(new TargetLimits(128, 4, 8192, 128 << 10, 256 << 10, 1));
        int controllerId = openController();
        RawHost holder = openIo(controllerId, 1, 31);
        for (int i = 0; i < 12; i++) {
            fetchedWrite(holder, 16 << 10, i);
        }
        List<RawHost.Pdu> asked = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            asked.add(holder.read());
        }
        // Every other 16 KiB come back.
        for (int i = 0; i < 12; i += 2) {
            int tag = R2T.transferTag(asked.get(i).header());
            holder.send(holder.hostData(i, tag, 0, new byte[16 << 10], true));
            assertEquals(0, holder.completionOf(i).status());
        }
        RawHost large = openIo(controllerId, 2, 31);
        RawHost small = openIo(controllerId, 3, 31);
        fetchedWrite(large, 128 << 10, 30);
        large.executeRead(command(READ, 0, 512), 512); // which needs no buffer: so the other has been taken, too
        fetchedWrite(small, 4096, 30);
        small.executeRead(command(READ, 0, 512), 512);
        large.close();
        assertEquals(30, R2T.commandId(small.read().header()), "although the holder still has its other half");
        closeHosts();
    }

    private static void fetchedWrite(RawHost io, int bytes, int commandId) throws IOException {
        Sqe write = command(WRITE, 0, bytes).commandId(commandId);
        write.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, bytes);
        io.send(io.capsule(write, new byte[0]));
    }

    @Test
    void shouldBoundTheEntriesOfAllQueuesTogetherAndTakeThemBack() throws IOException {
        start();
        EntryLimit entries = target.loops().get(0).entries();
        int controllerId = openController();
        int others = (int) entries.free() - 100;
        assertTrue(entries.tryTake(others));
        RawHost io = opened();
        io.initialize(0, 0);
        byte[] data = RawHost.connectData(controllerId, NQN, RawHost.HOST_NQN);
        assertEquals(
                Status.CONNECT_CONTROLLER_BUSY,
                io.execute(RawHost.connectCommand(1, 127, 0), data).status(),
                "the host may try again");
        assertEquals(
                0,
                io.execute(RawHost.connectCommand(1, 99, 0), data).status(),
                "as many as are left, and none of those refused before");
        assertEquals(0, entries.free());
        entries.giveBack(others);
        closeHosts();
        Awaitility.await().until(() -> entries.free() == entries.most());
    }

    @Test
    void shouldListenOnIpv6() throws IOException {
        boolean hasIpv6 = NetworkInterface.getByInetAddress(InetAddress.getByName("::1")) != null;
        assumeTrue(hasIpv6, "SKIP: this machine has no IPv6 loopback address");
        InetSocketAddress address = new InetSocketAddress("::1", 0);
        target = NvmfTarget.start(new TargetConfig(
                List.of(new ListenerConfig(1, TransportType.TCP, address, Set.of())), List.of(), TargetLimits.DEFAULT));
        try (RawHost host = open()) {
            host.connectAdmin("nqn.2014-08.org.nvmexpress.discovery", 0);
        }
    }

    @Test
    void shouldSayWhichAddressIsBusyAndLeaveNothingOpen() throws IOException {
        start();
        InetSocketAddress busy = target.addresses().get(0);
        InetSocketAddress free = new InetSocketAddress("127.0.0.1", 0);
        TargetConfig config = new TargetConfig(
                List.of(
                        new ListenerConfig(1, TransportType.TCP, free, Set.of()),
                        new ListenerConfig(2, TransportType.TCP, busy, Set.of())),
                List.of(),
                TargetLimits.DEFAULT);
        String message =
                assertThrows(IOException.class, () -> NvmfTarget.start(config)).getMessage();
        assertTrue(message.contains("cannot listen on 127.0.0.1:" + busy.getPort()), message);
        assertTrue(
                message.contains("the address is in use; stop the program that has it or choose another port"),
                message);
    }

    @Test
    void shouldRefuseACommandWhenTheNamespaceIsGone() throws IOException {
        start();
        RawHost io = openIo(openController(), 1, 31);
        Sqe write = command(WRITE, 0, 65536);
        write.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 65536);
        int pending = io.submit(write);
        int tag = R2T.transferTag(io.read().header());
        target.administration().removeNamespace(NQN, 1);
        io.send(io.hostData(pending, tag, 0, new byte[65536], true));
        assertEquals(
                Status.NAMESPACE_NOT_READY | Status.DNR,
                io.completionOf(pending).status());
        Sqe read = command(READ, 0, 512);
        read.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 512);
        assertEquals(
                Status.INVALID_NAMESPACE_OR_FORMAT | Status.DNR,
                io.execute(read).status());
        closeHosts();
    }
}
