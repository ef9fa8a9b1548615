package io.nvmf.tools.rpc;

import static io.nvmf.tools.rpc.Params.HOST;
import static io.nvmf.tools.rpc.Params.NQN;
import static io.nvmf.tools.rpc.Params.NSID;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.target.Administration;
import io.nvmf.target.config.AnaGroups;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.Sizes;
import io.nvmf.tools.config.Backing;
import io.nvmf.tools.config.ConfigObject;
import io.nvmf.tools.config.Identifiers;
import io.nvmf.tools.config.NamespaceFlag;
import io.nvmf.tools.config.NamespacePlan;
import io.nvmf.tools.config.SubsystemPlan;
import io.nvmf.tools.config.UnusedKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Subsystems, their namespaces, and the hosts that may connect. */
final class SubsystemMethods {
    private static final String ALLOW_ANY_HOST = "allow_any_host";
    private static final String BDEV_NAME = "bdev_name";
    private static final String MAX_NAMESPACES = "max_namespaces";
    private static final Map<String, UnusedKey> SUBSYSTEM = Map.of(
            // ANA is always reported: who takes no notice of it loses nothing.
            "ana_reporting", UnusedKey.HARMLESS,
            "dmrsl", UnusedKey.refuseUnless("what one Deallocate may cover is not chosen", "0"),
            "wzsl", UnusedKey.refuseUnless("what one Write Zeroes may cover is not chosen", "0"),
            "min_cntlid", UnusedKey.refuseUnless("controller IDs start at 1", "1"),
            "max_cntlid", UnusedKey.refuseUnless("controller IDs go up to 65519", "65519"),
            "passthrough", UnusedKey.refuseUnless("commands are not passed through", "false"),
            "enable_nssr", UnusedKey.refuseUnless("subsystem reset is not supported", "false"),
            "admin_label", UnusedKey.refuseUnless("there are no labels", ""));
    private static final Map<String, UnusedKey> NAMESPACE = Map.of(
            "eui64", UnusedKey.refuseUnless("there is no EUI-64: give nguid or uuid", ""),
            "no_auto_visible", UnusedKey.refuseUnless("a namespace is visible to every host", "false"),
            // There is none.
            "hide_metadata", UnusedKey.HARMLESS);

    private final Administration administration;

    SubsystemMethods(Administration administration) {
        this.administration = administration;
    }

    void addTo(Map<String, RpcMethod> table) {
        table.put("nvmf_get_subsystems", this::getSubsystems);
        table.put("nvmf_create_subsystem", this::createSubsystem);
        table.put("nvmf_delete_subsystem", this::deleteSubsystem);
        table.put("nvmf_subsystem_add_ns", this::addNamespace);
        table.put("nvmf_subsystem_remove_ns", this::removeNamespace);
        table.put("nvmf_subsystem_resize_ns", this::resizeNamespace);
        table.put("nvmf_subsystem_set_ns_ana_group", this::setAnaGroup);
        table.put("nvmf_subsystem_add_host", this::addHost);
        table.put("nvmf_subsystem_remove_host", this::removeHost);
        table.put("nvmf_subsystem_allow_any_host", this::allowAnyHost);
    }

    private JsonNode getSubsystems(ConfigObject params) throws CommandException {
        Params.check(params, NQN);
        Optional<String> wanted = params.text(NQN);
        ArrayNode shown = JsonNodeFactory.instance.arrayNode();
        String discovery = administration.config().discovery().nqn();
        if (wanted.isEmpty() || wanted.get().equals(discovery)) {
            shown.add(Shown.discovery(discovery, administration.listeners()));
        }
        for (SubsystemConfig subsystem : administration.subsystems()) {
            if (wanted.isEmpty() || wanted.get().equals(subsystem.nqn())) {
                shown.add(Shown.subsystem(
                        subsystem,
                        administration.listeners().stream()
                                .filter(listener -> listener.port(subsystem.nqn()) != null)
                                .toList()));
            }
        }
        if (wanted.isPresent() && shown.isEmpty()) {
            throw new IllegalArgumentException("there is no subsystem " + wanted.get());
        }
        return shown;
    }

    private JsonNode createSubsystem(ConfigObject params) throws CommandException {
        Params.check(params, Set.of(NQN, "serial_number", "model_number", ALLOW_ANY_HOST, MAX_NAMESPACES), SUBSYSTEM);
        SubsystemPlan plan = new SubsystemPlan(
                        params.requiredText(NQN),
                        params.text("serial_number"),
                        params.text("model_number"),
                        params.flag(ALLOW_ANY_HOST, false),
                        Set.of(),
                        List.of())
                .withMaxNamespaces(maxNamespaces(params));
        administration.createSubsystem(plan.open());
        return BooleanNode.TRUE;
    }

    /** 0 leaves the choice to the target. */
    private static OptionalInt maxNamespaces(ConfigObject params) throws CommandException {
        int max = params.has(MAX_NAMESPACES) ? (int) params.number(MAX_NAMESPACES, 0, TargetLimits.MAX_NSID) : 0;
        return max == 0 ? OptionalInt.empty() : OptionalInt.of(max);
    }

    private JsonNode deleteSubsystem(ConfigObject params) throws CommandException {
        Params.check(params, NQN);
        administration.deleteSubsystem(params.requiredText(NQN));
        return BooleanNode.TRUE;
    }

