package io.nvmf.tools;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.discovery.DiscoveryResult;
import io.nvmf.tools.output.DiscoveryFields;
import io.nvmf.tools.output.Json;
import java.io.PrintStream;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf discover}: what the discovery controller at an address knows. */
final class DiscoverCommand implements Command {
    @Override
    public String name() {
        return "discover";
    }

    @Override
    public String summary() {
        return "list the subsystems that a target offers to this host";
    }

    @Override
    public String arguments() {
        return "[nvmf-tcp|rdma://HOST:PORT]";
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf discover -t tcp -a 192.0.2.1 -s 4420",
                "nvmf discover -t rdma -a 192.0.2.1",
                "nvmf discover nvmf-tcp://[::1]:4420 -o json");
    }

    @Override
    public Options options() {
        Options options = new Options();
        HostOptions.addAddress(options);
        return options.addOption(CommonOptions.outputFormat());
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        OutputFormat format = arguments.outputFormat();
        HostOptions target = HostOptions.read(arguments);
        if (target.subsystemNqn().isPresent()) {
            throw new UsageException("discovery asks a whole target: end the URI after HOST:PORT");
        }
        DiscoveryResult result;
        try (NvmfHost host = target.openHost(console)) {
            result = host.discover(target.connectDiscovery());
        }
        if (format == OutputFormat.JSON) {
            Json.print(console.out(), toJson(result));
        } else {
            print(result, console.out());
        }
        return Nvmf.SUCCESS;
    }

    private static void print(DiscoveryResult result, PrintStream out) {
        int count = result.entries().size();
        out.println();
        out.println("Discovery Log Number of Records " + count + ", Generation counter "
                + Long.toUnsignedString(result.generation()));
        for (int i = 0; i < count; i++) {
            out.println("=====Discovery Log Entry " + i + "======");
            DiscoveryFields.of(result.entries().get(i)).printList(out);
        }
    }

    private static ObjectNode toJson(DiscoveryResult result) {
        ObjectNode json = Json.object().put("genctr", result.generation());
        ArrayNode records = json.putArray("records");
        for (DiscoveryLogEntry entry : result.entries()) {
            records.add(DiscoveryFields.of(entry).toJson());
        }
        return json;
    }
}
