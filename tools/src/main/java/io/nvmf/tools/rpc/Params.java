package io.nvmf.tools.rpc;

import io.netty.util.NetUtil;
import io.nvmf.codec.log.TransportType;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.config.ConfigObject;
import io.nvmf.tools.config.UnusedKey;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What parameters of several methods have in common. */
final class Params {
    static final String NQN = "nqn";
    static final String NSID = "nsid";
    static final String HOST = "host";
    static final String LISTEN_ADDRESS = "listen_address";

    private static final UnusedKey ONE_TARGET =
            UnusedKey.refuseUnless("there is one target: leave it out", "nvmf_tgt", "");
    static final UnusedKey NO_SECURE_CHANNEL =
            UnusedKey.refuseUnless("TLS is not supported: the data would travel in the clear", "false");

    private Params() {}

    /** Refuses keys other than these, and {@code tgt_name}. */
    static void check(ConfigObject params, String... used) throws CommandException {
        check(params, Set.of(used), Map.of());
    }

    /** As {@link #check(ConfigObject, String...)}, with others whose values may not all be. */
    static void check(ConfigObject params, Set<String> used, Map<String, UnusedKey> unused) throws CommandException {
        Map<String, UnusedKey> all = new HashMap<>(unused);
        all.put("tgt_name", ONE_TARGET);
        params.check(used, all);
    }

    /** The directory of the target would be meant by a path that begins nowhere, which its clients do not know. */
    static void requireAbsolute(ConfigObject params, String key, Path path) throws CommandException {
        if (!path.isAbsolute()) {
            throw params.problem(
                    key,
                    "names " + path + ", which is relative: the target runs elsewhere, so begin at /, as $PWD/" + path
                            + " in a shell");
        }
    }

    static TransportType transport(ConfigObject address) throws CommandException {
        String name = address.requiredText("trtype");
        try {
            return TransportType.named(name.toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw address.problem("trtype", "is '" + name + "', which " + e.getMessage());
        }
    }

    /** The address of an object as it stands in many methods. */
    static InetSocketAddress address(ConfigObject address) throws CommandException {
        address.check(Set.of("trtype", "adrfam", "traddr", "trsvcid"), Map.of());
        String text = address.requiredText("traddr");
        boolean ipv6 = NetUtil.isValidIpV6Address(text);
        if (!ipv6 && !NetUtil.isValidIpV4Address(text)) {
            throw address.problem("traddr", "is '" + text + "', which is no IP address");
        }
        String family =
                address.text("adrfam").map(f -> f.toLowerCase(Locale.ROOT)).orElse(ipv6 ? "ipv6" : "ipv4");
        if (!family.equals(ipv6 ? "ipv6" : "ipv4")) {
            throw address.problem("adrfam", "is '" + family + "', but traddr is an address of another family");
        }
        int port = (int) address.number("trsvcid", 0, 0xFFFF);
        try {
            return new InetSocketAddress(InetAddress.getByName(text), port);
        } catch (UnknownHostException e) {
            throw address.problem("traddr", "is '" + text + "', which is no address of this machine");
        }
    }
}
