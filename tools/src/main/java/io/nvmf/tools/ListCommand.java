package io.nvmf.tools;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogEntry.Field;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.tools.output.Json;
import io.nvmf.tools.output.Table;
import java.util.ArrayList;
import java.util.List;
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
        return "list the namespaces of one or all subsystems of a target";
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
        try (NvmfHost host = target.openHost(console)) {
            for (String nqn : subsystems(host, target)) {
                try (Controller controller = target.connect(host, target.connectAdmin(nqn))) {
                    addRows(controller, target, rows);
                }
            }
        }
        if (format == OutputFormat.JSON) {
            Json.print(console.out(), toJson(rows));
        } else {
            toTable(rows).print(console.out());
        }
        return Nvmf.SUCCESS;
    }

    private static List<String> subsystems(NvmfHost host, HostOptions target) throws CommandException {
        if (target.subsystemNqn().isPresent()) {
            return List.of(target.subsystemNqn().get());
        }
        return host.discover(target.connectDiscovery()).entries().stream()
                .filter(entry -> entry.get(Field.SUBTYPE) == DiscoveryLogEntry.SUBTYPE_NVM)
                .filter(entry -> entry.get(Field.TRTYPE) == target.transport().trtype())
                .map(DiscoveryLogEntry::subsystemNqn)
                .distinct()
                .toList();
    }

    private static void addRows(Controller controller, HostOptions target, List<Row> rows) {
        for (long nsid : controller.activeNamespaces()) {
            Namespace namespace = controller.namespace(nsid);
            rows.add(new Row(
                    new NamespaceUri(target.transport(), target.address(), controller.subsystemNqn(), nsid),
                    controller.identify(),
                    namespace.sizeBytes(),
                    namespace.blockSizeBytes(),
                    controller.namespaceDescriptors(nsid).uuid()));
        }
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
