package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.multipath.PathPolicy;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.tools.nbd.NbdAddress;
import io.nvmf.tools.nbd.NbdExport;
import io.nvmf.tools.nbd.NbdServer;
import io.nvmf.transport.EventLoops;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.commons.cli.Options;

/** {@code nvmf export}: a namespace for clients of another protocol, until SIGTERM or SIGINT. */
final class ExportCommand implements Command {
    private static final String NBD = "nbd";
    private static final String NAME = "export-name";
    private static final String READ_ONLY = "read-only";
    private static final String IO_POLICY = "iopolicy";
    private static final String IO_POLICIES = "round-robin|queue-depth";
    private static final long DATASET_MANAGEMENT = 1 << 2;
    private static final long WRITE_ZEROES = 1 << 3;

    @Override
    public String name() {
        return "export";
    }

    @Override
    public String summary() {
        return "serve a namespace to NBD clients, as QEMU and nbd-client are";
    }

    @Override
    public String arguments() {
        return HostOptions.URI + "...";
    }

    @Override
    public List<String> details() {
        return List.of(
                "Any NBD client then uses the namespace, on machines without an NVMe-oF initiator as well:",
                "  qemu-system-x86_64 -drive file=nbd://127.0.0.1:10809,format=raw,if=virtio ...",
                "  qemu-img convert nbd+unix:///?socket=/run/disk.sock copy.qcow2",
                "  nbd-client 127.0.0.1 /dev/nbd0",
                "NBD has neither passwords nor encryption: whoever reaches the address reads and writes the namespace.",
                "Several URIs are several paths to the same namespace, by any transports: requests take the best one (ANA), and",
                "another when it is lost. While there is none they wait, and so does a namespace that moves; one that is taken",
                "away fails with EIO until it is there again. Requests of any bytes up to 32 MiB are taken.",
                "SIGTERM and SIGINT stop the server, with exit status 0. When the last controller is given up (--ctrl-loss-tmo)",
                "all requests fail with EIO, and the server says why and ends with exit status 1.");
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf export --nbd tcp://127.0.0.1:10809 nvmf-tcp://192.0.2.1/nqn.2026-01.io.nvmf:target/1",
                "nvmf export --nbd tcp://127.0.0.1:10809 nvmf-tcp://192.0.2.1/nqn.2026-01.io.nvmf:target/1 \\\n"
                        + "    nvmf-tcp://198.51.100.1/nqn.2026-01.io.nvmf:target/1 --iopolicy queue-depth",
                "nvmf export --nbd unix:/run/disk.sock --read-only -a 192.0.2.1 -n nqn.2026-01.io.nvmf:target");
    }

    @Override
    public Options options() {
        Options options = new Options()
                .addOption(value(
                        null,
                        NBD,
                        "tcp://ADDRESS:PORT|unix:PATH",
                        "where clients connect, needed; without a port 10809, port 0 takes a free one"))
                .addOption(value(
                        null, NAME, "NAME", "what the export is called (default: nothing; nothing is always right)"))
                .addOption(flag(null, READ_ONLY, "refuse everything that changes blocks"))
                .addOption(value(
                        null, IO_POLICY, IO_POLICIES, "which of several paths a request takes (default round-robin)"));
        HostOptions.addAddress(options);
        HostOptions.addSubsystem(options);
        HostOptions.addNamespace(options);
        HostOptions.addQueues(options);
        HostOptions.addReconnect(options);
        return options;
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        List<HostOptions> targets = HostOptions.readPaths(arguments);
        if (!arguments.has(NBD)) {
            throw new UsageException("option --" + NBD + " is missing");
        }
        PathPolicy policy = policy(arguments.text(IO_POLICY, "round-robin"));
        NbdAddress address = NbdAddress.parse(arguments.text(NBD, ""));
        try (EventLoops loops = EventLoops.openForSockets(1, "nvmf-nbd");
                NvmfHost host = targets.get(0).openHost(console);
                ExportPaths paths = ExportPaths.open(host, targets, policy, console)) {
            NbdExport export = export(arguments, paths);
            try (NbdServer server = NbdServer.open(loops, address, export)) {
                Thread hook = stopOnSignal(server, host);
                announce(paths, export, address.bound(server.localAddress()), console.out());
                awaitEnd(paths, hook);
            }
        }
        return Nvmf.SUCCESS;
    }

    private static PathPolicy policy(String name) throws UsageException {
        return switch (name) {
            case "round-robin" -> PathPolicy.ROUND_ROBIN;
            case "queue-depth" -> PathPolicy.QUEUE_DEPTH;
            default -> throw new UsageException("--" + IO_POLICY + " '" + name + "' is not one of " + IO_POLICIES);
        };
    }

    private static NbdExport export(Arguments arguments, ExportPaths paths) {
        Namespace namespace = paths.namespace().namespace();
        return new NbdExport(
                namespace,
                arguments.text(NAME, ""),
                "namespace " + namespace.nsid() + " of " + paths.subsystemNqn(),
                arguments.has(READ_ONLY),
                NbdExport.USUAL_MAX_REQUEST_BYTES,
                paths.support(DATASET_MANAGEMENT),
                paths.support(WRITE_ZEROES));
    }

    private static void announce(ExportPaths paths, NbdExport export, NbdAddress bound, PrintStream out) {
        out.println("exporting " + export.description() + ", "
                + Sizes.format(export.namespace().sizeBytes()) + " in blocks of "
                + export.namespace().blockSizeBytes()
                + (export.isReadOnly() ? ", read-only" : "")
                + (paths.count() > 1 ? ", by " + paths.count() + " paths" : ""));
        out.println("listening on " + bound + ", for clients " + bound.uri(export.name()));
        out.println("ready");
        out.flush();
    }

    /** From now on a signal ends the process, after the server has stopped. */
    private static Thread stopOnSignal(NbdServer server, NvmfHost host) {
        Thread hook = new Thread(
                () -> {
                    server.close();
                    host.close();
                    Runtime.getRuntime().halt(Nvmf.SUCCESS);
                },
                "nvmf-stop");
        Runtime.getRuntime().addShutdownHook(hook);
        return hook;
    }

    /**
     * Waits for a signal, or for an interrupt, which returns.
     *
     * @throws CommandException when the last controller is given up
     */
    private static void awaitEnd(ExportPaths paths, Thread hook) throws CommandException, ExecutionException {
        try {
            String reason = paths.ended().get();
            Runtime.getRuntime().removeShutdownHook(hook);
            throw new CommandException(reason);
        } catch (InterruptedException e) {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }
}
