package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.Nqn;
import io.nvmf.codec.Status;
import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.ConnectRejectedException;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.tools.config.Identifiers;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.apache.commons.cli.Options;

/** Which controller to connect to and how: options spelled as in nvme-cli, or a URI. */
final class HostOptions {
    static final String URI = "[nvmf-tcp|rdma://HOST:PORT/SUBNQN[/NSID]]";

    private static final String TRANSPORT = "transport";
    private static final String ADDRESS = "traddr";
    private static final String SERVICE = "trsvcid";
    private static final String SUBSYSTEM_NQN = "nqn";
    private static final String HOST_NQN = "hostnqn";
    private static final String HOST_ID = "hostid";
    static final String NAMESPACE_ID = "namespace-id";
    private static final String IO_QUEUES = "nr-io-queues";
    private static final String QUEUE_SIZE = "queue-size";
    private static final String KEEP_ALIVE = "keep-alive-tmo";
    private static final String CONNECT_TIMEOUT = "connect-timeout";
    private static final String LOSS_TIMEOUT = "ctrl-loss-tmo";
    private static final String RECONNECT_DELAY = "reconnect-delay";
    private static final String HEADER_DIGEST = "hdr-digest";
    private static final String DATA_DIGEST = "data-digest";

    private static final int DEFAULT_IO_QUEUES = 4;
    private static final int MAX_IO_QUEUES = 1024;
    private static final int DEFAULT_QUEUE_SIZE = 128;
    private static final int MAX_QUEUE_SIZE = 1024;
    private static final int DEFAULT_KEEP_ALIVE_S = 5;
    private static final int MAX_KEEP_ALIVE_S = 3600;
    private static final int DEFAULT_CONNECT_TIMEOUT_S = 5;
    private static final int MAX_CONNECT_TIMEOUT_S = 600;
    private static final int DEFAULT_LOSS_TIMEOUT_S = 600;
    private static final int MAX_LOSS_TIMEOUT_S = 2_000_000;
    private static final int DEFAULT_RECONNECT_DELAY_S = 10;
    private static final int MAX_RECONNECT_DELAY_S = 3600;
    private static final int FIRST_RECONNECT_DELAY_S = 1;
    private static final long MAX_NSID = 0xFFFF_FFFEL;
    private static final long BROADCAST_NSID = 0xFFFF_FFFFL;

    private final Arguments arguments;
    private final TransportType transport;
    private final HostPort address;
    private final Optional<String> subsystemNqn;
    private final long nsid;

    private HostOptions(
            Arguments arguments, TransportType transport, HostPort address, Optional<String> subsystemNqn, long nsid) {
        this.arguments = arguments;
        this.transport = transport;
        this.address = address;
        this.subsystemNqn = subsystemNqn;
        this.nsid = nsid;
    }

    /** Adds what names an address and a host. */
    static void addAddress(Options options) {
        addAddress(options, true);
    }

    /**
     * Adds what names a subsystem and a host, without letters: the commands that have a device in nvme-cli have others for
     * them.
     */
    static void addDevice(Options options) {
        addAddress(options, false);
        options.addOption(value(null, SUBSYSTEM_NQN, "NQN", "name of the subsystem"));
    }

    private static void addAddress(Options options, boolean letters) {
        options.addOption(value(letters ? "t" : null, TRANSPORT, "tcp|rdma", "transport (default tcp)"))
                .addOption(value(letters ? "a" : null, ADDRESS, "ADDRESS", "name or address of the target"))
                .addOption(value(
                        letters ? "s" : null,
                        SERVICE,
                        "PORT",
                        "port of the target (default " + ConnectOptions.DEFAULT_PORT + ")"));
        addHost(options, letters);
    }

    /** Adds what names a host and shapes its connections, without letters. */
    static void addHost(Options options) {
        addHost(options, false);
    }

    /** Adds what names a host, without letters, and nothing more. */
    static void addIdentity(Options options) {
        addIdentity(options, false);
    }

    private static void addIdentity(Options options, boolean letters) {
        options.addOption(
                        value(letters ? "q" : null, HOST_NQN, "NQN", "name of this host (default: /etc/nvme/hostnqn)"))
                .addOption(value(letters ? "I" : null, HOST_ID, "UUID", "id of this host (default: /etc/nvme/hostid)"));
    }

    private static void addHost(Options options, boolean letters) {
        addIdentity(options, letters);
        options.addOption(value(
                        letters ? "k" : null,
                        KEEP_ALIVE,
                        "SECONDS",
                        "keep alive timeout, 0 for none (default " + DEFAULT_KEEP_ALIVE_S + ")"))
                .addOption(value(
                        null,
                        CONNECT_TIMEOUT,
                        "SECONDS",
                        "for each connection (default " + DEFAULT_CONNECT_TIMEOUT_S + ")"))
                .addOption(flag(letters ? "g" : null, HEADER_DIGEST, "protect PDU headers by CRC32C, with tcp"))
                .addOption(flag(letters ? "G" : null, DATA_DIGEST, "protect data by CRC32C, with tcp"));
    }