    /** The name of a bdev is what {@code nvmf target --namespace} takes: {@code file:/path,size=1g}, {@code memory:1g}. */
    private JsonNode addNamespace(ConfigObject params) throws CommandException, IOException {
        Params.check(params, NQN, "namespace");
        String nqn = params.requiredText(NQN);
        ConfigObject wanted = params.object("namespace");
        wanted.check(Set.of(BDEV_NAME, NSID, "nguid", "uuid", "anagrpid", "ptpl_file"), NAMESPACE);
        SubsystemConfig subsystem = subsystem(nqn);
        long nsid = wanted.has(NSID) ? wanted.number(NSID, 1, TargetLimits.MAX_NSID) : freeNsid(subsystem);
        requireRoom(subsystem, nsid);
        NamespacePlan plan = NamespaceFlag.parse("namespace.bdev_name", nsid, wanted.requiredText(BDEV_NAME));
        if (plan.backing() instanceof Backing.InFile file) {
            Params.requireAbsolute(wanted, BDEV_NAME, file.path());
        }
        Optional<UUID> uuid = plan.uuid();
        if (wanted.has("uuid")) {
            uuid = Optional.of(Identifiers.uuid("uuid", wanted.requiredText("uuid")));
        }
        Optional<Nguid> nguid = plan.nguid();
        if (wanted.has("nguid")) {
            nguid = Optional.of(Nguid.parse(wanted.requiredText("nguid")));
        }
        Optional<Path> ptpl = wanted.text("ptpl_file")
                .filter(text -> !text.isEmpty())
                .map(Path::of)
                .or(plan::ptplFile);
        if (ptpl.isPresent()) {
            Params.requireAbsolute(wanted, "ptpl_file", ptpl.get());
        }
        int group = wanted.has("anagrpid") ? (int) wanted.number("anagrpid", 1, AnaGroups.MAX) : AnaGroups.DEFAULT;
        NamespaceConfig opened = new NamespacePlan(nsid, plan.backing(), plan.blockSizeBytes(), uuid, nguid)
                .inAnaGroup(group)
                .withPtplFile(ptpl)
                .open(nqn);
        try {
            administration.addNamespace(nqn, opened);
        } catch (IllegalArgumentException | IllegalStateException e) {
            opened.discard();
            throw e;
        }
        return LongNode.valueOf(nsid);
    }

    private SubsystemConfig subsystem(String nqn) {
        return administration.subsystems().stream()
                .filter(subsystem -> subsystem.nqn().equals(nqn))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no subsystem " + nqn));
    }

    private static long freeNsid(SubsystemConfig subsystem) {
        Set<Long> taken =
                subsystem.namespaces().stream().map(NamespaceConfig::nsid).collect(Collectors.toSet());
        long nsid = 1;
        while (taken.contains(nsid)) {
            nsid++;
        }
        return nsid;
    }

    /** Before a file is created for it. */
    private static void requireRoom(SubsystemConfig subsystem, long nsid) {
        if (subsystem.namespaces().size() >= subsystem.maxNamespaces()) {
            throw new IllegalArgumentException("subsystem " + subsystem.nqn() + " has "
                    + subsystem.namespaces().size() + " namespaces, as many as it may have");
        }
        if (subsystem.namespaces().stream().anyMatch(namespace -> namespace.nsid() == nsid)) {
            throw new IllegalArgumentException(
                    "subsystem " + subsystem.nqn() + " has a namespace " + nsid + " already");
        }
    }

    private JsonNode removeNamespace(ConfigObject params) throws CommandException {
        Params.check(params, NQN, NSID);
        administration.removeNamespace(params.requiredText(NQN), nsid(params));
        return BooleanNode.TRUE;
    }

    /** Without a size, the length that a file or disk has now. */
    private JsonNode resizeNamespace(ConfigObject params) throws CommandException, IOException {
        Params.check(params, NQN, NSID, "size");
        Optional<String> size = params.text("size");
        long bytes = size.isPresent() ? Sizes.parse("size", size.get()) : 0;
        if (size.isPresent() && bytes == 0) {
            throw params.problem("size", "is 0");
        }
        administration.resizeNamespace(params.requiredText(NQN), nsid(params), bytes);
        return BooleanNode.TRUE;
    }

    private JsonNode setAnaGroup(ConfigObject params) throws CommandException {
        Params.check(params, NQN, NSID, "anagrpid");
        int group = (int) params.number("anagrpid", 1, AnaGroups.MAX);
        administration.moveNamespace(params.requiredText(NQN), nsid(params), group);
        return BooleanNode.TRUE;
    }

    private static long nsid(ConfigObject params) throws CommandException {
        return params.number(NSID, 1, 0xFFFF_FFFEL);
    }

    private JsonNode addHost(ConfigObject params) throws CommandException {
        UnusedKey noAuthentication = UnusedKey.refuseUnless("authentication is not supported", "");
        Params.check(
                params,
                Set.of(NQN, HOST),
                Map.of("psk", noAuthentication, "dhchap_key", noAuthentication, "dhchap_ctrlr_key", noAuthentication));
        administration.addHost(params.requiredText(NQN), params.requiredText(HOST));
        return BooleanNode.TRUE;
    }

    private JsonNode removeHost(ConfigObject params) throws CommandException {
        Params.check(params, NQN, HOST);
        administration.removeHost(params.requiredText(NQN), params.requiredText(HOST));
        return BooleanNode.TRUE;
    }

    /** The word was {@code disable} in SPDK's older versions. */
    private JsonNode allowAnyHost(ConfigObject params) throws CommandException {
        Params.check(params, NQN, ALLOW_ANY_HOST, "disable");
        boolean any = params.flag(ALLOW_ANY_HOST, !params.flag("disable", false));
        administration.allowAnyHost(params.requiredText(NQN), any);
        return BooleanNode.TRUE;
    }
}
