package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;
import static io.nvmf.tools.CommonOptions.values;

import io.nvmf.codec.Nqn;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.RdmaConfig;
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
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.commons.cli.Options;

/** The flags of {@code nvmf target} that describe one subsystem without a file. */
final class TargetFlags {
    static final String DEFAULT_NQN = "nqn.2026-01.io.nvmf:target";
    static final String DEFAULT_LISTEN = "tcp://127.0.0.1:4420";

    private static final String LISTEN = "listen";
    private static final String DISCOVERY = "discovery";
    private static final int LISTEN_PORT = 4420;
    private static final int DISCOVERY_PORT = 8009;
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
    private static final String RDMA_IN_CAPSULE = "rdma-in-capsule";
    private static final String RDMA_RECEIVE_MEMORY = "rdma-receive-memory";
    private static final String POLL = "poll";
    private static final List<String> NAMES = List.of(
            LISTEN,
            DISCOVERY,
            NQN,
            NAMESPACE,
            HOST,
            SERIAL,
            IN_CAPSULE,
            MAX_IO,
            QUEUE_DEPTH,
            IO_QUEUES,
            THREADS,
            BUFFER_MEMORY,
            RDMA_IN_CAPSULE,
            RDMA_RECEIVE_MEMORY,
            POLL);

    private static final List<String> LIMITS =
            List.of(QUEUE_DEPTH, IO_QUEUES, IN_CAPSULE, MAX_IO, BUFFER_MEMORY, THREADS);

    /** What holds for RDMA alone. */
    private static final List<String> RDMA = List.of(RDMA_IN_CAPSULE, RDMA_RECEIVE_MEMORY);

    private TargetFlags() {}

    static void addTo(Options options) {
        TargetLimits limits = TargetLimits.DEFAULT;
        options.addOption(values(
                        null,
                        LISTEN,
                        "tcp|rdma://ADDRESS:PORT",
                        "where hosts connect, IPv6 in brackets, without a port 4420, port 0 takes a free one; 0.0.0.0 lets in"
                                + " IPv4 alone, [::] with tcp both families and with rdma IPv6 alone (default "
                                + DEFAULT_LISTEN + ")"))
                .addOption(values(
                        null,
                        DISCOVERY,
                        "tcp|rdma://ADDRESS:PORT",
                        "where hosts only ask what there is, without a port 8009; they may ask at --listen as well"))
                .addOption(value("n", NQN, "NQN", "name of the subsystem (default " + DEFAULT_NQN + ")"))
                .addOption(values(
                        null,
                        NAMESPACE,
                        "SPEC",
                        "file:/path or memory:1g, then any of ,size=10g ,block-size=512|4096 ,direct ,read-only"
                                + " ,uuid=UUID ,nguid=HEX ,ptpl=/path for reservations, write protection and unreadable"
                                + " blocks that outlive the target (by default beside a file, blocks of 4096 or what the disk"
                                + " has, and a UUID derived from NQN, namespace number and path); they become namespaces 1, 2, ...; with a size the file is"
                                + " created"))
                .addOption(values(null, HOST, "NQN", "a host that may connect (default: every host)"))
                .addOption(value(null, SERIAL, "TEXT", "serial number (default: derived from the NQN)"))
                .addOption(value(
                        null,
                        IN_CAPSULE,
                        "SIZE",
                        "data that a write may carry in its command over TCP, 0 to 128k in multiples of 16 (default "
                                + limits.inCapsuleDataBytes() + ")"))
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
                .addOption(value(null, THREADS, "N", "event loops (default 0: one for each processor)"))
                .addOption(value(
                        null,
                        BUFFER_MEMORY,
                        "SIZE",
                        "memory for data on its way (default " + Sizes.format(limits.bufferMemoryBytes()) + ")"));
        addRdmaTo(options);
    }

    private static void addRdmaTo(Options options) {
        RdmaConfig rdma = RdmaConfig.DEFAULT;
        options.addOption(value(
                        null,
                        RDMA_IN_CAPSULE,
                        "SIZE",
                        "data that a write may carry in its command over RDMA, 0 to 128k in multiples of 16 (default "
                                + rdma.inCapsuleDataBytes() + "); held for every entry of every I/O queue"))
                .addOption(value(
                        null,
                        RDMA_RECEIVE_MEMORY,
                        "SIZE",
                        "memory for RDMA capsules; queues beyond it are refused (default "
                                + Sizes.format(rdma.receiveMemoryBytes()) + ")"))
                .addOption(flag(
                        null, POLL, "look for work without ever sleeping: sooner answers for a processor per thread"));
    }

    /** The first of these flags that was given. */
    static Optional<String> anyGiven(Arguments arguments) {
        return NAMES.stream().filter(arguments::has).findFirst();
    }