    /** Adds what names a subsystem. */
    static void addSubsystem(Options options) {
        options.addOption(value("n", SUBSYSTEM_NQN, "NQN", "name of the subsystem"));
    }

    /** Adds what names a namespace. */
    static void addNamespace(Options options) {
        options.addOption(value(null, NAMESPACE_ID, "N", "namespace (default: the only one)"));
    }

    /** Adds what shapes the I/O queues. */
    static void addQueues(Options options) {
        options.addOption(value(
                        "i", IO_QUEUES, "N", "I/O queues, each with a connection (default " + DEFAULT_IO_QUEUES + ")"))
                .addOption(value(
                        "Q",
                        QUEUE_SIZE,
                        "N",
                        "entries of an I/O queue, 2 to 1024 (default " + DEFAULT_QUEUE_SIZE + ")"));
    }

    /** Adds what is done when a controller is lost. */
    static void addReconnect(Options options) {
        options.addOption(value(
                        "c",
                        RECONNECT_DELAY,
                        "SECONDS",
                        "longest pause before a lost controller is tried again (default " + DEFAULT_RECONNECT_DELAY_S
                                + ")"))
                .addOption(value(
                        "l",
                        LOSS_TIMEOUT,
                        "SECONDS",
                        "after which a lost controller is given up, -1 for never (default " + DEFAULT_LOSS_TIMEOUT_S
                                + ")"));
    }

    /** Adds only how long a lost controller is waited for, by those who otherwise do not. */
    static void addLossTimeout(Options options) {
        options.addOption(value(
                null,
                LOSS_TIMEOUT,
                "SECONDS",
                "after which a lost controller is given up, -1 for never (default: at once)"));
    }

    /** Whether {@link #addLossTimeout} was used. */
    static boolean isToReconnect(Arguments arguments) {
        return arguments.has(LOSS_TIMEOUT);
    }

    /** Reads and checks options and the URIs of one namespace, each of which is a path to it. */
    static List<HostOptions> readPaths(Arguments arguments) throws CommandException {
        if (arguments.words().size() < 2) {
            return List.of(read(arguments));
        }
        List<HostOptions> paths = new ArrayList<>();
        for (String text : arguments.words()) {
            HostOptions path = read(arguments, uriInstead(arguments, text));
            for (HostOptions other : paths) {
                if (!path.subsystemNqn.equals(other.subsystemNqn) || path.nsid != other.nsid) {
                    throw new UsageException("URI '" + text + "' names another namespace than '"
                            + arguments.words().get(0) + "': several URIs are paths to the same");
                }
                if (path.transport == other.transport && path.address.equals(other.address)) {
                    throw new UsageException("URI '" + text + "' was given twice");
                }
            }
            paths.add(path);
        }
        return paths;
    }

    /** Reads and checks options and URI. */
    static HostOptions read(Arguments arguments) throws CommandException {
        return read(arguments, readTarget(arguments));
    }

    private static HostOptions read(Arguments arguments, HostOptions named) throws CommandException {
        requireDigests(arguments, named.transport);
        return named.withNamespace(arguments.number(NAMESPACE_ID, named.nsid, 1, MAX_NSID));
    }

    /** As {@link #read}, of a subsystem; {@code --namespace-id} may be any number that a command can carry. */
    static HostOptions readDevice(Arguments arguments) throws CommandException {
        if (arguments.onlyWord().isEmpty() && !arguments.has(ADDRESS)) {
            throw new UsageException("no controller named: give " + DeviceCommand.DEVICE + ", or --" + ADDRESS
                    + " and --" + SUBSYSTEM_NQN);
        }
        HostOptions named = readTarget(arguments);
        requireDigests(arguments, named.transport);
        named.requireSubsystem();
        return named.withNamespace(arguments.unsigned(NAMESPACE_ID, named.nsid, BROADCAST_NSID));
    }

    /** Reads one of several URIs, each of a subsystem, of a command that has no other way to name one. */
    static HostOptions readUri(Arguments arguments, String uri) throws CommandException {
        HostOptions named = uriInstead(arguments, uri);
        requireDigests(arguments, named.transport);
        if (named.subsystemNqn.isEmpty()) {
            throw new UsageException("URI '" + uri + "' names no subsystem; see nvmf discover for those there are");
        }
        return named;
    }

    private HostOptions withNamespace(long given) throws UsageException {
        if (nsid != 0 && given != nsid) {
            throw new UsageException("--" + NAMESPACE_ID + " " + given + " contradicts the URI, which names namespace "
                    + nsid + ": leave one of them out");
        }
        return new HostOptions(arguments, transport, address, subsystemNqn, given);
    }

