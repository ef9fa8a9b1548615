package io.nvmf.tools.rpc;

import static io.nvmf.tools.rpc.Params.LISTEN_ADDRESS;
import static io.nvmf.tools.rpc.Params.NQN;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.nvmf.codec.Nqn;
import io.nvmf.target.Administration;
import io.nvmf.target.config.AnaGroups;
import io.nvmf.target.config.AnaState;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.subsystem.SubsystemPort;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.config.ConfigObject;
import io.nvmf.tools.config.UnusedKey;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** Where subsystems are reached, how well, and referrals to where others are. */
final class ListenerMethods {
    private static final String ANA_STATE = "ana_state";
    private static final String ADDRESS = "address";
    private static final Map<String, UnusedKey> LISTENER = Map.of(
            "secure_channel", Params.NO_SECURE_CHANNEL,
            "sock_impl", UnusedKey.refuseUnless("there is one kind of sockets, without TLS", "", "posix", "uring"),
            // A wish, that none but the speed depends on.
            "numa_id", UnusedKey.HARMLESS);

    private final Administration administration;

    ListenerMethods(Administration administration) {
        this.administration = administration;
    }

    void addTo(Map<String, RpcMethod> table) {
        table.put("nvmf_subsystem_add_listener", this::addListener);
        table.put("nvmf_subsystem_remove_listener", this::removeListener);
        table.put("nvmf_subsystem_get_listeners", this::getListeners);
        table.put("nvmf_subsystem_listener_set_ana_state", this::setAnaState);
        table.put("nvmf_discovery_add_referral", this::addReferral);
        table.put("nvmf_discovery_remove_referral", this::removeReferral);
        table.put("nvmf_discovery_get_referrals", this::getReferrals);
    }

    private JsonNode addListener(ConfigObject params) throws CommandException, IOException {
        Params.check(params, Set.of(NQN, LISTEN_ADDRESS, ANA_STATE), LISTENER);
        String nqn = params.requiredText(NQN);
        ConfigObject address = params.object(LISTEN_ADDRESS);
        AnaState state = params.has(ANA_STATE) ? anaState(params) : AnaState.OPTIMIZED;
        Listener listener = administration.addListener(nqn, Params.transport(address), Params.address(address));
        if (state != AnaState.OPTIMIZED) {
            administration.anaState(nqn, listener.transport(), listener.address(), 0, state);
        }
        return BooleanNode.TRUE;
    }

    private JsonNode removeListener(ConfigObject params) throws CommandException {
        Params.check(params, NQN, LISTEN_ADDRESS);
        ConfigObject address = params.object(LISTEN_ADDRESS);
        administration.removeListener(params.requiredText(NQN), Params.transport(address), Params.address(address));
        return BooleanNode.TRUE;
    }

    private JsonNode getListeners(ConfigObject params) throws CommandException {
        Params.check(params, NQN);
        String nqn = params.requiredText(NQN);
        administration.controllers(nqn); // says when there is no such subsystem
        String discovery = administration.config().discovery().nqn();
        ArrayNode shown = JsonNodeFactory.instance.arrayNode();
        for (Listener listener : administration.listeners()) {
            SubsystemPort port = listener.port(nqn.equals(Nqn.DISCOVERY) ? discovery : nqn);
            if (port != null) {
                shown.add(Shown.listener(listener, port));
            }
        }
        return shown;
    }

    private JsonNode setAnaState(ConfigObject params) throws CommandException {
        Params.check(params, NQN, LISTEN_ADDRESS, ANA_STATE, "anagrpid");
        ConfigObject address = params.object(LISTEN_ADDRESS);
        int group = params.has("anagrpid") ? (int) params.number("anagrpid", 0, AnaGroups.MAX) : 0;
        administration.anaState(
                params.requiredText(NQN), Params.transport(address), Params.address(address), group, anaState(params));
        return BooleanNode.TRUE;
    }

    private static AnaState anaState(ConfigObject params) throws CommandException {
        String name = params.requiredText(ANA_STATE);
        try {
            return AnaState.named(name);
        } catch (IllegalArgumentException e) {
            throw params.problem(ANA_STATE, "is '" + name + "', which " + e.getMessage());
        }
    }

    private JsonNode addReferral(ConfigObject params) throws CommandException {
        administration.addReferral(referral(params));
        return BooleanNode.TRUE;
    }

    private JsonNode removeReferral(ConfigObject params) throws CommandException {
        administration.removeReferral(referral(params));
        return BooleanNode.TRUE;
    }

    private static ReferralConfig referral(ConfigObject params) throws CommandException {
        Params.check(
                params,
                Set.of(ADDRESS, "subnqn"),
                Map.of(
                        "secure_channel",
                        Params.NO_SECURE_CHANNEL,
                        "allow_any_host",
                        UnusedKey.refuseUnless("every host is told of a referral", "true")));
        ConfigObject address = params.object(ADDRESS);
        return new ReferralConfig(
                Params.transport(address),
                Params.address(address),
                params.text("subnqn").orElse(Nqn.DISCOVERY));
    }

    private JsonNode getReferrals(ConfigObject params) throws CommandException {
        Params.check(params);
        ArrayNode shown = JsonNodeFactory.instance.arrayNode();
        administration.referrals().forEach(referral -> shown.add(Shown.referral(referral)));
        return shown;
    }
}
