package io.nvmf.it.conformance;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.conformance.TargetUnderTest;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.DiscoveryConfig;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.transport.rdma.Rdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Our own target as the harness meets it in tests: namespace 1 of 512-byte, 2 of 4096-byte blocks, and a referral. */
final class OwnTarget {
    static final String NQN = "nqn.2026-01.io.nvmf:conformance";
    private static final UUID HOST_ID = UUID.fromString("5c8f1b1e-0000-4000-8000-000000000001");

    private OwnTarget() {}

    /** Over TCP. */
    static NvmfTarget start() throws IOException {
        return start(TransportType.TCP, Rdma.provider());
    }

    static NvmfTarget start(TransportType transport, RdmaProvider rdma) throws IOException {
        List<NamespaceConfig> namespaces = List.of(namespace(1, 512), namespace(2, 4096));
        SubsystemConfig subsystem = new SubsystemConfig(NQN, "SN0001", "nvmf4j", true, Set.of(), namespaces);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        InetSocketAddress elsewhere = new InetSocketAddress("192.0.2.1", 8009);
        ReferralConfig referral = new ReferralConfig(TransportType.TCP, elsewhere, Nqn.DISCOVERY);
        TargetConfig config = new TargetConfig(
                List.of(new ListenerConfig(1, transport, any, Set.of(NQN))),
                List.of(subsystem),
                new DiscoveryConfig("nqn.2026-01.io.nvmf:discovery", List.of(referral)),
                new TargetLimits(128, 16, 8192, 1 << 20, 64L << 20, 2),
                RdmaConfig.DEFAULT);
        return NvmfTarget.start(config, rdma);
    }

    private static NamespaceConfig namespace(long nsid, int blockBytes) {
        return new NamespaceConfig(
                nsid, new MemoryBlockDevice(64L << 20), blockBytes, new UUID(0xABCD, nsid), new Nguid(0x1234, nsid));
    }

    /** The target at this address over TCP. */
    static TargetUnderTest tested(InetSocketAddress address, int answerMs) {
        return tested(TransportType.TCP, Rdma.provider(), address, answerMs);
    }

    static TargetUnderTest tested(TransportType transport, RdmaProvider rdma, InetSocketAddress address, int answerMs) {
        String hostNqn = "nqn.2014-08.org.nvmexpress:uuid:" + HOST_ID;
        return new TargetUnderTest(transport, address, NQN, 0, hostNqn, HOST_ID, answerMs, 1, rdma);
    }
}
