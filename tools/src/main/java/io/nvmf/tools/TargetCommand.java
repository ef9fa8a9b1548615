package io.nvmf.tools;

import io.nvmf.target.NvmfTarget;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetConfig;
import io.nvmf.target.discovery.Listener;
import io.nvmf.tools.config.ListenAddress;
import io.nvmf.tools.config.NvmetConfig;
import io.nvmf.tools.config.TargetPlan;
import io.nvmf.tools.rpc.RpcServer;
import io.nvmf.tools.rpc.TargetMethods;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.commons.cli.Options;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code nvmf target}: serves namespaces until SIGTERM or SIGINT. */
final class TargetCommand implements Command {
    private static final Logger LOG = LoggerFactory.getLogger(TargetCommand.class);
    private static final String CONFIG = "config";
    private static final String RPC_SOCKET = "rpc-socket";

    @Override
    public String name() {
        return "target";
    }

    @Override
    public String summary() {
        return "serve files, disks or memory as namespaces to hosts";
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf target --namespace memory:1g",
                "nvmf target --listen tcp://0.0.0.0:4420 --nqn nqn.2026-01.com.example:disk \\",
                "            --namespace file:/var/lib/disk.img,size=10g",
                "nvmf target --listen tcp://0.0.0.0:4420 --listen rdma://0.0.0.0:4420 --namespace memory:1g --stats 10",
                "nvmf target --listen tcp://0.0.0.0 --discovery tcp://0.0.0.0 --namespace memory:1g",
                "nvmf target --listen tcp://[::1]:0 --namespace file:/dev/sdb,direct --host nqn.2026-01.com.example:h1",
                "nvmf target --config /etc/nvmet/config.json --rpc-socket " + CtlCommand.DEFAULT_SOCKET);
    }

    @Override
    public List<String> details() {
        return List.of(
                "The file of --config is the JSON that nvmetcli saves. What that has no word for stands in objects that",
                "nvmetcli passes over, one at the top and one in each namespace; what is left out has its default:",
                "  \"nvmf4j\": {\"limits\": {\"queue_depth\": 128, \"io_queues\": 16, \"in_capsule_data_size\": \"8k\",",
                "                        \"max_io_size\": \"1m\", \"buffer_memory\": \"256m\", \"threads\": 2,",
                "                        \"rdma_in_capsule\": \"4k\", \"rdma_receive_memory\": \"256m\", \"poll\": false}}",
                "  \"nvmf4j\": {\"backend\": \"file\" or \"memory\", \"size\": \"10g\", \"block_size\": 512 or 4096,",
                "             \"direct\": true, \"read_only\": true}",
                "Without a block size, files get 4096 bytes and disks what they have, as with the Linux target.",
                "An RDMA listener that cannot be opened does not keep the others from serving: that is said at the start,",
                "and the exit status is 1 at the end. SIGTERM and SIGINT stop the target.");
    }

    @Override
    public Options options() {
        Options options = new Options();
        options.addOption(CommonOptions.value(
                "c", CONFIG, "FILE", "serve what a file says that nvmetcli has saved, instead of the flags below"));
        options.addOption(
                CommonOptions.value(
                        null,
                        RPC_SOCKET,
                        "PATH",
                        "let nvmf ctl change what is served, through this UNIX socket; then nothing need be served at the start"));
        TargetFlags.addTo(options);
        QueueStats.addTo(options);
        return options;
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        arguments.requireWords(0);
        QueueStats.check(arguments);
        TargetPlan plan = readPlan(arguments);
        plan.warnings().forEach(console::warn);
        plan.memoryWarning(Runtime.getRuntime().maxMemory()).ifPresent(console::warn);
        TargetConfig config = plan.open();
        try (NvmfTarget target = NvmfTarget.start(config, console.rdma());
                RpcServer rpc = startRpc(arguments, target)) {
            List<String> failures = target.listenFailures();
            failures.forEach(failure -> console.err().println("nvmf target: " + failure));
            int status = failures.isEmpty() ? Nvmf.SUCCESS : Nvmf.FAILURE;
            QueueStats stats = QueueStats.of(arguments, target, console.out());
            Thread hook = stopOnSignal(target, rpc, stats, status);
            report(config, target, arguments.outputFormat() == OutputFormat.JSON ? console.err() : console.out());
            awaitStop(target, stats, hook);
            return status;
        }
    }

    /** Null when nobody wants it. */
    private static RpcServer startRpc(Arguments arguments, NvmfTarget target) throws IOException {
        Optional<String> socket = arguments.text(RPC_SOCKET);
        return socket.isEmpty()
                ? null
                : RpcServer.start(
                        Path.of(socket.get()),
                        new TargetMethods(target, arguments.text(CONFIG).map(Path::of)));
    }

    private static TargetPlan readPlan(Arguments arguments) throws IOException, CommandException {
        Optional<String> file = arguments.text(CONFIG);
        if (file.isEmpty()) {
            return TargetFlags.read(arguments, arguments.has(RPC_SOCKET));
        }
        Optional<String> other = TargetFlags.anyGiven(arguments);
        if (other.isPresent()) {
            throw new UsageException("--config cannot stand beside --" + other.get() + ": write that into the file");
        }
        return NvmetConfig.read(Path.of(file.get()), arguments.has(RPC_SOCKET));
    }

    private static void report(TargetConfig config, NvmfTarget target, PrintStream out) {
        for (SubsystemConfig subsystem : config.subsystems()) {
            String hosts = subsystem.allowAnyHost()
                    ? "any host"
                    : subsystem.allowedHosts().size() + " allowed hosts";
            out.println("subsystem " + subsystem.nqn() + " (serial " + subsystem.serialNumber() + ", " + hosts + ")");
            for (NamespaceConfig namespace : subsystem.namespaces()) {
                out.println("  namespace " + namespace.nsid() + ": "
                        + Sizes.format(namespace.device().sizeBytes()) + " in blocks of " + namespace.blockSizeBytes()
                        + ", " + namespace.device().description() + ", uuid " + namespace.uuid());
            }
        }
        out.println("event loops: " + target.eventLoops());
        for (Listener listener : target.listeners()) {
            out.println("listening on " + new ListenAddress(listener.transport(), listener.address())
                    + (listener.subsystems().isEmpty() ? ", for discovery" : ""));
        }
        out.println("ready");
        out.flush();
    }

    /** From now on a signal ends the process, after the target has stopped. */
    private static Thread stopOnSignal(NvmfTarget target, RpcServer rpc, QueueStats stats, int status) {
        Thread hook = new Thread(
                () -> {
                    stats.print();
                    closeRpc(rpc);
                    target.close();
                    // The JVM would otherwise report the signal as its exit status.
                    Runtime.getRuntime().halt(status);
                },
                "nvmf-stop");
        Runtime.getRuntime().addShutdownHook(hook);
        return hook;
    }

    private static void closeRpc(RpcServer rpc) {
        try {
            if (rpc != null) {
                rpc.close();
            }
        } catch (IOException e) {
            LOG.warn("closing the socket for nvmf ctl: {}", e.getMessage());
        }
    }

    /**
     * Waits for the signal, or for an interrupt, which returns.
     *
     * @throws CommandException when the target fails
     */
    private static void awaitStop(NvmfTarget target, QueueStats stats, Thread hook)
            throws CommandException, ExecutionException {
        try {
            String failure = awaitFailure(target, stats);
            Runtime.getRuntime().removeShutdownHook(hook);
            throw new CommandException(failure);
        } catch (InterruptedException e) {
            Runtime.getRuntime().removeShutdownHook(hook);
            stats.print();
        }
    }

    /** Prints meanwhile what was asked for. */
    private static String awaitFailure(NvmfTarget target, QueueStats stats)
            throws InterruptedException, ExecutionException {
        CompletableFuture<String> failure = target.failure();
        if (stats.intervalS() == 0) {
            return failure.get();
        }
        while (true) {
            try {
                return failure.get(stats.intervalS(), TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                stats.print();
            }
        }
    }
}
