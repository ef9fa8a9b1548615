package io.nvmf.tools;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.discovery.Listener;
import io.nvmf.tools.config.Backing;
import io.nvmf.tools.config.ListenAddress;
import io.nvmf.tools.config.NamespacePlan;
import io.nvmf.tools.config.SubsystemPlan;
import io.nvmf.tools.config.TargetPlan;
import io.nvmf.tools.demo.Demo;
import io.nvmf.tools.demo.DemoRow;
import io.nvmf.tools.output.Json;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.io.PrintStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.commons.cli.Options;

/** {@code nvmf demo}: a target and a host in one process, with every byte checked. */
final class DemoCommand implements Command {
    private static final String TRANSPORT = "transport";
    private static final String ADDRESS = "address";
    private static final String BLOCKS = "blocks";
    private static final String DIRECTORY = "directory";
    private static final String IO_QUEUES = "nr-io-queues";
    private static final String HEADER_DIGEST = "hdr-digest";
    private static final String DATA_DIGEST = "data-digest";
    private static final String NQN = "nqn.2026-01.io.nvmf:demo";
    private static final int DEFAULT_IO_QUEUES = 4;
    private static final int MAX_IO_QUEUES = 64;
    private static final int BLOCK_BYTES = 4096;
    /** The target is there: it can only be slow. */
    private static final int CONNECT_TIMEOUT_MS = 60_000;

    private static final long BUFFER_MEMORY_BYTES = 64 << 20;

    @Override
    public String name() {
        return "demo";
    }

