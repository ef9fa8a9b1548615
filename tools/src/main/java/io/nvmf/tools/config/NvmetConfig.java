package io.nvmf.tools.config;

import static io.nvmf.tools.config.UnusedKey.HARMLESS;
import static io.nvmf.tools.config.UnusedKey.refuseSecret;
import static io.nvmf.tools.config.UnusedKey.refuseUnless;
import static io.nvmf.tools.config.UnusedKey.warnUnless;

import io.nvmf.codec.Nqn;
import io.nvmf.target.config.DiscoveryConfig;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.RdmaConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.tools.CommandException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The JSON that {@code nvmetcli save} writes: {@code hosts}, {@code ports} and {@code subsystems}, with the names and
 * values of the Linux target's configfs. What the format has no word for stands in {@code nvmf4j} objects, which
 * nvmetcli passes over: limits in one at the top, the kind of storage in one of a namespace.
 */
public final class NvmetConfig {
    private static final String NO_AUTHENTICATION = "authentication is not supported, so the host would get in without";
    private static final Map<String, UnusedKey> DHCHAP = Map.of(
            "key",
            refuseSecret(NO_AUTHENTICATION),
            "ctrl_key",
            refuseSecret(NO_AUTHENTICATION),
            "hash",
            HARMLESS,
            "dhgroup",
            HARMLESS);
    private static final Map<String, UnusedKey> SUBSYSTEM = Map.ofEntries(
            Map.entry("version", warnUnless("controllers report version 2.0", "2.0", "2.0.0")),
            Map.entry("firmware", warnUnless("controllers report the version of this program", "")),
            Map.entry("cntlid_min", warnUnless("controller IDs start at 1", "1")),
            Map.entry("cntlid_max", warnUnless("controller IDs go up to 65519", "65519")),
            Map.entry("pi_enable", warnUnless("protection information is not supported", "0")),
            Map.entry("qid_max", warnUnless("set nvmf4j.limits.io_queues instead", "128")),
            Map.entry("ieee_oui", warnUnless("no OUI is reported", "0x000000", "0x0", "0")),
            Map.entry("vendor_id", warnUnless("no vendor ID is reported", "0x0", "0")),
            Map.entry("subsys_vendor_id", warnUnless("no vendor ID is reported", "0x0", "0")));
    private static final UnusedKey PASSTHRU_ENABLE =
            refuseUnless("passing commands through to a controller is not supported", "0", "false");

    private final ConfigFile file;
    private final List<SubsystemPlan> subsystems = new ArrayList<>();
    private final List<ListenerConfig> listeners = new ArrayList<>();
    private final PortReader ports;

    private NvmetConfig(ConfigFile file) {
        this.file = file;
        this.ports = new PortReader(file);
    }

    /**
     * Reads a file.
     *
     * @param mayBeEmpty whether it need not have a subsystem or port, because they may come while the target runs
     */
    public static TargetPlan read(Path path, boolean mayBeEmpty) throws IOException, CommandException {
        return parse(path.toString(), ConfigFile.readText(path), mayBeEmpty);
    }

    /**
     * Reads the text of a file.
     *
     * @param name of the file, for errors
     */
    static TargetPlan parse(String name, String json, boolean mayBeEmpty) throws CommandException {
        ConfigFile file = new ConfigFile(name);
        return new NvmetConfig(file).plan(file.parse(json), mayBeEmpty);
    }

    private TargetPlan plan(ConfigObject root, boolean mayBeEmpty) throws CommandException {
        root.check(Set.of("hosts", "ports", "subsystems", "discovery", "nvmf4j"), Map.of());
        Set<String> hosts = readHosts(root);
        NamespaceReader namespaces = new NamespaceReader(file);
        for (ConfigObject subsystem : root.objects("subsystems")) {
            subsystems.add(readSubsystem(subsystem, hosts, namespaces));
        }
        Set<String> nqns = new HashSet<>();
        for (SubsystemPlan subsystem : subsystems) {
            if (!nqns.add(subsystem.nqn())) {
                throw file.problem("subsystems", "has two called " + subsystem.nqn());
            }
        }
        for (ConfigObject port : root.objects("ports")) {
            listeners.add(ports.read(port, nqns));
        }
        if (!mayBeEmpty) {
            requireSomething();
        }
        warnOfWhatCannotBeReached();
        ConfigObject own = root.object("nvmf4j");
        own.check(Set.of("limits"), Map.of());
        ConfigObject limits = own.object("limits");
        TargetLimits targetLimits = LimitsReader.read(limits, ports);
        RdmaConfig rdma = LimitsReader.readRdma(limits, ports);
        if (!TargetPlan.usesRdma(listeners)) {
            LimitsReader.warnWithoutRdma(limits, file);
        }
        return new TargetPlan(listeners, subsystems, discovery(root), targetLimits, rdma, file.warnings());
    }

