package io.nvmf.tools;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.discovery.Discovered;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.transport.NvmfException;
import io.nvmf.tools.output.Json;
import io.nvmf.tools.output.Table;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.commons.cli.Options;

/** {@code nvmf list}: the namespaces behind an address. */
final class ListCommand implements Command {
    private record Row(
            NamespaceUri uri, IdentifyController controller, long sizeBytes, int blockSizeBytes, UUID uuid) {}

    @Override
    public String name() {
        return "list";
    }

    @Override
    public String summary() {
        return "list the namespaces of one or all subsystems of a target, through referrals too";
    }

    @Override
    public String arguments() {
        return "[nvmf-tcp|rdma://HOST:PORT[/SUBNQN]]";
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf list -t tcp -a 192.0.2.1 -s 4420",
                "nvmf list nvmf-rdma://192.0.2.1:4420",
                "nvmf list nvmf-tcp://192.0.2.1:4420/nqn.2026-01.io.nvmf:target -o json");
    }

    @Override
    public Options options() {
        Options options = new Options();
        HostOptions.addAddress(options);
        HostOptions.addSubsystem(options);
        return options.addOption(CommonOptions.outputFormat());
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        OutputFormat format = arguments.outputFormat();
        HostOptions target = HostOptions.read(arguments);
        List<Row> rows = new ArrayList<>();
        boolean allWell = true;
        try (NvmfHost host = target.openHost(console)) {
            if (target.subsystemNqn().isPresent()) {
                rows.addAll(rowsBy(target.connectAdmin(), host, target));
            } else {
                for (List<ConnectOptions> ways : waysToSubsystems(host, target, console)) {
                    allWell &= listByFirstWay(ways, host, target, rows, console);
                }
            }
        }
        if (format == OutputFormat.JSON) {
            Json.print(console.out(), toJson(rows));
        } else {
            toTable(rows).print(console.out());
        }
        return allWell ? Nvmf.SUCCESS : Nvmf.FAILURE;
    }

    /** Where each subsystem is said to listen, which need not be where it was asked for. */
    private static Collection<List<ConnectOptions>> waysToSubsystems(NvmfHost host, HostOptions target, Console console)
            throws CommandException {
        Map<String, List<ConnectOptions>> ways = new LinkedHashMap<>();
        Discovered discovered = host.discoverAll(target.connectDiscovery(), target.shared());
        discovered.unreached().forEach(referral -> console.warn(Failures.sentence(referral)));
        for (ConnectOptions found : discovered.connectable()) {
            if (found.transport() == target.transport()) {
                ways.computeIfAbsent(found.subsystemNqn(), nqn -> new ArrayList<>())
                        .add(target.connectAdmin(found));
            }
        }
        return ways.values();
    }

    /** A subsystem that cannot be reached is told about, and the others are listed all the same. */
    private static boolean listByFirstWay(
            List<ConnectOptions> ways, NvmfHost host, HostOptions target, List<Row> rows, Console console) {
        List<String> failures = new ArrayList<>();
        for (ConnectOptions way : ways) {
            try {
                rows.addAll(rowsBy(way, host, target));
                return true;
            } catch (CommandException | NvmfException e) {
                failures.add(Failures.sentence(e));
            }
        }
        console.warn(ways.get(0).subsystemNqn() + " cannot be listed: " + String.join("; ", failures));
        return false;
    }

    private static List<Row> rowsBy(ConnectOptions way, NvmfHost host, HostOptions target) throws CommandException {
        List<Row> rows = new ArrayList<>();
        try (Controller controller = target.connect(host, way)) {
            for (long nsid : controller.activeNamespaces()) {
                Namespace namespace = controller.namespace(nsid);
                rows.add(new Row(
                        new NamespaceUri(way.transport(), HostPort.of(way.remote()), controller.subsystemNqn(), nsid),
                        controller.identify(),
                        namespace.sizeBytes(),
                        namespace.blockSizeBytes(),
                        controller.namespaceDescriptors(nsid).uuid()));
            }
        }
        return rows;
    }

    private static Table toTable(List<Row> rows) {
        Table table = new Table("Namespace", "Serial", "Model", "Firmware", "Size", "Format");
        for (Row row : rows) {
            table.row(
                    row.uri().toString(),
                    row.controller().serialNumber(),
                    row.controller().modelNumber(),
                    row.controller().firmwareRevision(),
                    Sizes.format(row.sizeBytes()),
                    row.blockSizeBytes() + " B");
        }
        return table;
    }

    private static ObjectNode toJson(List<Row> rows) {
        ObjectNode json = Json.object();
        ArrayNode devices = json.putArray("Devices");
        for (Row row : rows) {
            devices.addObject()
                    .put("URI", row.uri().toString())
                    .put("SubsystemNQN", row.uri().subsystemNqn())
                    .put("NameSpace", row.uri().nsid())
                    .put("UUID", row.uuid().toString())
                    .put("SerialNumber", row.controller().serialNumber())
                    .put("ModelNumber", row.controller().modelNumber())
                    .put("Firmware", row.controller().firmwareRevision())
                    .put("PhysicalSize", row.sizeBytes())
                    .put("MaximumLBA", row.sizeBytes() / row.blockSizeBytes())
                    .put("SectorSize", row.blockSizeBytes());
        }
        return json;
    }
}
