package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.transport.MemorySlab;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;

/** A target on loopback with memory namespaces: 1 of 512-byte, 2 of 4096-byte blocks. */
abstract class TargetTestBase {
    static final String NQN = "nqn.2026-01.io.nvmf:test";
    static final String PRIVATE_NQN = "nqn.2026-01.io.nvmf:private";
    static final long NAMESPACE_BYTES = 64L << 20;

    NvmfTarget target;

    void start() throws IOException {
        start(new TargetLimits(128, 4, 8192, 1 << 20, 16L << 20, 2));
    }

    void start(TargetLimits limits) throws IOException {
        SubsystemConfig open = new SubsystemConfig(
                NQN, "SN0001", "nvmf4j", true, Set.of(), List.of(namespace(1, 512), namespace(2, 4096)));
        SubsystemConfig closed = new SubsystemConfig(
                PRIVATE_NQN, "SN0002", "nvmf4j", false, Set.of("nqn.2026-01.io.nvmf:friend"), List.of());
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        target = NvmfTarget.start(new TargetConfig(
                List.of(new ListenerConfig(1, TransportType.TCP, any, Set.of(NQN, PRIVATE_NQN))),
                List.of(open, closed),
                limits));
    }

    static NamespaceConfig namespace(long nsid, int blockSizeBytes) {
        return new NamespaceConfig(
                nsid,
                new MemoryBlockDevice(NAMESPACE_BYTES),
                blockSizeBytes,
                new UUID(0xABCD, nsid),
                new Nguid(0x1234, nsid));
    }

    RawHost open() throws IOException {
        return new RawHost(target.addresses().get(0));
    }

    /** An enabled controller's admin queue. */
    RawHost admin() throws IOException {
        RawHost host = open();
        host.connectAdmin(NQN, 0);
        host.enable();
        return host;
    }

    @AfterEach
    void stop() {
        if (target != null) {
            target.close();
            for (TargetLoop loop : target.loops()) {
                assertAllFree(loop.buffers().slab(), "all buffers have come back");
                assertEquals(loop.entries().most(), loop.entries().free(), "all queues' entries have come back");
                assertAllFree(loop.buffers().capsuleBuffers().slab(), "all buffers for capsules have come back");
            }
        }
    }

    static void assertAllFree(MemorySlab slab, String what) {
        assertEquals(slab.capacityBytes(), slab.freeBytes(), what);
    }
}