    @Override
    public String summary() {
        return "write, read and check blocks: a target and a host in one process";
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf demo",
                "nvmf demo -i 8 -g -G",
                "nvmf demo --directory /mnt/ssd -o json",
                "nvmf demo -t rdma",
                "nvmf demo -t rdma --address 192.0.2.1 --blocks 100");
    }

    @Override
    public Options options() {
        return new Options()
                .addOption(CommonOptions.value("t", TRANSPORT, "tcp|rdma", "transport (default tcp)"))
                .addOption(CommonOptions.value(
                        null,
                        ADDRESS,
                        "ADDRESS",
                        "address of this machine to use (default: loopback with tcp, with rdma the first of an RDMA"
                                + " device)"))
                .addOption(CommonOptions.value(
                        "i", IO_QUEUES, "N", "I/O queues, each with a connection (default " + DEFAULT_IO_QUEUES + ")"))
                .addOption(CommonOptions.flag("g", HEADER_DIGEST, "protect PDU headers by CRC32C, with tcp"))
                .addOption(CommonOptions.flag("G", DATA_DIGEST, "protect data by CRC32C, with tcp"))
                .addOption(CommonOptions.value(
                        null,
                        BLOCKS,
                        "N",
                        "blocks of each size at most, for a shorter run (default " + Demo.MAX_BLOCKS + ")"))
                .addOption(CommonOptions.value(
                        null,
                        DIRECTORY,
                        "DIR",
                        "where the namespace's file stands while the demo runs (default: the system's own)"))
                .addOption(CommonOptions.outputFormat());
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        arguments.requireWords(0);
        OutputFormat format = arguments.outputFormat();
        TransportType transport = HostOptions.transport(arguments);
        HostOptions.requireDigests(arguments, transport);
        int blocks = arguments.number(BLOCKS, Demo.MAX_BLOCKS, 1, Demo.MAX_BLOCKS);
        int ioQueues = arguments.number(IO_QUEUES, DEFAULT_IO_QUEUES, 1, MAX_IO_QUEUES);
        Path directory = makeDirectory(arguments.text(DIRECTORY));
        Path file = directory.resolve("namespace.img");
        try (NvmfTarget target = start(transport, arguments.text(ADDRESS), file, console.rdma());
                NvmfHost host = NvmfHost.builder().rdmaProvider(console.rdma()).build();
                Controller controller = host.connect(
                        ConnectOptions.of(transport, target.addresses().get(0), NQN)
                                .connectTimeoutMs(CONNECT_TIMEOUT_MS)
                                .ioQueues(ioQueues)
                                .headerDigest(arguments.has(HEADER_DIGEST))
                                .dataDigest(arguments.has(DATA_DIGEST)))) {
            if (format == OutputFormat.NORMAL) {
                introduce(file, target, host, controller, console.out());
            }
            Demo demo = new Demo(controller, controller.namespace(1), transport, blocks);
            report(format, target, controller, demo.run(), console.out());
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        }
        return Nvmf.SUCCESS;
    }

    /** A new directory that goes away also when the demo is stopped by a signal. */
    private static Path makeDirectory(Optional<String> parent) throws IOException {
        Path directory = parent.isPresent()
                ? Files.createTempDirectory(Path.of(parent.get()), "nvmf-demo")
                : Files.createTempDirectory("nvmf-demo");
        directory.toFile().deleteOnExit();
        directory.resolve("namespace.img").toFile().deleteOnExit();
        return directory;
    }

    private static NvmfTarget start(TransportType transport, Optional<String> address, Path file, RdmaProvider rdma)
            throws IOException, CommandException {
        if (address.isPresent()) {
            return NvmfTarget.start(
                    plan(transport, parseAddress(address.get()), file).open(), rdma);
        }
        if (transport == TransportType.TCP) {
            return NvmfTarget.start(
                    plan(transport, InetAddress.getLoopbackAddress(), file).open(), rdma);
        }
        if (rdma.unavailabilityCause() != null) {
            throw new CommandException(rdma.unavailabilityCause());
        }
        IOException last = null;
        for (InetAddress candidate : addresses()) {
            try {
                return NvmfTarget.start(plan(transport, candidate, file).open(), rdma);
            } catch (IOException e) {
                last = e;
            }
        }
        throw new CommandException(
                "no address of this machine belongs to an RDMA device: name one with --address, or give one to the"
                        + " network interface of the device",
                last);
    }

    private static InetAddress parseAddress(String text) throws CommandException {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new CommandException(
                    "--address '" + text + "' is an unknown host; give an address of this machine", e);
        }
    }

    /** All of this machine that others can reach, IPv4 first. */
    private static List<InetAddress> addresses() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .sorted(Comparator.comparing(address -> !(address instanceof Inet4Address)))
                .toList();
    }

    private static TargetPlan plan(TransportType transport, InetAddress address, Path file) {
        NamespacePlan namespace = new NamespacePlan(
                1,
                new Backing.InFile(file, FileOptions.EXISTING.withSizeBytes(Demo.REGION_BYTES)),
                OptionalInt.of(BLOCK_BYTES),
                Optional.empty(),
                Optional.empty());
        SubsystemPlan subsystem =
                new SubsystemPlan(NQN, Optional.empty(), Optional.empty(), true, Set.of(), List.of(namespace));
        InetSocketAddress anyPort = new InetSocketAddress(address, 0);
        TargetLimits defaults = TargetLimits.DEFAULT;
        TargetLimits limits = new TargetLimits(
                defaults.maxQueueDepth(),
                defaults.maxIoQueues(),
                defaults.inCapsuleDataBytes(),
                defaults.maxTransferBytes(),
                BUFFER_MEMORY_BYTES,
                defaults.eventLoops());
        return new TargetPlan(
                List.of(new ListenerConfig(1, transport, anyPort, Set.of(NQN))),
                List.of(subsystem),
                limits,
                RdmaConfig.DEFAULT,
                List.of());
    }

    private static void introduce(Path file, NvmfTarget target, NvmfHost host, Controller controller, PrintStream out) {
        Listener listener = target.listeners().get(0);
        ListenAddress listening = new ListenAddress(listener.transport(), listener.address());
        out.println("target  " + listening + ", event loops " + target.eventLoops() + ", namespace of "
                + Sizes.format(Demo.REGION_BYTES) + " in " + file);
        out.println("host    event loops " + host.eventLoops() + ", " + controller.ioQueueCount()
                + " I/O queues, capsules carry up to "
                + Sizes.format(controller.identify().inCapsuleDataBytes()) + ", commands up to "
                + Sizes.format(controller.maxTransferBytes()));
        out.println();
        out.flush();
    }

    private static void report(
            OutputFormat format, NvmfTarget target, Controller controller, List<DemoRow> rows, PrintStream out) {
        long verifiedBytes = rows.stream().mapToLong(row -> row.read().bytes()).sum();
        if (format == OutputFormat.NORMAL) {
            DemoRow.table(rows).print(out);
            out.println();
            out.println("all " + verifiedBytes + " bytes verified");
            return;
        }
        ObjectNode json = Json.object()
                .put("event_loops", target.eventLoops())
                .put("io_queues", controller.ioQueueCount())
                .put("in_capsule_data_bytes", controller.identify().inCapsuleDataBytes())
                .put("max_transfer_bytes", controller.maxTransferBytes());
        ArrayNode sizes = json.putArray("sizes");
        rows.forEach(row -> sizes.add(row.toJson()));
        Json.print(out, json.put("verified_bytes", verifiedBytes));
    }
}
