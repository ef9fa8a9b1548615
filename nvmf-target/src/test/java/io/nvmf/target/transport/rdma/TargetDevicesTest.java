package io.nvmf.target.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.channel.IoEventLoop;
import io.nvmf.target.namespace.BlockTraffic;
import io.nvmf.target.namespace.NamespaceChannels;
import io.nvmf.target.queue.BufferPool;
import io.nvmf.target.queue.EntryLimit;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.transport.ConnectionGroup;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.MemorySlab;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.rdma.CompletionPoller;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long a device's memory stays registered. */
class TargetDevicesTest {
    private static final long EVER_MS = TimeUnit.HOURS.toMillis(1);

    private final MemoryRdma rdma = new MemoryRdma();
    private final EventLoops eventLoops = EventLoops.open(EventLoops.Kind.NIO, 1, "devices-test");
    private final IoEventLoop loop = eventLoops.next();
    private final MemorySlab receiveMemory = new MemorySlab(1 << 20);
    private final List<RdmaLoop> loops = List.of(rdmaLoop());
    private volatile boolean isListenedOn;
    private ConnectionManager manager;
    private RdmaDevice device;
    private TargetDevices devices;

    private RdmaLoop rdmaLoop() {
        TargetLoop target = new TargetLoop(
                loop,
                new BufferPool(1 << 20, 4096, 8192),
                new NamespaceChannels(loop),
                new BlockTraffic(loop, new ArrayList<>()),
                System::nanoTime,
                EntryLimit.ofThisProcess());
        return new RdmaLoop(target, new ConnectionGroup(target), new CompletionPoller(loop, false));
    }

    @BeforeEach
    void open() throws Exception {
        on(() -> {
            manager = rdma.openConnectionManager(loop);
            ConnectionManager.RequestListener nobody = (id, data, reads, depth) -> {};
            device = manager.listen(new InetSocketAddress("127.0.0.1", 0), 1, nobody)
                    .device();
            return null;
        });
    }

    private void start(long idleMs) {
        devices = new TargetDevices(loop, loops, receiveMemory, any -> isListenedOn, idleMs);
    }

    @AfterEach
    void close() throws Exception {
        on(() -> {
            devices.close();
            manager.close();
            return null;
        });
        eventLoops.close();
        assertEquals(MemoryRdma.Counts.NONE, rdma.counts());
    }

    private <T> T on(Callable<T> action) throws Exception {
        return loop.submit(action).get();
    }

    private int regions() {
        return rdma.counts().memoryRegions();
    }

    @Test
    void shouldLetGoOfADeviceThatNothingUses() throws Exception {
        start(1);
        on(() -> devices.get(device));
        Awaitility.await().until(() -> regions() == 0);
        on(() -> {
            TargetDevice again = devices.get(device);
            devices.linked(again);
            devices.unlinked(again);
            return null;
        });
        assertEquals(1, regions());
        Awaitility.await().until(() -> regions() == 0);
    }

    @Test
    void shouldKeepADeviceThatIsLinkedOrListenedOn() throws Exception {
        start(1);
        isListenedOn = true;
        TargetDevice kept = on(() -> devices.get(device));
        loop.schedule(() -> {}, 50, TimeUnit.MILLISECONDS).sync();
        assertEquals(1, regions());
        isListenedOn = false;
        on(() -> {
            devices.linked(kept);
            devices.linked(kept);
            devices.unlinked(kept);
            return null;
        });
        loop.schedule(() -> {}, 50, TimeUnit.MILLISECONDS).sync();
        assertEquals(1, regions());
    }

    @Test
    void shouldKeepADeviceForAWhileSoThatHostsThatComeBackFindIt() throws Exception {
        start(EVER_MS);
        TargetDevice kept = on(() -> devices.get(device));
        on(() -> {
            devices.linked(kept);
            devices.unlinked(kept);
            return null;
        });
        assertSame(kept, on(() -> devices.get(device)));
        assertEquals(1, regions());
    }

    @Test
    void shouldLetGoOfARemovedDeviceAtOnce() throws Exception {
        start(EVER_MS);
        on(() -> devices.get(device));
        on(() -> {
            devices.removed(device);
            return null;
        });
        assertEquals(0, regions());
    }

    @Test
    void shouldLetGoOfARemovedDeviceWithItsLastQueuePair() throws Exception {
        start(EVER_MS);
        TargetDevice kept = on(() -> devices.get(device));
        on(() -> {
            devices.linked(kept);
            devices.removed(device);
            assertThrows(RdmaException.class, () -> devices.get(device));
            return null;
        });
        assertEquals(1, regions());
        on(() -> {
            devices.unlinked(kept);
            return null;
        });
        assertEquals(0, regions());
    }
}
