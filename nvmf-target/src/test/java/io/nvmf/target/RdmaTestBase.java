package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.transport.rdma.RawRdmaHost;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** The target of {@link TargetTestBase} on TCP and on RDMA inside this process. After each test nothing may be left. */
abstract class RdmaTestBase extends TargetTestBase {
    static final int WRITE = 1;
    static final int READ = 2;
    static final TargetLimits LIMITS = new TargetLimits(128, 4, 8192, 1 << 20, 16L << 20, 2);

    private static EventLoops hostLoops;

    MemoryRdma rdma = new MemoryRdma();
    private final List<RawRdmaHost> hosts = new ArrayList<>();

    @BeforeAll
    static void openHostLoops() {
        hostLoops = EventLoops.open(EventLoops.Kind.NIO, 1, "test-hosts");
    }

    @AfterAll
    static void closeHostLoops() {
        hostLoops.close();
    }

    @Override
    void start() throws IOException {
        start(LIMITS, RdmaConfig.DEFAULT);
    }

    void start(TargetLimits limits, RdmaConfig config) throws IOException {
        start(limits, config, new InetSocketAddress("127.0.0.1", 0));
    }

    void start(TargetLimits limits, RdmaConfig config, InetSocketAddress rdmaListen) throws IOException {
        SubsystemConfig open = new SubsystemConfig(
                NQN, "SN0001", "nvmf4j", true, Set.of(), List.of(namespace(1, 512), namespace(2, 4096)));
        InetSocketAddress any = new InetSocketAddress("127.0.0.1", 0);
        target = NvmfTarget.start(
                new TargetConfig(
                        List.of(
                                new ListenerConfig(1, TransportType.TCP, any, Set.of(NQN)),
                                new ListenerConfig(2, TransportType.RDMA, rdmaListen, Set.of(NQN))),
                        List.of(open),
                        limits,
                        config),
                targetRdma());
    }

    /** The target's way to the devices. */
    RdmaProvider targetRdma() {
        return rdma;
    }

    InetSocketAddress rdmaAddress() {
        return target.listeners().get(1).address();
    }

    RawRdmaHost host() throws IOException {
        RawRdmaHost host = new RawRdmaHost(rdma, hostLoops.next());
        hosts.add(host);
        return host;
    }

    /** An enabled controller with one I/O queue, which is returned. */
    RawRdmaHost io(int depth, int reads) throws IOException {
        RawRdmaHost admin = host();
        int controllerId = admin.connectAdmin(rdmaAddress(), NQN, 0);
        admin.enable();
        return io(controllerId, 1, depth, reads);
    }

    RawRdmaHost io(int controllerId, int queueId, int depth, int reads) throws IOException {
        RawRdmaHost io = host();
        io.connectIo(rdmaAddress(), controllerId, queueId, depth, reads, NQN);
        return io;
    }

    /** A read or write of namespace 1. */
    static Sqe command(int opcode, long startBlock, int bytes) {
        return ReadWriteCommand.encode(Sqe.allocate(), opcode, 1, startBlock, bytes / 512);
    }

    static byte[] random(int seed, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    void closeHosts() throws IOException {
        for (RawRdmaHost host : hosts) {
            host.close();
        }
    }

    /** Waits until the target has forgotten every connection. */
    void awaitNoConnections() {
        Awaitility.await().until(() -> target.rdma().connections() == 0);
    }

    @AfterEach
    @Override
    void stop() {
        try {
            closeHosts();
            if (target != null && target.rdma() != null) {
                awaitNoConnections();
                assertEquals(0, target.rdma().receiveMemoryInUse());
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        super.stop();
        assertEquals(MemoryRdma.Counts.NONE, rdma.counts());
    }
}
