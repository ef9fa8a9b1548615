package io.nvmf.tools.rpc;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.util.NetUtil;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.config.AnaGroups;
import io.nvmf.target.config.AnaState;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.config.SubsystemConfig;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.subsystem.SubsystemPort;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.config.Backing;
import io.nvmf.tools.output.Json;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/** What there is, in the words of SPDK's answers. */
final class Shown {
    private Shown() {}

    static ObjectNode address(TransportType transport, InetSocketAddress address) {
        return Json.object()
                .put("trtype", transport.toString().toUpperCase(Locale.ROOT))
                .put("adrfam", address.getAddress() instanceof Inet6Address ? "IPv6" : "IPv4")
                .put("traddr", NetUtil.toAddressString(address.getAddress()))
                .put("trsvcid", Integer.toString(address.getPort()));
    }

    static ObjectNode discovery(String nqn, List<Listener> listeners) {
        ObjectNode shown = Json.object().put("nqn", nqn).put("subtype", "Discovery");
        ArrayNode addresses = shown.putArray("listen_addresses");
        listeners.forEach(listener -> addresses.add(address(listener.transport(), listener.address())));
        shown.put("allow_any_host", true).putArray("hosts");
        return shown;
    }

    /** @param listeners those on which it is reached */
    static ObjectNode subsystem(SubsystemConfig config, List<Listener> listeners) {
        ObjectNode shown = Json.object().put("nqn", config.nqn()).put("subtype", "NVMe");
        ArrayNode addresses = shown.putArray("listen_addresses");
        listeners.forEach(listener -> addresses.add(address(listener.transport(), listener.address())));
        shown.put("allow_any_host", config.allowAnyHost());
        ArrayNode hosts = shown.putArray("hosts");
        new TreeSet<>(config.allowedHosts()).forEach(host -> hosts.addObject().put("nqn", host));
        shown.put("serial_number", config.serialNumber()).put("model_number", config.modelNumber());
        shown.put("max_namespaces", config.maxNamespaces());
        ArrayNode namespaces = shown.putArray("namespaces");
        for (NamespaceConfig namespace : config.namespaces()) {
            namespaces.add(namespace(namespace));
        }
        return shown;
    }

    private static ObjectNode namespace(NamespaceConfig config) {
        String device;
        try {
            device = Backing.of(config.device()).flag();
        } catch (CommandException e) {
            device = config.device().description();
        }
        return Json.object()
                .put("nsid", config.nsid())
                .put("bdev_name", device)
                .put("name", device)
                .put("nguid", config.nguid().toString().replace("-", "").toUpperCase(Locale.ROOT))
                .put("uuid", config.uuid().toString())
                .put("anagrpid", config.anaGroup())
                .put("block_size", config.blockSizeBytes())
                .put("size", config.device().sizeBytes());
    }

    static ObjectNode listener(Listener listener, SubsystemPort port) {
        ObjectNode shown = Json.object();
        shown.set("address", address(listener.transport(), listener.address()));
        ArrayNode states = shown.putArray("ana_states");
        for (int group = 1; group <= AnaGroups.MAX; group++) {
            states.addObject()
                    .put("ana_group", group)
                    .put("ana_state", anaState(port.ana().of(group)));
        }
        return shown;
    }

    private static String anaState(AnaState state) {
        return state.toString().replace('-', '_');
    }

    static ObjectNode referral(ReferralConfig referral) {
        ObjectNode shown = Json.object();
        shown.set("address", address(referral.transport(), referral.address()));
        return shown.put("secure_channel", false).put("subnqn", referral.nqn());
    }
}
