package io.nvmf.tools;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.discovery.Discovered;
import io.nvmf.tools.output.DiscoveryFields;
import io.nvmf.tools.output.Json;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.cli.Options;

/**
 * {@code nvmf list-subsys} and {@code nvmf connect-all}: the subsystems that discovery controllers know, from referral to
 * referral, and their paths. The second one tries each path; no kernel device is made, and nothing stays connected.
 */
final class SubsystemsCommand implements Command {
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
        try (NvmfHost host = target.openHost(console)) {
            Listing listing = new Listing(host, target, console);
            listing.run();
            if (format == OutputFormat.JSON) {
                Json.print(console.out(), listing.toJson());
            } else {
                listing.print(console.out());
            }
            return listing.allWell ? Nvmf.SUCCESS : Nvmf.FAILURE;
        }
    }

    /** What was found, by subsystem. */
    private final class Listing {
        private final NvmfHost host;
        private final HostOptions target;
        private final Console console;
        private final Map<String, List<Path>> subsystems = new TreeMap<>();
        private boolean allWell = true;

        Listing(NvmfHost host, HostOptions target, Console console) {
            this.host = host;
            this.target = target;
            this.console = console;
        }

        void run() throws CommandException {
            ConnectOptions discovery = target.connectDiscovery();
            Discovered discovered = host.discoverAll(discovery, target.shared());
            for (Discovered.Unreached referral : discovered.unreached()) {
                allWell = false;
                console.warn(Failures.sentence(referral));
            }
            for (Discovered.Path path : discovered.paths()) {
                DiscoveryLogEntry entry = path.entry();
                subsystems
                        .computeIfAbsent(entry.subsystemNqn(), nqn -> new ArrayList<>())
                        .add(new Path(
                                DiscoveryFields.transport(entry),
                                entry.transportAddress(),
                                entry.serviceId(),
                                connects ? connect(path.options()) : null));
            }
        }

        private String connect(ConnectOptions found) {
            if (found == null) {
                allWell = false;
                return "failed: there are " + TransportType.names() + " here, at IP addresses and ports up to 65535";
            }
            try (Controller controller = target.connect(host, target.connectIo(found))) {
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

        ArrayNode toJson() {
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
