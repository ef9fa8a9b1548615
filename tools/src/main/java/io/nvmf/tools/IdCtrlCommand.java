package io.nvmf.tools;

import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.tools.output.ControllerFields;
import io.nvmf.tools.output.Fields;
import io.nvmf.tools.output.Json;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf id-ctrl}: Identify Controller. */
final class IdCtrlCommand implements Command {
    @Override
    public String name() {
        return "id-ctrl";
    }

    @Override
    public String summary() {
        return "show what a controller says of itself (Identify Controller)";
    }

    @Override
    public String arguments() {
        return "[nvmf-tcp|rdma://HOST:PORT/SUBNQN]";
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf id-ctrl -t tcp -a 192.0.2.1 -s 4420 -n nqn.2026-01.io.nvmf:target",
                "nvmf id-ctrl nvmf-tcp://192.0.2.1:4420/nqn.2026-01.io.nvmf:target -o json");
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
        IdentifyController controller;
        try (NvmfHost host = target.openHost(console)) {
            controller = target.connect(host, target.connectAdmin()).identify();
        }
        Fields fields = ControllerFields.of(controller);
        if (format == OutputFormat.JSON) {
            Json.print(console.out(), fields.toJson());
        } else {
            console.out().println("NVME Identify Controller:");
            fields.print(console.out());
        }
        return Nvmf.SUCCESS;
    }
}
