package io.nvmf.target.config;

import io.nvmf.codec.Nqn;
import java.util.HashSet;
import java.util.List;

/**
 * The discovery service of a target.
 *
 * @param nqn {@link Nqn#DISCOVERY}, or a name of its own, beside which the well-known one is served as well
 * @param referrals each once
 */
public record DiscoveryConfig(String nqn, List<ReferralConfig> referrals) {
    public static final DiscoveryConfig DEFAULT = new DiscoveryConfig(Nqn.DISCOVERY, List.of());

    public DiscoveryConfig {
        Nqn.problem(nqn).ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
        referrals = List.copyOf(referrals);
        if (new HashSet<>(referrals).size() < referrals.size()) {
            throw new IllegalArgumentException("a referral stands twice in " + referrals);
        }
    }
}