    private String requireSubsystem() throws UsageException {
        return subsystemNqn.orElseThrow(
                () -> new UsageException("no subsystem named: give --nqn or a URI with one, or see nvmf discover"));
    }

    private static HostOptions readTarget(Arguments arguments) throws CommandException {
        Optional<String> uriText = arguments.onlyWord();
        if (uriText.isPresent()) {
            return uriInstead(arguments, uriText.get());
        }
        Optional<String> host = arguments.text(ADDRESS);
        if (host.isEmpty()) {
            throw new UsageException("no target named: give --traddr or a URI");
        }
        int port = arguments.number(SERVICE, ConnectOptions.DEFAULT_PORT, 1, 0xFFFF);
        return new HostOptions(
                arguments, transport(arguments), new HostPort(host.get(), port), arguments.text(SUBSYSTEM_NQN), 0);
    }

    /** A URI, beside which no option may say where to connect. */
    private static HostOptions uriInstead(Arguments arguments, String text) throws CommandException {
        for (String option : new String[] {ADDRESS, SERVICE, SUBSYSTEM_NQN}) {
            if (arguments.has(option)) {
                throw new UsageException("--" + option + " cannot stand beside a URI");
            }
        }
        NamespaceUri uri = NamespaceUri.parse(text);
        TransportType transport = transport(arguments);
        if (arguments.has(TRANSPORT) && transport != uri.transport()) {
            throw new UsageException("--transport " + transport + " contradicts the URI, which names " + uri.transport()
                    + ": leave one of them out");
        }
        Optional<String> nqn = Optional.of(uri.subsystemNqn()).filter(name -> !name.isEmpty());
        return new HostOptions(arguments, uri.transport(), uri.address(), nqn, uri.nsid());
    }

    /** The value of {@code --transport}, tcp without it. */
    static TransportType transport(Arguments arguments) throws UsageException {
        String name = arguments.text(TRANSPORT, TransportType.TCP.toString());
        try {
            return TransportType.named(name);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--transport '" + name + "' " + e.getMessage());
        }
    }

    /** Refuses digests where the transport has none. */
    static void requireDigests(Arguments arguments, TransportType transport) throws UsageException {
        for (String option : new String[] {HEADER_DIGEST, DATA_DIGEST}) {
            if (arguments.has(option) && transport != TransportType.TCP) {
                throw new UsageException("--" + option + " cannot stand beside " + transport
                        + ", which has no digests: the network protects what it carries");
            }
        }
    }

    /** For messages: where it leads. */
    String place() {
        return transport + "://" + address;
    }

    TransportType transport() {
        return transport;
    }

    HostPort address() {
        return address;
    }

    Optional<String> subsystemNqn() {
        return subsystemNqn;
    }

    /** The URI of the subsystem that was named. */
    String subsystemUri() {
        return new NamespaceUri(transport, address, subsystemNqn.orElse(""), 0).toString();
    }

    /** 0 when none was named. */
    long nsid() {
        return nsid;
    }

    /** Adds what shapes connections, by the names of the options. */
    static ObjectNode addConnectionTo(ObjectNode json, Arguments arguments) {
        json.put("hdr_digest", arguments.has(HEADER_DIGEST)).put("data_digest", arguments.has(DATA_DIGEST));
        arguments.text(LOSS_TIMEOUT).ifPresent(seconds -> json.put("ctrl_loss_tmo", Integer.parseInt(seconds)));
        return json;
    }

    /** A host of the named, or this machine's, identity. */
    NvmfHost openHost(Console console) throws CommandException {
        return openHost(arguments, NvmfHost.builder().rdmaProvider(console.rdma()));
    }

    /** As above, from a builder that has more. */
    static NvmfHost openHost(Arguments arguments, NvmfHost.Builder builder) throws CommandException {
        Optional<String> nqn = arguments.text(HOST_NQN);
        Optional<String> id = arguments.text(HOST_ID);
        try {
            nqn.ifPresent(builder::hostNqn);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--hostnqn: " + e.getMessage());
        }
        if (id.isPresent()) {
            builder.hostId(hostId(id.get()));
        } else {
            nqn.ifPresent(name -> builder.hostId(hostIdOf(name)));
        }
        return builder.build();
    }

    private static UUID hostId(String text) throws UsageException {
        try {
            return Identifiers.uuid("--hostid", text);
        } catch (CommandException e) {
            throw UsageException.of(e);
        }
    }

    /** A host NQN of one's own needs a host id of its own: targets refuse two names for one id. */
    private static UUID hostIdOf(String nqn) {
        if (nqn.startsWith(Nqn.UUID_PREFIX) && Nqn.problem(nqn).isEmpty()) {
            return UUID.fromString(nqn.substring(Nqn.UUID_PREFIX.length()));
        }
        return UUID.nameUUIDFromBytes(nqn.getBytes(StandardCharsets.UTF_8));
    }

