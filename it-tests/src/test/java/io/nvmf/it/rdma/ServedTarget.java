package io.nvmf.it.rdma;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.config.TargetLimits;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A target whose namespaces come and go while it serves: {@code serve start ADDRESS PORT NQN}, {@code serve add NSID},
 * {@code serve remove NSID}, {@code serve queues} for the number of I/O queues, {@code serve stop}. It begins with namespace 1.
 */
final class ServedTarget implements Program {
    private static final int NAMESPACE_BYTES = 4 << 20;

    private NvmfTarget target;
    private String nqn;

    @Override
    public void run(List<String> arguments, PrintStream out) throws IOException {
        switch (arguments.get(0)) {
            case "start" -> {
                nqn = arguments.get(3);
                InetAddress address = InetAddress.getByName(arguments.get(1));
                target = open(new InetSocketAddress(address, Integer.parseInt(arguments.get(2))), nqn, 1);
                out.println("listening on " + target.listeners().get(0).address());
            }
            case "add" -> target.administration().addNamespace(nqn, namespace(Long.parseLong(arguments.get(1))));
            case "remove" -> target.administration().removeNamespace(nqn, Long.parseLong(arguments.get(1)));
            case "queues" ->
                out.println(target.queues().stream()
                        .filter(queue -> queue.queueId() != 0)
                        .count());
            case "stop" -> target.close();
            default -> throw new IllegalArgumentException("serve cannot " + arguments);
        }
    }

    /** A target that listens by RDMA alone, with namespaces 1, 2, ... in memory. */
    static NvmfTarget open(InetSocketAddress address, String nqn, int namespaces) throws IOException {
        List<NamespaceConfig> all = new ArrayList<>();
        for (long nsid = 1; nsid <= namespaces; nsid++) {
            all.add(namespace(nsid));
        }
        return NvmfTarget.start(new TargetConfig(
                List.of(new ListenerConfig(1, TransportType.RDMA, address, Set.of(nqn))),
                List.of(new SubsystemConfig(nqn, "1", "nvmf4j", true, Set.of(), all)),
                new TargetLimits(128, 4, 8192, 1 << 20, 32L << 20, 2)));
    }

    private static NamespaceConfig namespace(long nsid) {
        return new NamespaceConfig(
                nsid, new MemoryBlockDevice(NAMESPACE_BYTES), 512, new UUID(4, nsid), new Nguid(4, nsid));
    }
}
