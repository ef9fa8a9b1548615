package io.nvmf.target.config;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.TransportType;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * Another discovery service that the discovery log tells of.
 *
 * @param address where it is, not a wildcard
 * @param nqn {@link Nqn#DISCOVERY}, or a name of its own
 */
public record ReferralConfig(TransportType transport, InetSocketAddress address, String nqn) {
    public ReferralConfig {
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(address, "address");
        if (address.isUnresolved() || address.getAddress().isAnyLocalAddress() || address.getPort() == 0) {
            throw new IllegalArgumentException("a referral leads to one address and port, not to " + address);
        }
        Nqn.problem(nqn).ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
    }
}