    /** How to connect for admin commands alone. */
    ConnectOptions connectAdmin() throws CommandException {
        return connectAdmin(requireSubsystem());
    }

    /** How to connect to one of the subsystems at the address, for admin commands alone. */
    ConnectOptions connectAdmin(String nqn) throws CommandException {
        try {
            return connectAdmin(ConnectOptions.of(transport, socketAddress(), nqn));
        } catch (IllegalArgumentException e) {
            throw new CommandException("subsystem " + nqn + ": " + e.getMessage(), e);
        }
    }

    /** How to connect by one way that discovery found, for admin commands alone. */
    ConnectOptions connectAdmin(ConnectOptions found) throws CommandException {
        return shared().apply(found).ioQueues(0).keepAliveTimeoutMs(keepAliveMs());
    }

    /** How to connect with I/O queues. */
    ConnectOptions connectIo() throws CommandException {
        return withQueues(connectAdmin());
    }

    /** How to connect by one way that discovery found, with I/O queues. */
    ConnectOptions connectIo(ConnectOptions found) throws CommandException {
        return withQueues(connectAdmin(found));
    }

    private ConnectOptions withQueues(ConnectOptions options) throws UsageException {
        return options.ioQueues(arguments.number(IO_QUEUES, DEFAULT_IO_QUEUES, 1, MAX_IO_QUEUES))
                .queueDepth(arguments.number(QUEUE_SIZE, DEFAULT_QUEUE_SIZE, 2, MAX_QUEUE_SIZE));
    }

    /** The same, and to come back when the controller is lost. */
    ConnectOptions reconnecting(ConnectOptions options) throws UsageException {
        return options.controllerLossTimeoutMs(lossTimeoutMs())
                .reconnectDelayMs(Math.min(FIRST_RECONNECT_DELAY_S * 1000, reconnectDelayMs()), reconnectDelayMs());
    }

    /** -1 for never. */
    int lossTimeoutMs() throws UsageException {
        int seconds = arguments.number(LOSS_TIMEOUT, DEFAULT_LOSS_TIMEOUT_S, -1, MAX_LOSS_TIMEOUT_S);
        return seconds < 0 ? -1 : seconds * 1000;
    }

    int reconnectDelayMs() throws UsageException {
        return arguments.number(RECONNECT_DELAY, DEFAULT_RECONNECT_DELAY_S, 1, MAX_RECONNECT_DELAY_S) * 1000;
    }

    /** How to connect to the discovery controller at the address. */
    ConnectOptions connectDiscovery() throws CommandException {
        return shared().apply(ConnectOptions.discovery(transport, socketAddress()));
    }

    /** Connects; a refusal is told in words that say what to do about it. */
    Controller connect(NvmfHost host, ConnectOptions options) throws CommandException {
        try {
            return host.connect(options);
        } catch (ConnectRejectedException e) {
            if (Status.withoutFlags(e.status()) == Status.CONNECT_INVALID_HOST) {
                throw new CommandException(
                        "this host (" + host.identity().hostNqn()
                                + ") is not allowed to connect; name another with --hostnqn (" + e.getMessage() + ")",
                        e);
            }
            if ("SUBNQN".equals(e.field())) {
                throw new CommandException(
                        "the target has no subsystem " + options.subsystemNqn()
                                + " at this address, see nvmf discover (" + e.getMessage() + ")",
                        e);
            }
            throw e;
        }
    }

    /** What all connections of this command have in common. */
    UnaryOperator<ConnectOptions> shared() throws UsageException {
        int timeoutMs = connectTimeoutMs();
        return options -> options.connectTimeoutMs(timeoutMs)
                .headerDigest(arguments.has(HEADER_DIGEST))
                .dataDigest(arguments.has(DATA_DIGEST));
    }

    private int connectTimeoutMs() throws UsageException {
        return arguments.number(CONNECT_TIMEOUT, DEFAULT_CONNECT_TIMEOUT_S, 1, MAX_CONNECT_TIMEOUT_S) * 1000;
    }

    private int keepAliveMs() throws CommandException {
        return arguments.number(KEEP_ALIVE, DEFAULT_KEEP_ALIVE_S, 0, MAX_KEEP_ALIVE_S) * 1000;
    }

    /** The address, resolved. */
    InetSocketAddress socketAddress() throws CommandException {
        InetSocketAddress socketAddress = new InetSocketAddress(address.host(), address.port());
        if (socketAddress.isUnresolved()) {
            throw new CommandException("host " + address.host() + " is unknown; give its address");
        }
        return socketAddress;
    }
}
