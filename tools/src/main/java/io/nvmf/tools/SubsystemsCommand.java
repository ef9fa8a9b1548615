package io.nvmf.tools;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogEntry.Field;
import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.tools.output.DiscoveryFields;
import io.nvmf.tools.output.Json;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import org.apache.commons.cli.Options;

/**
 * {@code nvmf list-subsys} and {@code nvmf connect-all}: the subsystems that discovery controllers know, from referral to
 * referral, and their paths. The second one tries each path; no kernel device is made, and nothing stays connected.
 */
final class SubsystemsCommand implements Command {
    private static final int MAX_DISCOVERY_CONTROLLERS = 32;
    private static final String LIVE = "live";

    /** @param state what came of connecting, null when it was not tried */
    private record Path(String transport, String address, String service, String state) {
        String addressText() {
            return "traddr=" + address + ",trsvcid=" + service;
        }
    }

    private final boolean connects;

    private SubsystemsCommand(boolean connects) {
        this.connects = connects;
    }

    static SubsystemsCommand listSubsys() {
        return new SubsystemsCommand(false);
    }

    static SubsystemsCommand connectAll() {
        return new SubsystemsCommand(true);
    }

    @Override
    public String name() {
        return connects ? "connect-all" : "list-subsys";
    }

    @Override
    public String summary() {
        return connects
                ? "connect by every path that a target offers, to see that all are there"
                : "list subsystems and the paths to them, through referrals too";
    }

    @Override
    public String arguments() {
        return "[nvmf-tcp|rdma://HOST:PORT]";
    }

    @Override
    public List<String> details() {
        return connects
                ? List.of(
                        "Unlike nvme connect-all this makes no devices: it connects by each path, with its I/O queues, says",
                        "which are live, and disconnects. The exit status is 1 when one is not.")
                : List.of();
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf " + name() + " -t tcp -a 192.0.2.1 -s 8009", "nvmf " + name() + " nvmf-tcp://192.0.2.1 -o json");
    }

    @Override
    public Options options() {
        Options options = new Options();
        HostOptions.addAddress(options);
        if (connects) {
            HostOptions.addQueues(options);
        }
        return options.addOption(CommonOptions.outputFormat());
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        OutputFormat format = arguments.outputFormat();
        HostOptions target = HostOptions.read(arguments);
        if (target.subsystemNqn().isPresent()) {
            throw new UsageException(name() + " asks a whole target: end the URI after HOST:PORT");
        }
        Walk walk = new Walk(target, console);
        try (NvmfHost host = target.openHost(console)) {
            walk.run(host);
            if (format == OutputFormat.JSON) {
                Json.print(console.out(), walk.toJson(host));
            } else {
                walk.print(console.out());
            }
        }
        return walk.allWell ? Nvmf.SUCCESS : Nvmf.FAILURE;
    }

    /** From one discovery controller to the next. */
    private final class Walk {
        private final HostOptions start;
        private final Console console;
        private final Map<String, List<Path>> subsystems = new TreeMap<>();
        private final Queue<HostOptions> toAsk = new ArrayDeque<>();
        private final Set<String> known = new HashSet<>();
        private boolean allWell = true;

        Walk(HostOptions start, Console console) {
            this.start = start;
            this.console = console;
        }

        void run(NvmfHost host) throws CommandException {
            ask(start);
            boolean isFirst = true;
            while (!toAsk.isEmpty()) {
                HostOptions next = toAsk.remove();
                try {
                    for (DiscoveryLogEntry entry :
                            host.discover(next.connectDiscovery()).entries()) {
                        take(host, entry);
                    }
                } catch (CommandException | RuntimeException e) {
                    if (isFirst) {
                        throw e;
                    }
                    allWell = false;
                    console.warn("the referral to " + next.transport() + "://" + next.address() + " leads nowhere: "
                            + Failures.sentence(e));
                }
                isFirst = false;
            }
        }

        private void ask(HostOptions discovery) {
            if (!known.add(discovery.transport() + "://" + discovery.address())) {
                return;
            }
            if (known.size() > MAX_DISCOVERY_CONTROLLERS) {
                allWell = false;
                console.warn("there are more than " + MAX_DISCOVERY_CONTROLLERS + " discovery controllers; "
                        + discovery.address() + " is not asked");
                return;
            }
            toAsk.add(discovery);
        }

        private void take(NvmfHost host, DiscoveryLogEntry entry) {
            int subtype = (int) entry.get(Field.SUBTYPE);
            if (subtype != DiscoveryLogEntry.SUBTYPE_NVM && subtype != DiscoveryLogEntry.SUBTYPE_REFERRAL) {
                return;
            }
            HostOptions options = options(entry);
            if (subtype == DiscoveryLogEntry.SUBTYPE_NVM) {
                List<Path> paths = subsystems.computeIfAbsent(entry.subsystemNqn(), nqn -> new ArrayList<>());
                boolean isNew = paths.stream()
                        .noneMatch(path -> path.transport().equals(DiscoveryFields.transport(entry))
                                && path.address().equals(entry.transportAddress())
                                && path.service().equals(entry.serviceId()));
                if (isNew) {
                    paths.add(new Path(
                            DiscoveryFields.transport(entry),
                            entry.transportAddress(),
                            entry.serviceId(),
                            connects ? connect(host, options, entry.subsystemNqn()) : null));
                }
            } else if (options != null) {
                ask(options);
            }
        }

        /** Null when it cannot be connected to from here. */
        private HostOptions options(DiscoveryLogEntry entry) {
            for (TransportType transport : TransportType.values()) {
                if (transport.trtype() == entry.get(Field.TRTYPE)
                        && entry.serviceId().matches("[1-9]\\d{0,4}")) {
                    int port = Integer.parseInt(entry.serviceId());
                    return port > 0xFFFF ? null : start.at(transport, new HostPort(entry.transportAddress(), port));
                }
            }
            return null;
        }

        private String connect(NvmfHost host, HostOptions options, String nqn) {
            if (options == null) {
                allWell = false;
                return "failed: there are " + TransportType.names() + " here, and ports up to 65535";
            }
            try (Controller controller = options.connect(host, options.connectIo(nqn))) {
                if (controller.ioQueueCount() > 0) {
                    return LIVE;
                }
                allWell = false;
                return "failed: the controller grants no I/O queue";
            } catch (CommandException | RuntimeException e) {
                allWell = false;
                return "failed: " + Failures.sentence(e);
            }
        }

        void print(PrintStream out) {
            subsystems.forEach((nqn, paths) -> {
                out.println("NQN=" + nqn);
                for (Path path : paths) {
                    out.println(" +- " + path.transport() + " " + path.addressText()
                            + (path.state() == null ? "" : " " + path.state()));
                }
            });
        }

        ArrayNode toJson(NvmfHost host) {
            ArrayNode hosts = Json.object().putArray("hosts");
            ObjectNode one = hosts.addObject()
                    .put("HostNQN", host.identity().hostNqn())
                    .put("HostID", host.identity().hostId().toString());
            ArrayNode list = one.putArray("Subsystems");
            subsystems.forEach((nqn, paths) -> {
                ArrayNode pathList = list.addObject().put("NQN", nqn).putArray("Paths");
                for (Path path : paths) {
                    ObjectNode json = pathList.addObject()
                            .put("Transport", path.transport())
                            .put("Address", path.addressText());
                    if (path.state() != null) {
                        json.put("State", path.state());
                    }
                }
            });
            return hosts;
        }
    }
}
