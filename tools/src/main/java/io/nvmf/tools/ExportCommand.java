package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.QueueSelection;
import io.nvmf.tools.nbd.NbdAddress;
import io.nvmf.tools.nbd.NbdExport;
import io.nvmf.tools.nbd.NbdServer;
import io.nvmf.transport.EventLoops;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.commons.cli.Options;

/** {@code nvmf export}: a namespace for clients of another protocol, until SIGTERM or SIGINT. */
final class ExportCommand implements Command {
    private static final String NBD = "nbd";
    private static final String NAME = "export-name";
    private static final String READ_ONLY = "read-only";
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
        return HostOptions.URI;
    }

    @Override
    public List<String> details() {
        return List.of(
                "Any NBD client then uses the namespace, on machines without an NVMe-oF initiator as well:",
                "  qemu-system-x86_64 -drive file=nbd://127.0.0.1:10809,format=raw,if=virtio ...",
                "  qemu-img convert nbd+unix:///?socket=/run/disk.sock copy.qcow2",
                "  nbd-client 127.0.0.1 /dev/nbd0",
                "NBD has neither passwords nor encryption: whoever reaches the address reads and writes the namespace.",
                "Requests are whole blocks of the namespace, up to 32 MiB. SIGTERM and SIGINT stop the server.");
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf export --nbd tcp://127.0.0.1:10809 nvmf-tcp://192.0.2.1/nqn.2026-01.io.nvmf:target/1",
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
                .addOption(flag(null, READ_ONLY, "refuse everything that changes blocks"));
        HostOptions.addAddress(options);
        HostOptions.addSubsystem(options);
        HostOptions.addNamespace(options);
        HostOptions.addQueues(options);
        return options;
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        HostOptions target = HostOptions.read(arguments);
        if (!arguments.has(NBD)) {
            throw new UsageException("option --" + NBD + " is missing");
        }
        NbdAddress address = NbdAddress.parse(arguments.text(NBD, ""));
        try (EventLoops loops = EventLoops.openForSockets(1, "nvmf-nbd");
                NvmfHost host = target.openHost(console)) {
            Controller controller = target.connect(
                    host,
                    target.connectIo()
                            .waitingRequests(NbdServer.BUDGET_REQUESTS)
                            .queueSelection(QueueSelection.ROUND_ROBIN));
            Namespace namespace = Namespaces.choose(controller, target.nsid());
            NbdExport export = export(arguments, controller, namespace);
            try (NbdServer server = NbdServer.open(loops, address, export)) {
                NbdAddress bound = address.bound(server.localAddress());
                Thread hook = stopOnSignal(server, host);
                console.out()
                        .println("exporting namespace " + namespace.nsid() + " of " + controller.subsystemNqn() + ", "
                                + Sizes.format(namespace.sizeBytes()) + " in blocks of " + namespace.blockSizeBytes()
                                + (export.isReadOnly() ? ", read-only" : ""));
                console.out().println("listening on " + bound + ", for clients " + bound.uri());
                console.out().println("ready");
                console.out().flush();
                awaitEnd(controller, hook);
            }
        }
        return Nvmf.SUCCESS;
    }

    private static NbdExport export(Arguments arguments, Controller controller, Namespace namespace) {
        long optional = controller.identify().get(Field.ONCS);
        int most = NbdExport.USUAL_MAX_REQUEST_BYTES;
        return new NbdExport(
                namespace,
                arguments.text(NAME, ""),
                "namespace " + namespace.nsid() + " of " + controller.subsystemNqn(),
                arguments.has(READ_ONLY),
                most - most % namespace.blockSizeBytes(),
                (optional & DATASET_MANAGEMENT) != 0,
                (optional & WRITE_ZEROES) != 0);
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
     * @throws CommandException when the controller is lost
     */
    private static void awaitEnd(Controller controller, Thread hook) throws CommandException, ExecutionException {
        try {
            String reason = controller.ended().get().getMessage();
            Runtime.getRuntime().removeShutdownHook(hook);
            throw new CommandException(reason);
        } catch (InterruptedException e) {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }
}