    /** @param mayBeEmpty whether namespaces may come later */
    static TargetPlan read(Arguments arguments, boolean mayBeEmpty) throws CommandException {
        String nqn = arguments.text(NQN, DEFAULT_NQN);
        List<NamespacePlan> namespaces = new ArrayList<>();
        for (String text : arguments.texts(NAMESPACE)) {
            namespaces.add(NamespaceFlag.parse("--" + NAMESPACE, namespaces.size() + 1L, text));
        }
        List<String> hosts = arguments.texts(HOST);
        requireNqns(NQN, List.of(nqn));
        requireNqns(HOST, hosts);
        SubsystemPlan subsystem;
        try {
            subsystem = new SubsystemPlan(
                    nqn, arguments.text(SERIAL), Optional.empty(), hosts.isEmpty(), Set.copyOf(hosts), namespaces);
        } catch (IllegalArgumentException e) {
            String option = arguments.has(SERIAL) ? SERIAL : NQN;
            throw new UsageException("--" + option + ": " + e.getMessage());
        }
        List<ListenerConfig> listeners = listeners(arguments, nqn);
        TargetPlan plan = new TargetPlan(
                listeners, List.of(subsystem), limits(arguments), rdma(arguments), warnings(arguments, listeners));
        // Last: who has a word wrong wants to hear of that first.
        if (namespaces.isEmpty() && !mayBeEmpty) {
            throw new UsageException("nothing to serve: give --namespace or --config");
        }
        return plan;
    }

    private static List<String> warnings(Arguments arguments, List<ListenerConfig> listeners) {
        String given = RDMA.stream()
                .filter(arguments::has)
                .map(option -> "--" + option)
                .collect(Collectors.joining(", "));
        return given.isEmpty() || TargetPlan.usesRdma(listeners)
                ? List.of()
                : List.of(given + ": without effect, for no --listen rdma://ADDRESS:PORT is there");
    }

    private static void requireNqns(String option, List<String> nqns) throws UsageException {
        for (String nqn : nqns) {
            Optional<String> problem = Nqn.problem(nqn);
            if (problem.isPresent()) {
                throw new UsageException("--" + option + ": " + problem.get());
            }
        }
    }

    private static List<ListenerConfig> listeners(Arguments arguments, String nqn) throws CommandException {
        List<String> texts = arguments.texts(LISTEN);
        List<ListenerConfig> listeners = new ArrayList<>();
        for (String text : texts.isEmpty() ? List.of(DEFAULT_LISTEN) : texts) {
            ListenAddress listen = ListenAddress.parse("--" + LISTEN, text, LISTEN_PORT);
            listeners.add(new ListenerConfig(listeners.size() + 1, listen.transport(), listen.address(), Set.of(nqn)));
        }
        for (String text : arguments.texts(DISCOVERY)) {
            ListenAddress listen = ListenAddress.parse("--" + DISCOVERY, text, DISCOVERY_PORT);
            listeners.add(new ListenerConfig(
                    listeners.size() + 1, listen.transport(), listen.address(), Set.of(Nqn.DISCOVERY)));
        }
        return listeners;
    }

    private static TargetLimits limits(Arguments arguments) throws UsageException {
        try {
            return limits(arguments, LIMITS::contains);
        } catch (IllegalArgumentException e) {
            String option = culprit(arguments, e.getMessage());
            String value = arguments.text(option).map(text -> " " + text).orElse("");
            throw new UsageException("--" + option + value + ": " + e.getMessage());
        }
    }

    /** The option that alone, beside defaults, has the same problem; else it is the memory that is short. */
    private static String culprit(Arguments arguments, String problem) throws UsageException {
        for (String option : LIMITS) {
            try {
                limits(arguments, option::equals);
            } catch (IllegalArgumentException e) {
                if (problem.equals(e.getMessage())) {
                    return option;
                }
            }
        }
        return BUFFER_MEMORY;
    }

    /** Takes the options that count, and defaults for the others. */
    private static TargetLimits limits(Arguments arguments, Predicate<String> counts) throws UsageException {
        TargetLimits limits = TargetLimits.DEFAULT;
        return new TargetLimits(
                counts.test(QUEUE_DEPTH)
                        ? number(arguments, QUEUE_DEPTH, limits.maxQueueDepth())
                        : limits.maxQueueDepth(),
                counts.test(IO_QUEUES) ? number(arguments, IO_QUEUES, limits.maxIoQueues()) : limits.maxIoQueues(),
                counts.test(IN_CAPSULE)
                        ? arguments.sizeInt(IN_CAPSULE, limits.inCapsuleDataBytes())
                        : limits.inCapsuleDataBytes(),
                counts.test(MAX_IO) ? arguments.sizeInt(MAX_IO, limits.maxTransferBytes()) : limits.maxTransferBytes(),
                counts.test(BUFFER_MEMORY)
                        ? arguments.size(BUFFER_MEMORY, limits.bufferMemoryBytes())
                        : limits.bufferMemoryBytes(),
                counts.test(THREADS) ? number(arguments, THREADS, limits.eventLoops()) : limits.eventLoops(),
                arguments.has(POLL));
    }

    private static RdmaConfig rdma(Arguments arguments) throws UsageException {
        RdmaConfig defaults = RdmaConfig.DEFAULT;
        int inCapsule = arguments.sizeInt(RDMA_IN_CAPSULE, defaults.inCapsuleDataBytes());
        long memory = arguments.size(RDMA_RECEIVE_MEMORY, defaults.receiveMemoryBytes());
        try {
            new RdmaConfig(inCapsule, defaults.receiveMemoryBytes());
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "--" + RDMA_IN_CAPSULE + " " + arguments.text(RDMA_IN_CAPSULE, "") + ": " + e.getMessage());
        }
        try {
            return new RdmaConfig(inCapsule, memory);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "--" + RDMA_RECEIVE_MEMORY + " " + arguments.text(RDMA_RECEIVE_MEMORY, "") + ": " + e.getMessage());
        }
    }

    private static int number(Arguments arguments, String option, int otherwise) throws UsageException {
        return arguments.number(option, otherwise, 0, Integer.MAX_VALUE);
    }
}
