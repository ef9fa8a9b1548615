package io.nvmf.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.identify.NamespaceDescriptors;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.tools.output.Json;
import io.nvmf.tools.output.NamespaceFields;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf id-ns}: Identify Namespace, and the namespace's UUID. */
final class IdNsCommand implements Command {
    @Override
    public String name() {
        return "id-ns";
    }

    @Override
    public String summary() {
        return "show size, format and identifiers of a namespace (Identify Namespace)";
    }

    @Override
    public String arguments() {
        return HostOptions.URI;
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf id-ns -t tcp -a 192.0.2.1 -s 4420 -n nqn.2026-01.io.nvmf:target --namespace-id 1",
                "nvmf id-ns nvmf-tcp://192.0.2.1:4420/nqn.2026-01.io.nvmf:target/1 -o json");
    }

    @Override
    public Options options() {
        Options options = new Options();
        HostOptions.addAddress(options);
        HostOptions.addSubsystem(options);
        HostOptions.addNamespace(options);
        return options.addOption(CommonOptions.outputFormat());
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        OutputFormat format = arguments.outputFormat();
        HostOptions target = HostOptions.read(arguments);
        Namespace namespace;
        NamespaceDescriptors descriptors;
        try (NvmfHost host = target.openHost(console)) {
            Controller controller = target.connect(host, target.connectAdmin());
            namespace = Namespaces.choose(controller, target.nsid());
            descriptors = controller.namespaceDescriptors(namespace.nsid());
        }
        if (format == OutputFormat.JSON) {
            ObjectNode json = NamespaceFields.toJson(namespace.identify());
            Json.print(console.out(), json.put("uuid", descriptors.uuid().toString()));
        } else {
            console.out().println("NVME Identify Namespace " + namespace.nsid() + ":");
            NamespaceFields.print(console.out(), namespace.identify());
            console.out().println("uuid      : " + descriptors.uuid());
        }
        return Nvmf.SUCCESS;
    }
}