    private DiscoveryConfig discovery(ConfigObject root) throws CommandException {
        ConfigObject discovery = root.object("discovery");
        discovery.check(Set.of("nqn"), Map.of());
        try {
            return new DiscoveryConfig(nonEmpty(discovery.text("nqn")).orElse(Nqn.DISCOVERY), ports.referrals());
        } catch (IllegalArgumentException e) {
            throw discovery.problem("nqn", "cannot be served: " + e.getMessage());
        }
    }

    private Set<String> readHosts(ConfigObject root) throws CommandException {
        Set<String> hosts = new HashSet<>();
        for (ConfigObject host : root.objects("hosts")) {
            host.check(Set.of("nqn", "dhchap"), Map.of());
            host.object("dhchap").check(Set.of(), DHCHAP);
            hosts.add(host.requiredText("nqn"));
        }
        return hosts;
    }

    private SubsystemPlan readSubsystem(ConfigObject subsystem, Set<String> hosts, NamespaceReader namespaces)
            throws CommandException {
        subsystem.check(Set.of("nqn", "attr", "allowed_hosts", "namespaces", "passthru", "nvmf4j"), Map.of());
        for (ConfigObject passthru : subsystem.objects("passthru")) {
            passthru.check(
                    Set.of("device", "clear_ids", "admin_timeout", "io_timeout"), Map.of("enable", PASSTHRU_ENABLE));
        }
        ConfigObject attributes = subsystem.object("attr");
        attributes.check(Set.of("allow_any_host", "serial", "model"), SUBSYSTEM);
        String nqn = subsystem.requiredText("nqn");
        List<String> allowed = subsystem.texts("allowed_hosts");
        for (int i = 0; i < allowed.size(); i++) {
            if (!hosts.contains(allowed.get(i))) {
                throw subsystem.problem(
                        "allowed_hosts[" + i + "]", "names " + allowed.get(i) + ", which is not in hosts");
            }
        }
        try {
            return new SubsystemPlan(
                            nqn,
                            nonEmpty(attributes.text("serial")),
                            nonEmpty(attributes.text("model")),
                            attributes.flag("allow_any_host", false),
                            Set.copyOf(allowed),
                            namespaces.read(subsystem))
                    .withMaxNamespaces(maxNamespaces(subsystem));
        } catch (IllegalArgumentException e) {
            throw subsystem.problem("nqn", "cannot be served: " + e.getMessage());
        }
    }

    private static OptionalInt maxNamespaces(ConfigObject subsystem) throws CommandException {
        ConfigObject own = subsystem.object("nvmf4j");
        own.check(Set.of("max_namespaces"), Map.of());
        return own.has("max_namespaces")
                ? OptionalInt.of((int) own.number("max_namespaces", 1, TargetLimits.MAX_NSID))
                : OptionalInt.empty();
    }

    private static Optional<String> nonEmpty(Optional<String> text) {
        return text.filter(value -> !value.isEmpty());
    }

    private void requireSomething() throws CommandException {
        if (subsystems.isEmpty()) {
            throw file.problem("subsystems", "has no subsystem, there is nothing to serve");
        }
        if (listeners.isEmpty()) {
            throw file.problem("ports", "has no port, no host could connect");
        }
    }

    private void warnOfWhatCannotBeReached() {
        for (SubsystemPlan subsystem : subsystems) {
            if (listeners.stream().noneMatch(listener -> listener.subsystems().contains(subsystem.nqn()))) {
                file.warn("subsystems", "has " + subsystem.nqn() + " on no port, no host can reach it");
            }
            if (!subsystem.allowAnyHost() && subsystem.allowedHosts().isEmpty()) {
                file.warn("subsystems", "has " + subsystem.nqn() + " with no allowed host, no host may connect");
            }
        }
    }
}
