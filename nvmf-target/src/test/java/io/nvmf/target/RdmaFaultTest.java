package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.transport.rdma.RawRdmaHost;
import io.nvmf.target.transport.rdma.RawRdmaHost.Memory;
import io.nvmf.transport.memory.MemoryConnection;
import io.nvmf.transport.memory.MemoryRdma;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts that break the rules, and ends that nobody asked for: each ends its own queue, and nothing is left. */
class RdmaFaultTest extends RdmaTestBase {
    private static final int HELD_NSID = 3;

    private RawRdmaHost admin;
    private int controllerId;

    private void startWithAdmin() throws IOException {
        start();
        admin = host();
        controllerId = admin.connectAdmin(rdmaAddress(), NQN, 0);
        admin.enable();
    }

    private RawRdmaHost io(int queueId) throws IOException {
        return io(controllerId, queueId, 16, 4);
    }

    private static void assertServes(RawRdmaHost io) throws IOException {
        Memory memory = io.memory(65536);
        assertEquals(
                0,
                io.execute(RawRdmaHost.keyed(command(READ, 0, 65536), memory, 65536))
                        .status());
    }

    @ParameterizedTest
    @ValueSource(ints = {WRITE, READ})
    void shouldEndAloneAQueueWhoseKeyIsWrong(int opcode) throws IOException {
        startWithAdmin();
        RawRdmaHost bad = io(1);
        RawRdmaHost good = io(2);
        Memory memory = bad.memory(65536);
        Sqe sqe = command(opcode, 0, 65536);
        sqe.sgl1().setKeyed(memory.address(), 65536, memory.key() ^ 0x5500, false);
        bad.submit(sqe);
        bad.awaitEnd();
        assertServes(good);
        assertServes(io(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {WRITE, READ})
    void shouldEndAloneAQueueWhoseMemoryIsShort(int opcode) throws IOException {
        startWithAdmin();
        RawRdmaHost bad = io(1);
        RawRdmaHost good = io(2);
        bad.submit(RawRdmaHost.keyed(command(opcode, 0, 65536), bad.memory(65535), 65536));
        bad.awaitEnd();
        assertServes(good);
    }

    @Test
    void shouldEndAQueueThatHasMoreCommandsOutstandingThanEntries() throws IOException {
        startWithAdmin();
        HeldDevice device = new HeldDevice();
        target.administration()
                .addNamespace(NQN, new NamespaceConfig(HELD_NSID, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        RawRdmaHost io = io(1);
        for (int i = 0; i < 16; i++) {
            submitHeldWrite(io);
        }
        Awaitility.await().until(() -> device.held() == 16);
        assertFalse(io.hasEnded());
        submitHeldWrite(io);
        io.awaitEnd();
        device.letGo();
        assertServes(io(2));
    }

    private static void submitHeldWrite(RawRdmaHost io) throws IOException {
        Sqe write = ReadWriteCommand.encode(Sqe.allocate(), WRITE, HELD_NSID, 0, 1);
        io.submit(RawRdmaHost.inCapsule(write, 0, 512), new byte[512]);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 63})
    void shouldEndAQueueThatSendsLessThanACapsule(int bytes) throws IOException {
        startWithAdmin();
        RawRdmaHost io = io(1);
        io.send(new byte[bytes]);
        io.awaitEnd();
        assertServes(io(2));
    }

    @Test
    void shouldEndAnAdminQueueThatSendsDataInACapsule() throws IOException {
        startWithAdmin();
        RawRdmaHost io = io(1);
        admin.send(new byte[65]);
        admin.awaitEnd();
        assertNotNull(io.awaitEnd(), "its I/O queues end with it");
    }

    @Test
    void shouldKeepMemoryForCommandsThatAreExecutedWhenTheHostHasGone() throws IOException {
        startWithAdmin();
        HeldDevice device = new HeldDevice();
        target.administration()
                .addNamespace(NQN, new NamespaceConfig(HELD_NSID, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        RawRdmaHost io = io(1);
        submitHeldWrite(io);
        Sqe large = ReadWriteCommand.encode(Sqe.allocate(), WRITE, HELD_NSID, 8, 128);
        io.submit(RawRdmaHost.keyed(large, io.memory(65536), 65536));
        Awaitility.await().until(() -> device.held() == 2);
        closeHosts();
        Awaitility.await().until(() -> target.rdma().connections() == 1);
        assertEquals(0, rdma.counts().queuePairs(), "the device is done with it");
        assertTrue(target.rdma().receiveMemoryInUse() > 0);
        device.letGo();
        awaitNoConnections();
        assertEquals(0, target.rdma().receiveMemoryInUse());
    }

    @Test
    void shouldForgetAConnectThatWaitsForOldWritesWhenItsConnectionEnds() throws IOException {
        startWithAdmin();
        HeldDevice device = new HeldDevice();
        target.administration()
                .addNamespace(NQN, new NamespaceConfig(HELD_NSID, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        submitHeldWrite(io(1));
        Awaitility.await().until(() -> device.held() == 1);
        closeHosts();
        Awaitility.await().until(() -> target.rdma().connections() == 1);
        admin = host();
        controllerId = admin.connectAdmin(rdmaAddress(), NQN, 0);
        admin.enable();
        long heldByOthers = target.rdma().receiveMemoryInUse();
        RawRdmaHost waiting = host();
        waiting.ask(rdmaAddress(), RawRdmaHost.request(0, 1, 128, 127), 4);
        waiting.submitConnect(RawRdmaHost.connectCommand(1, 127, 0), controllerId, NQN);
        // Until Connect has succeeded a queue takes one command: the second shows that the first waits, and ends it.
        waiting.submitConnect(RawRdmaHost.connectCommand(1, 127, 0), controllerId, NQN);
        waiting.awaitEnd();
        Awaitility.await().until(() -> target.rdma().connections() == 2);
        assertEquals(heldByOthers, target.rdma().receiveMemoryInUse());
        assertEquals(1, device.held());
        device.letGo();
    }

    @Test
    void shouldStopWithHostsConnectedAndCommandsUnderWay() throws IOException {
        startWithAdmin();
        RawRdmaHost io = io(1);
        rdma.pause();
        for (int i = 0; i < 16; i++) {
            io.submit(RawRdmaHost.keyed(command(WRITE, 0, 65536), io.memory(65536), 65536));
        }
        target.close();
        io.awaitEnd();
        admin.awaitEnd();
        rdma.resume();
        closeHosts();
        assertEquals(MemoryRdma.Counts.NONE, rdma.counts());
        target = null;
    }

    @Test
    void shouldStopThoughAnEventLoopHasDied() throws Exception {
        startWithAdmin();
        RawRdmaHost io = io(1);
        for (TargetLoop loop : target.loops()) {
            loop.loop().shutdownGracefully(0, 0, TimeUnit.MILLISECONDS).sync();
        }
        target.close();
        io.awaitEnd();
        admin.awaitEnd();
        closeHosts();
        assertEquals(0, rdma.counts().queuePairs());
        assertEquals(0, rdma.counts().ids());
        assertEquals(0, rdma.counts().memoryRegions());
        target = null;
        // Channels are closed on their loops, which are no more.
        rdma = new MemoryRdma();
    }

    @Test
    void shouldLeaveNothingOfHundredsOfConnectsAndAborts() throws IOException {
        start();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            try (RawRdmaHost host = host()) {
                switch (random.nextInt(5)) {
                    case 0 -> host.ask(rdmaAddress(), RawRdmaHost.request(0, 0, 32, 31), 16);
                    case 1 -> host.ask(rdmaAddress(), RawRdmaHost.request(0, 1, 128, 127), 16);
                    case 2 -> host.ask(rdmaAddress(), RawRdmaHost.request(7, 0, 32, 31), 16);
                    case 3 -> {
                        host.ask(rdmaAddress(), RawRdmaHost.request(0, 0, 32, 31), 16);
                        host.submit(Sqe.allocate().clear(0x7F));
                    }
                    default -> {
                        host.connectAdmin(rdmaAddress(), NQN, 0);
                        host.enable();
                    }
                }
            }
        }
        awaitNoConnections();
        assertEquals(0, target.rdma().receiveMemoryInUse(), "seed " + seed);
        assertEquals(0, rdma.counts().queuePairs());
        assertEquals(0, rdma.counts().ids());
        assertEquals(0, rdma.counts().completionQueues());
        assertEquals(1, rdma.counts().connectionManagers());
        RawRdmaHost io = io(16, 4);
        assertServes(io);
    }

    @Test
    void shouldEndConnectionsThatBreakWithoutAWord() throws IOException {
        startWithAdmin();
        RawRdmaHost io = io(1);
        rdma.connections().forEach(MemoryConnection::breakQueuePairs);
        io.awaitEnd();
        awaitNoConnections();
        assertServes(io(16, 4));
    }

    @Test
    void shouldEndItsConnectionsWhenTheDeviceGoesAndServeOnItsReturn() throws IOException {
        startWithAdmin();
        List<RawRdmaHost> queues = new ArrayList<>(List.of(io(1), io(2)));
        try (RawHost tcp = admin()) {
            rdma.removeDevice();
            for (RawRdmaHost io : queues) {
                io.awaitEnd();
            }
            awaitNoConnections();
            assertEquals(0, target.rdma().receiveMemoryInUse());
            byte[] page = tcp.executeRead(Sqe.allocate().clear(6).cdw(10, 1), 4096);
            assertEquals(4096, page.length, "hosts over TCP notice nothing");
        }
        closeHosts();
        assertEquals(0, rdma.counts().memoryRegions(), "nothing stays registered");
        rdma.restoreDevice();
        Awaitility.await().until(() -> rdma.counts().listenings() == 1);
        RawRdmaHost io = io(16, 4);
        byte[] data = random(1, 4096);
        assertEquals(
                0,
                io.execute(RawRdmaHost.inCapsule(command(WRITE, 0, 4096), 0, 4096), data)
                        .status());
        Memory memory = io.memory(4096);
        io.execute(RawRdmaHost.keyed(command(READ, 0, 4096), memory, 4096));
        assertArrayEquals(data, memory.copy(4096));
    }

    @Test
    void shouldEndAnAssociationThatFallsSilent() throws IOException {
        start();
        admin = host();
        controllerId = admin.connectAdmin(rdmaAddress(), NQN, 1000);
        admin.enable();
        RawRdmaHost io = io(1);
        admin.awaitEnd();
        io.awaitEnd();
    }

    @Test
    void shouldEndAHostThatSendsNothingButRefusedCommands() throws IOException {
        start();
        RawRdmaHost host = host();
        host.ask(rdmaAddress(), RawRdmaHost.request(0, 0, 32, 31), 16);
        for (int i = 0; i < 7; i++) {
            host.execute(Sqe.allocate().clear(0x06));
        }
        host.submit(Sqe.allocate().clear(0x06));
        host.awaitEnd();
    }
}
