package io.nvmf.tools.config;

import static io.nvmf.tools.config.UnusedKey.HARMLESS;
import static io.nvmf.tools.config.UnusedKey.refuseUnless;
import static io.nvmf.tools.config.UnusedKey.warnUnless;

import io.netty.util.NetUtil;
import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.config.AnaGroups;
import io.nvmf.target.config.AnaState;
import io.nvmf.target.config.InCapsuleDataSize;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.tools.CommandException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** Reads the {@code ports} of nvmetcli's format, and keeps what they say about limits, which here hold for all ports. */
final class PortReader {
    private static final String NO_TLS = "TLS is not supported, so the data would travel in the clear";
    private static final Map<String, UnusedKey> TCP_ADDRESS = addressKeys(refuseUnless(NO_TLS, "none", ""));
    private static final Map<String, UnusedKey> RDMA_ADDRESS =
            addressKeys(refuseUnless("there are only reliable connections", "connected", "none", ""));
    private static final Map<String, UnusedKey> PARAMETERS = Map.of(
            "pi_enable", warnUnless("protection information is not supported", "0"),
            "mdts", warnUnless("set nvmf4j.limits.max_io_size instead", "0"));

    private final ConfigFile file;
    private final Set<Integer> portIds = new HashSet<>();
    private final Map<TransportType, Set<Long>> inlineDataSizes = new EnumMap<>(TransportType.class);
    private final Set<Long> queueSizes = new TreeSet<>();
    private final Set<ReferralConfig> referrals = new LinkedHashSet<>();

    PortReader(ConfigFile file) {
        this.file = file;
        for (TransportType transport : TransportType.values()) {
            inlineDataSizes.put(transport, new TreeSet<>());
        }
    }

    private static Map<String, UnusedKey> addressKeys(UnusedKey tsas) {
        return Map.of(
                "treq", refuseUnless(NO_TLS, "not specified", "not required", ""), "tsas", tsas, "portid", HARMLESS);
    }

    /**
     * Reads one port.
     *
     * @param subsystems NQNs that it may name
     */
    ListenerConfig read(ConfigObject port, Set<String> subsystems) throws CommandException {
        port.check(Set.of("portid", "addr", "param", "subsystems", "ana_groups", "referrals", "nvmf4j"), Map.of());
        int portId = (int) port.number("portid", 0, 0xFFFF);
        if (!portIds.add(portId)) {
            throw port.problem("portid", "is " + portId + ", which another port has");
        }
        ConfigObject address = port.object("addr");
        TransportType transport = readTransport(address);
        readParameters(port.object("param"), inlineDataSizes.get(transport));
        readReferrals(port);
        List<String> nqns = port.texts("subsystems");
        for (int i = 0; i < nqns.size(); i++) {
            if (!subsystems.contains(nqns.get(i)) && !nqns.get(i).equals(Nqn.DISCOVERY)) {
                throw port.problem("subsystems[" + i + "]", "names " + nqns.get(i) + ", which is not in subsystems");
            }
        }
        return new ListenerConfig(portId, transport, readAddress(address), Set.copyOf(nqns), readAna(port, nqns));
    }

    private static TransportType readTransport(ConfigObject address) throws CommandException {
        String name = address.requiredText("trtype");
        TransportType transport;
        try {
            transport = TransportType.named(name);
        } catch (IllegalArgumentException e) {
            throw address.problem("trtype", "is '" + name + "', which " + e.getMessage());
        }
        address.check(
                Set.of("trtype", "adrfam", "traddr", "trsvcid"),
                transport == TransportType.TCP ? TCP_ADDRESS : RDMA_ADDRESS);
        return transport;
    }

    private static InetSocketAddress readAddress(ConfigObject address) throws CommandException {
        String text = address.requiredText("traddr");
        String family = address.text("adrfam").orElse(NetUtil.isValidIpV6Address(text) ? "ipv6" : "ipv4");
        boolean matches = switch (family) {
            case "ipv4" -> NetUtil.isValidIpV4Address(text);
            case "ipv6" -> NetUtil.isValidIpV6Address(text);
            default -> throw address.problem("adrfam", "is '" + family + "', it can be ipv4 or ipv6");
        };
        if (!matches) {
            throw address.problem("traddr", "is '" + text + "', which is no " + family + " address");
        }
        int service = (int) address.number("trsvcid", 0, 0xFFFF);
        try {
            return new InetSocketAddress(InetAddress.getByName(text), service);
        } catch (UnknownHostException e) {
            throw address.problem("traddr", "is '" + text + "', which is no address of this machine");
        }
    }

