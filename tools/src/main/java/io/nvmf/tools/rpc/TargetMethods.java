package io.nvmf.tools.rpc;

import static io.nvmf.tools.rpc.Params.NQN;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.target.ControllerReport;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.namespace.IoCounts;
import io.nvmf.target.queue.QueueReport;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.UsageException;
import io.nvmf.tools.config.ConfigObject;
import io.nvmf.tools.config.NvmetWriter;
import io.nvmf.tools.config.UnusedKey;
import io.nvmf.tools.output.Json;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** All methods of a running target. */
public final class TargetMethods {
    /** What they are called, in the order of the alphabet, for who has no target. */
    public static final List<String> NAMES = List.of(
            "nvmf_create_subsystem",
            "nvmf_delete_subsystem",
            "nvmf_discovery_add_referral",
            "nvmf_discovery_get_referrals",
            "nvmf_discovery_remove_referral",
            "nvmf_get_stats",
            "nvmf_get_subsystems",
            "nvmf_subsystem_add_host",
            "nvmf_subsystem_add_listener",
            "nvmf_subsystem_add_ns",
            "nvmf_subsystem_allow_any_host",
            "nvmf_subsystem_get_controllers",
            "nvmf_subsystem_get_listeners",
            "nvmf_subsystem_get_qpairs",
            "nvmf_subsystem_listener_set_ana_state",
            "nvmf_subsystem_remove_host",
            "nvmf_subsystem_remove_listener",
            "nvmf_subsystem_remove_ns",
            "nvmf_subsystem_resize_ns",
            "nvmf_subsystem_set_ns_ana_group",
            "rpc_get_methods",
            "save_config");

    private final NvmfTarget target;
    private final Optional<Path> configFile;
    private final Map<String, RpcMethod> table = new TreeMap<>();

    /** @param configFile where the target was configured, to save what has become of it */
    public TargetMethods(NvmfTarget target, Optional<Path> configFile) {
        this.target = target;
        this.configFile = configFile;
        new SubsystemMethods(target.administration()).addTo(table);
        new ListenerMethods(target.administration()).addTo(table);
        table.put("rpc_get_methods", this::getMethods);
        table.put("nvmf_subsystem_get_controllers", this::getControllers);
        table.put("nvmf_subsystem_get_qpairs", this::getQueues);
        table.put("nvmf_get_stats", this::getStats);
        table.put("save_config", this::saveConfig);
    }

    /** Methods by name. */
    Map<String, RpcMethod> table() {
        return table;
    }

    private JsonNode getMethods(ConfigObject params) throws CommandException {
        params.check(Set.of(), Map.of("current", UnusedKey.HARMLESS, "include_aliases", UnusedKey.HARMLESS));
        ArrayNode names = JsonNodeFactory.instance.arrayNode();
        table.keySet().forEach(names::add);
        return names;
    }

    private JsonNode getControllers(ConfigObject params) throws CommandException {
        Params.check(params, NQN);
        List<QueueReport> queues = target.queues();
        ArrayNode shown = JsonNodeFactory.instance.arrayNode();
        for (ControllerReport controller : target.administration().controllers(params.requiredText(NQN))) {
            long ioQueues = queues.stream()
                    .filter(queue -> queue.controllerId() == controller.controllerId() && queue.queueId() != 0)
                    .count();
            shown.addObject()
                    .put("cntlid", controller.controllerId())
                    .put("hostnqn", controller.hostNqn())
                    .put("hostid", controller.hostId().toString())
                    .put("num_io_qpairs", ioQueues);
        }
        return shown;
    }

    private JsonNode getQueues(ConfigObject params) throws CommandException {
        Params.check(params, NQN);
        String nqn = params.requiredText(NQN);
        ArrayNode shown = JsonNodeFactory.instance.arrayNode();
        for (ControllerReport controller : target.administration().controllers(nqn)) {
            for (QueueReport queue : target.queues()) {
                if (queue.controllerId() == controller.controllerId()) {
                    shown.addObject()
                            .put("cntlid", queue.controllerId())
                            .put("qid", queue.queueId())
                            .put("state", "enabled")
                            .put("hostnqn", controller.hostNqn())
                            .put("trtype", queue.transport().toString())
                            .put("peer", queue.peer());
                }
            }
        }
        return shown;
    }

    /** One poll group stands for all event loops. */
    private JsonNode getStats(ConfigObject params) throws CommandException {
        Params.check(params);
        List<QueueReport> queues = target.queues();
        long adminQueues = queues.stream().filter(queue -> queue.queueId() == 0).count();
        ObjectNode shown = Json.object().put("tick_rate", 1_000_000_000L);
        ObjectNode group = shown.putArray("poll_groups").addObject();
        group.put("name", "nvmf_target")
                .put("current_admin_qpairs", adminQueues)
                .put("current_io_qpairs", queues.size() - adminQueues);
        ArrayNode transports = group.putArray("transports");
        target.listeners().stream()
                .map(listener -> listener.transport().toString())
                .distinct()
                .forEach(name -> transports.addObject().put("trtype", name.toUpperCase(Locale.ROOT)));
        ArrayNode subsystems = shown.putArray("subsystems");
        for (SubsystemConfig subsystem : target.administration().subsystems()) {
            addCounts(subsystem, subsystems.addObject());
        }
        return shown;
    }

    /** Under the names of SPDK's bdev_get_iostat. */
    private void addCounts(SubsystemConfig subsystem, ObjectNode shown) {
        putCounts(shown.put("nqn", subsystem.nqn()), target.administration().ioCounts(subsystem.nqn()));
        ArrayNode namespaces = shown.putArray("namespaces");
        for (NamespaceConfig namespace : subsystem.namespaces()) {
            putCounts(
                    namespaces.addObject().put("nsid", namespace.nsid()),
                    target.administration().ioCounts(subsystem.nqn(), namespace.nsid()));
        }
    }

    private static void putCounts(ObjectNode shown, IoCounts counts) {
        shown.put("num_read_ops", counts.readCommands())
                .put("bytes_read", counts.readBytes())
                .put("num_write_ops", counts.writeCommands())
                .put("bytes_written", counts.writtenBytes())
                .put("media_errors", counts.mediaErrors());
    }

    private JsonNode saveConfig(ConfigObject params) throws CommandException, IOException {
        params.check(Set.of("filename"), Map.of());
        Optional<String> name = params.text("filename");
        try {
            Path file = name.isPresent()
                    ? Path.of(name.get())
                    : configFile.orElseThrow(() ->
                            new UsageException("the target was started without --config: say where with filename"));
            if (name.isPresent()) {
                Params.requireAbsolute(params, "filename", file);
            }
            NvmetWriter.write(file, target.administration().config());
        } catch (InvalidPathException e) {
            throw params.problem("filename", "is no path: " + e.getReason());
        }
        return BooleanNode.TRUE;
    }
}
