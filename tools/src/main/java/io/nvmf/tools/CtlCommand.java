package io.nvmf.tools;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.nvmf.tools.output.Json;
import io.nvmf.tools.rpc.RpcClient;
import io.nvmf.tools.rpc.RpcException;
import io.nvmf.tools.rpc.TargetMethods;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.cli.Options;

/** {@code nvmf ctl}: changes and shows what a running target serves. */
final class CtlCommand implements Command {
    static final String DEFAULT_SOCKET = "/var/tmp/nvmf.sock";

    private static final String SOCKET = "socket";
    private static final String LIST = "list";
    private static final Set<String> ADDRESS = Set.of("trtype", "adrfam", "traddr", "trsvcid");
    /** What may be left out before some keys of some methods, as it is with the options of SPDK's rpc.py. */
    private static final Map<String, Inner> INNER = Map.of(
            "nvmf_subsystem_add_ns",
            new Inner("namespace", Set.of("bdev_name", "nsid", "nguid", "eui64", "uuid", "anagrpid", "ptpl_file")),
            "nvmf_subsystem_add_listener",
            new Inner("listen_address", ADDRESS),
            "nvmf_subsystem_remove_listener",
            new Inner("listen_address", ADDRESS),
            "nvmf_subsystem_listener_set_ana_state",
            new Inner("listen_address", ADDRESS),
            "nvmf_discovery_add_referral",
            new Inner("address", ADDRESS),
            "nvmf_discovery_remove_referral",
            new Inner("address", ADDRESS));

    private static final Inner NONE = new Inner("", Set.of());

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** An object in an object of parameters, and its keys. */
    private record Inner(String name, Set<String> keys) {
        String pathOf(String key) {
            return keys.contains(key) ? name + "." + key : key;
        }
    }

    @Override
    public String name() {
        return "ctl";
    }

    @Override
    public String summary() {
        return "change what a running target serves";
    }

    @Override
    public String arguments() {
        return "METHOD [KEY=VALUE... | JSON]";
    }

    @Override
    public List<String> firstWords() {
        List<String> words = new ArrayList<>(TargetMethods.NAMES);
        words.add(LIST);
        return words;
    }

    @Override
    public List<String> details() {
        return List.of(
                "The target must have been started with --rpc-socket. It speaks JSON-RPC 2.0, with SPDK's names for",
                "methods and parameters; nvmf ctl list shows the methods. Parameters are one JSON object, or KEY=VALUE",
                "words, with a dot between a name and one inside it; namespace. and address. before it may be left out.",
                "bdev_name is what nvmf target --namespace takes; paths begin at /.",
                "nvmf_subsystem_resize_ns takes a size, or without one the length that a file has now; save_config",
                "writes the file of --config, or the one in filename, so that a restart serves the same.");
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf ctl list",
                "nvmf ctl nvmf_get_subsystems",
                "nvmf ctl nvmf_create_subsystem nqn=nqn.2026-01.com.example:disk allow_any_host=true",
                "nvmf ctl nvmf_subsystem_add_ns nqn=nqn.2026-01.com.example:disk \\",
                "         bdev_name=file:/var/lib/disk.img,size=10g",
                "nvmf ctl nvmf_subsystem_add_listener nqn=nqn.2026-01.com.example:disk \\",
                "         trtype=tcp traddr=0.0.0.0 trsvcid=4420",
                "nvmf ctl -s /run/nvmf.sock nvmf_delete_subsystem '{\"nqn\": \"nqn.2026-01.com.example:disk\"}'",
                "nvmf ctl save_config");
    }

    @Override
    public Options options() {
        return new Options()
                .addOption(CommonOptions.value(
                        "s", SOCKET, "PATH", "the target's socket (default " + DEFAULT_SOCKET + ")"));
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        List<String> words = arguments.words();
        if (words.isEmpty()) {
            throw new UsageException("no method named: nvmf ctl list shows those there are");
        }
        String method = words.get(0).equals(LIST) ? "rpc_get_methods" : words.get(0);
        ObjectNode params = params(INNER.getOrDefault(method, NONE), words.subList(1, words.size()));
        try (RpcClient client = RpcClient.connect(Path.of(arguments.text(SOCKET, DEFAULT_SOCKET)))) {
            JsonNode result = client.call(method, params);
            if (words.get(0).equals(LIST)) {
                result.forEach(name -> console.out().println(name.asText()));
            } else {
                Json.print(console.out(), result);
            }
            return Nvmf.SUCCESS;
        } catch (RpcException e) {
            throw new CommandException(e.getMessage() + " (" + e.code() + ")", e);
        }
    }

    private static ObjectNode params(Inner inner, List<String> words) throws UsageException {
        if (words.size() == 1 && words.get(0).startsWith("{")) {
            JsonNode node = json(words.get(0));
            if (node instanceof ObjectNode object) {
                return object;
            }
            throw new UsageException("'" + words.get(0) + "' is no JSON object");
        }
        ObjectNode params = Json.object();
        for (String word : words) {
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw new UsageException("'" + word + "' is neither KEY=VALUE nor a JSON object");
            }
            String path = inner.pathOf(word.substring(0, equals));
            put(params, word, path.split("\\.", -1), value(word.substring(equals + 1)));
        }
        return params;
    }

    private static void put(ObjectNode params, String word, String[] path, JsonNode value) throws UsageException {
        ObjectNode at = params;
        for (int i = 0; i < path.length - 1; i++) {
            JsonNode below = at.has(path[i]) ? at.get(path[i]) : at.putObject(path[i]);
            if (!(below instanceof ObjectNode)) {
                throw new UsageException("'" + word + "' gives " + path[i] + " a second value");
            }
            at = (ObjectNode) below;
        }
        if (at.has(path[path.length - 1])) {
            throw new UsageException("'" + word + "' gives a second value");
        }
        at.set(path[path.length - 1], value);
    }

    /** A number, true, false, null, or an array or object; else a text. */
    private static JsonNode value(String text) {
        JsonNode node = json(text);
        return node == null || node.isTextual() || node.isMissingNode() ? TextNode.valueOf(text) : node;
    }

    /** Null when it is no JSON. */
    private static JsonNode json(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            return null;
        }
    }
}