    private void readParameters(ConfigObject parameters, Set<Long> inlineDataSizes) throws CommandException {
        parameters.check(Set.of("inline_data_size", "max_queue_size"), PARAMETERS);
        OptionalLong inlineDataSize = readLimit(parameters, "inline_data_size");
        if (inlineDataSize.isPresent()) {
            try {
                InCapsuleDataSize.require(inlineDataSize.getAsLong());
            } catch (IllegalArgumentException e) {
                throw parameters.problem("inline_data_size", "cannot be: " + e.getMessage());
            }
            inlineDataSizes.add(inlineDataSize.getAsLong());
        }
        readLimit(parameters, "max_queue_size").ifPresent(queueSizes::add);
    }

    /** -1 leaves the choice to the target. */
    private static OptionalLong readLimit(ConfigObject parameters, String key) throws CommandException {
        long value = parameters.has(key) ? parameters.number(key, -1, Integer.MAX_VALUE) : -1;
        return value < 0 ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /**
     * The states of ANA groups: nvmetcli's hold for every subsystem of the port, one's own for one of them.
     *
     * @return what is not optimized, by subsystem and group
     */
    private static Map<String, Map<Integer, AnaState>> readAna(ConfigObject port, List<String> nqns)
            throws CommandException {
        Map<String, Map<Integer, AnaState>> ana = new HashMap<>();
        for (ConfigObject group : port.objects("ana_groups")) {
            group.check(Set.of("ana", "grpid"), Map.of());
            ConfigObject inner = group.object("ana");
            inner.check(Set.of("state"), Map.of());
            AnaState state = readState(inner);
            int id = (int) group.number("grpid", 1, AnaGroups.MAX);
            nqns.forEach(nqn -> put(ana, nqn, id, state));
        }
        ConfigObject own = port.object("nvmf4j");
        own.check(Set.of("ana_states"), Map.of());
        for (ConfigObject one : own.objects("ana_states")) {
            one.check(Set.of("nqn", "grpid", "state"), Map.of());
            String nqn = one.requiredText("nqn");
            if (!nqns.contains(nqn)) {
                throw one.problem("nqn", "names " + nqn + ", which the port does not");
            }
            put(ana, nqn, (int) one.number("grpid", 1, AnaGroups.MAX), readState(one));
        }
        ana.values().removeIf(Map::isEmpty);
        return ana;
    }

    private static AnaState readState(ConfigObject holder) throws CommandException {
        String name = holder.text("state").orElse(AnaState.OPTIMIZED.toString());
        try {
            return AnaState.named(name);
        } catch (IllegalArgumentException e) {
            throw holder.problem("state", "is '" + name + "', which " + e.getMessage());
        }
    }

    private static void put(Map<String, Map<Integer, AnaState>> ana, String nqn, int group, AnaState state) {
        Map<Integer, AnaState> states = ana.computeIfAbsent(nqn, none -> new HashMap<>());
        if (state == AnaState.OPTIMIZED) {
            states.remove(group);
        } else {
            states.put(group, state);
        }
    }

    /** Those that are enabled. */
    private void readReferrals(ConfigObject port) throws CommandException {
        for (ConfigObject referral : port.objects("referrals")) {
            referral.check(Set.of("name", "addr", "enable", "nvmf4j"), Map.of());
            ConfigObject own = referral.object("nvmf4j");
            own.check(Set.of("nqn"), Map.of());
            if (!referral.flag("enable", true)) {
                continue;
            }
            ConfigObject address = referral.object("addr");
            TransportType transport = readTransport(address);
            try {
                referrals.add(new ReferralConfig(
                        transport, readAddress(address), own.text("nqn").orElse(Nqn.DISCOVERY)));
            } catch (IllegalArgumentException e) {
                throw referral.problem("addr", "cannot be announced: " + e.getMessage());
            }
        }
    }

    /** The referrals of all ports, each once: every port announces all of them. */
    List<ReferralConfig> referrals() {
        return List.copyOf(referrals);
    }

    /** The largest inline_data_size of all ports of a transport. */
    OptionalLong inlineDataSize(TransportType transport) {
        return largest("inline_data_size of " + transport, inlineDataSizes.get(transport));
    }

    /** The largest max_queue_size of all ports. */
    OptionalLong queueSize() {
        return largest("max_queue_size", queueSizes);
    }

    private OptionalLong largest(String key, Set<Long> values) {
        OptionalLong largest = values.stream().mapToLong(Long::longValue).max();
        if (values.size() > 1) {
            file.warn("ports", "differ in " + key + ", all get " + largest.getAsLong());
        }
        return largest;
    }
}
