package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.rdma.RejectReason;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.transport.rdma.RawRdmaHost;
import io.nvmf.target.transport.rdma.RawRdmaHost.Answer;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the machine takes from the target, and what hosts would take: the others are served, or served again. */
class RdmaRecoveryTest extends RdmaTestBase {
    private final FaultyRdma faulty = new FaultyRdma(rdma);

    @Override
    RdmaProvider targetRdma() {
        return faulty;
    }

    private void endListening() throws Exception {
        target.rdma()
                .controlLoop()
                .submit(() -> faulty.endListening("the device was removed"))
                .get();
    }

    @Test
    void shouldListenAgainWhenTheDeviceIsBack() throws Exception {
        start();
        faulty.refusesToListen(true);
        endListening();
        assertEquals(0, rdma.counts().listenings());
        assertEquals(0, rdma.counts().memoryRegions(), "the device is let go of");
        try (RawHost tcp = admin()) {
            assertEquals(4096, tcp.executeRead(Sqe.allocate().clear(6).cdw(10, 1), 4096).length);
        }
        faulty.refusesToListen(false);
        Awaitility.await().until(() -> rdma.counts().listenings() == 1);
        io(16, 4);
        assertFalse(target.failure().isDone());
    }

    @Test
    void shouldEndThoughAnAddressIsNotListenedOn() throws Exception {
        start();
        faulty.refusesToListen(true);
        endListening();
        target.close();
        assertEquals(MemoryRdma.Counts.NONE, rdma.counts());
        target = null;
    }

    @Test
    @Timeout(60)
    void shouldSayWhenTheControlLoopHasDiedAndStillClose() throws Exception {
        start();
        RawRdmaHost host = host();
        host.connectAdmin(rdmaAddress(), NQN, 0);
        target.rdma()
                .controlLoop()
                .shutdownGracefully(0, 0, TimeUnit.MILLISECONDS)
                .sync();
        String sentence = target.failure().get(10, TimeUnit.SECONDS);
        assertTrue(sentence.contains("an event loop has ended unasked"), sentence);
        // What the control loop had to close is left; that others are closed is what this shows.
        target.close();
        target.loops().forEach(loop -> assertTrue(loop.loop().isShuttingDown()));
        closeHosts();
        target = null;
        rdma = new MemoryRdma();
    }

    @Test
    void shouldRejectAQueueForWhichJavaHasNoMemoryAndServeAfterwards() throws IOException {
        start();
        faulty.hasNoMemory(true);
        Answer answer = host().ask(rdmaAddress(), RawRdmaHost.request(0, 0, 32, 31), 16);
        assertNull(answer.accept());
        assertEquals(RejectReason.NO_RESOURCES.code(), answer.reject().status());
        assertEquals(0, target.rdma().receiveMemoryInUse());
        faulty.hasNoMemory(false);
        io(16, 4);
    }

    private boolean isAccepted(InetSocketAddress address, int queueId, int depth) throws IOException {
        return host().ask(address, RawRdmaHost.request(0, queueId, depth, depth - 1), 4)
                        .accept()
                != null;
    }

    @Test
    void shouldServeOthersThoughOneHostAsksForAllMemoryAndDoesNotConnect() throws IOException {
        start(LIMITS, new RdmaConfig(4096, 4 << 20), new InetSocketAddress("0.0.0.0", 0));
        int port = rdmaAddress().getPort();
        InetSocketAddress greedy = new InetSocketAddress("127.0.0.1", port);
        InetSocketAddress honest = new InetSocketAddress("127.0.0.2", port);
        for (int depth : new int[] {128, 2}) {
            int bound = 50;
            while (isAccepted(greedy, 1, depth)) {
                assertTrue(--bound > 0, "it may take more and more");
            }
        }
        int bound = 50;
        while (isAccepted(greedy, 0, 32)) {
            assertTrue(--bound > 0, "it may take more and more");
        }
        RawRdmaHost admin = host();
        int controllerId = admin.connectAdmin(honest, NQN, 0);
        admin.enable();
        // More than a host may have that does not connect.
        for (int queueId = 1; queueId <= 3; queueId++) {
            host().connectIo(honest, controllerId, queueId, 128, 4, NQN);
        }
        closeHosts();
        awaitNoConnections();
        assertTrue(isAccepted(greedy, 1, 128));
        assertNotNull(target);
    }
}
