package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.value;
import static io.nvmf.tools.CommonOptions.values;

import io.nvmf.codec.Nqn;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.tools.config.ListenAddress;
import io.nvmf.tools.config.NamespaceFlag;
import io.nvmf.tools.config.NamespacePlan;
import io.nvmf.tools.config.SubsystemPlan;
import io.nvmf.tools.config.TargetPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.cli.Options;

/** The flags of {@code nvmf target} that describe one subsystem without a file. */
final class TargetFlags {
    static final String DEFAULT_NQN = "nqn.2026-01.io.nvmf:target";
    static final String DEFAULT_LISTEN = "tcp://127.0.0.1:4420";

    private static final String LISTEN = "listen";
    private static final String NQN = "nqn";
    private static final String NAMESPACE = "namespace";
    private static final String HOST = "host";
    private static final String SERIAL = "serial";
    private static final String IN_CAPSULE = "in-capsule-data-size";
    private static final String MAX_IO = "max-io-size";
    private static final String QUEUE_DEPTH = "queue-depth";
    private static final String IO_QUEUES = "io-queues";
    private static final String THREADS = "threads";
    private static final String BUFFER_MEMORY = "buffer-memory";
    private static final List<String> NAMES = List.of(
            LISTEN, NQN, NAMESPACE, HOST, SERIAL, IN_CAPSULE, MAX_IO, QUEUE_DEPTH, IO_QUEUES, THREADS, BUFFER_MEMORY);

    private TargetFlags() {}

    static void addTo(Options options) {
        TargetLimits limits = TargetLimits.DEFAULT;
        options.addOption(values(
                        null,
                        LISTEN,
                        "tcp://ADDRESS:PORT",
                        "where hosts connect, IPv6 in brackets, port 0 takes a free one (default " + DEFAULT_LISTEN
                                + ")"))
                .addOption(value("n", NQN, "NQN", "name of the subsystem (default " + DEFAULT_NQN + ")"))
                .addOption(values(
                        null,
                        NAMESPACE,
                        "SPEC",
                        "file:/path or memory:1g, then any of ,size=10g ,block-size=512|4096 ,direct ,read-only"
                                + " ,uuid=UUID ,nguid=HEX; they become namespaces 1, 2, ...; with a size the file is"
                                + " created"))
                .addOption(values(null, HOST, "NQN", "a host that may connect (default: every host)"))
                .addOption(value(null, SERIAL, "TEXT", "serial number (default: derived from the NQN)"))
                .addOption(value(
                        null,
                        IN_CAPSULE,
                        "SIZE",
                        "data that a write may carry in its command, 0 to 128k (default " + limits.inCapsuleDataBytes()
                                + ")"))
                .addOption(value(
                        null,
                        MAX_IO,
                        "SIZE",
                        "data of one command, a power of two (default " + Sizes.format(limits.maxTransferBytes())
                                + ")"))
                .addOption(value(
                        null, QUEUE_DEPTH, "N", "entries of an I/O queue (default " + limits.maxQueueDepth() + ")"))
                .addOption(value(
                        null, IO_QUEUES, "N", "I/O queues of a controller (default " + limits.maxIoQueues() + ")"))
                .addOption(value(null, THREADS, "N", "event loops (default: one for each processor)"))
                .addOption(value(
                        null,
                        BUFFER_MEMORY,
                        "SIZE",
                        "memory for data on its way (default " + Sizes.format(limits.bufferMemoryBytes()) + ")"));
    }

    /** The first of these flags that was given. */
    static Optional<String> anyGiven(Arguments arguments) {
        return NAMES.stream().filter(arguments::has).findFirst();
    }

    static TargetPlan read(Arguments arguments) throws CommandException {
        String nqn = arguments.text(NQN, DEFAULT_NQN);
        List<NamespacePlan> namespaces = new ArrayList<>();
        for (String text : arguments.texts(NAMESPACE)) {
            namespaces.add(NamespaceFlag.parse(namespaces.size() + 1L, text));
        }
        if (namespaces.isEmpty()) {
            throw new UsageException("nothing to serve: give --namespace or --config");
        }
        List<String> hosts = arguments.texts(HOST);
        requireNqns(hosts);
        try {
            SubsystemPlan subsystem = new SubsystemPlan(
                    nqn, arguments.text(SERIAL), Optional.empty(), hosts.isEmpty(), Set.copyOf(hosts), namespaces);
            return new TargetPlan(listeners(arguments, nqn), List.of(subsystem), limits(arguments), List.of());
        } catch (IllegalArgumentException e) {
            throw new CommandException(e.getMessage(), e);
        }
    }

    private static void requireNqns(List<String> hosts) throws CommandException {
        for (String host : hosts) {
            Optional<String> problem = Nqn.problem(host);
            if (problem.isPresent()) {
                throw new CommandException("--host: " + problem.get());
            }
        }
    }

    private static List<ListenerConfig> listeners(Arguments arguments, String nqn) throws CommandException {
        List<String> texts = arguments.texts(LISTEN);
        List<ListenerConfig> listeners = new ArrayList<>();
        for (String text : texts.isEmpty() ? List.of(DEFAULT_LISTEN) : texts) {
            listeners.add(new ListenerConfig(listeners.size() + 1, ListenAddress.parse(text), Set.of(nqn)));
        }
        return listeners;
    }

    private static TargetLimits limits(Arguments arguments) throws CommandException {
        TargetLimits defaults = TargetLimits.DEFAULT;
        return new TargetLimits(
                arguments.number(QUEUE_DEPTH, defaults.maxQueueDepth(), 0, Integer.MAX_VALUE),
                arguments.number(IO_QUEUES, defaults.maxIoQueues(), 0, Integer.MAX_VALUE),
                arguments.sizeInt(IN_CAPSULE, defaults.inCapsuleDataBytes()),
                arguments.sizeInt(MAX_IO, defaults.maxTransferBytes()),
                arguments.size(BUFFER_MEMORY, defaults.bufferMemoryBytes()),
                arguments.number(THREADS, defaults.eventLoops(), 0, Integer.MAX_VALUE));
    }
}
