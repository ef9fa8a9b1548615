package io.nvmf.tools;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.Administration;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.transport.memory.MemoryRdma;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** A target on a free port of loopback with one subsystem, for tests of commands. */
public final class LoopbackTarget implements AutoCloseable {
    public static final String NQN = "nqn.2026-01.com.example:loopback";
    public static final String ALLOWED_HOST = "nqn.2026-01.com.example:host";

    private final NvmfTarget target;

    private LoopbackTarget(NvmfTarget target) {
        this.target = target;
    }

    /** The devices become namespaces 1, 2, ... */
    public static LoopbackTarget serve(int blockSizeBytes, BlockDevice... devices) throws IOException {
        return serve(true, 0, blockSizeBytes, devices);
    }

    /** As {@link #serve}, on a port where one was before. */
    static LoopbackTarget serveAt(int port, int blockSizeBytes, BlockDevice... devices) throws IOException {
        return serve(true, port, blockSizeBytes, devices);
    }

    /** As {@link #serve}, to {@link #ALLOWED_HOST} alone. */
    static LoopbackTarget serveOneHost(int blockSizeBytes, BlockDevice... devices) throws IOException {
        return serve(false, 0, blockSizeBytes, devices);
    }

    private static LoopbackTarget serve(boolean anyHost, int port, int blockSizeBytes, BlockDevice... devices)
            throws IOException {
        List<NamespaceConfig> namespaces = new ArrayList<>();
        for (BlockDevice device : devices) {
            long nsid = namespaces.size() + 1L;
            namespaces.add(new NamespaceConfig(nsid, device, blockSizeBytes, new UUID(1, nsid), new Nguid(2, nsid)));
        }
        SubsystemConfig subsystem =
                new SubsystemConfig(NQN, "serial1", "model1", anyHost, Set.of(ALLOWED_HOST), namespaces);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        TargetLimits limits = new TargetLimits(128, 8, 8192, 1 << 20, 16 << 20, 2);
        return new LoopbackTarget(NvmfTarget.start(
                new TargetConfig(
                        List.of(new ListenerConfig(1, TransportType.TCP, address, Set.of(NQN))),
                        List.of(subsystem),
                        limits),
                new MemoryRdma()));
    }

    public InetSocketAddress address() {
        return target.addresses().get(0);
    }

    /** To change it while it serves. */
    public Administration administration() {
        return target.administration();
    }

    /** How many I/O queues hosts have. */
    long ioQueues() {
        return target.queues().stream().filter(queue -> queue.queueId() > 0).count();
    }

    String port() {
        return Integer.toString(address().getPort());
    }

    /** The URI of a namespace. */
    String uri(long nsid) {
        return subsystemUri() + "/" + nsid;
    }

    String subsystemUri() {
        return "nvmf-tcp://127.0.0.1:" + port() + "/" + NQN;
    }

    @Override
    public void close() {
        target.close();
    }
}
