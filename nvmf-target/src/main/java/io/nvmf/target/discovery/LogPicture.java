package io.nvmf.target.discovery;

import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.subsystem.HostAccess;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.subsystem.SubsystemPort;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** All that the discovery log may tell, at one moment. Immutable. */
final class LogPicture {
    /** A subsystem on a listener, and who may know. */
    record Sight(Listener listener, Subsystem subsystem, HostAccess access) {}

    /** What a host is told of a {@link Sight}: whether it may change unseen is not its business. */
    private record Shown(Listener listener, Subsystem subsystem) {}

    static final LogPicture EMPTY = new LogPicture(List.of(), List.of());

    private final List<Sight> sights;
    private final List<ReferralConfig> referrals;

    private LogPicture(List<Sight> sights, List<ReferralConfig> referrals) {
        this.sights = List.copyOf(sights);
        this.referrals = List.copyOf(referrals);
    }

    static LogPicture of(List<Listener> listeners, List<ReferralConfig> referrals) {
        List<Sight> sights = new ArrayList<>();
        for (Listener listener : listeners) {
            for (SubsystemPort port : listener.ports()) {
                if (!port.subsystem().isDiscovery()) {
                    sights.add(new Sight(
                            listener, port.subsystem(), port.subsystem().access()));
                }
            }
        }
        return new LogPicture(sights, referrals);
    }

    List<ReferralConfig> referrals() {
        return referrals;
    }

    /** What a host sees of subsystems. @param hostNqn null stands for every host that no subsystem names */
    List<Sight> of(String hostNqn, Vantage vantage) {
        List<Sight> seen = new ArrayList<>();
        for (Sight sight : sights) {
            boolean allowed = hostNqn == null ? sight.access.anyHost() : sight.access.allows(hostNqn);
            if (allowed && vantage.reaches(sight.listener.address().getAddress())) {
                seen.add(sight);
            }
        }
        return seen;
    }

    boolean looksLike(LogPicture other, String hostNqn, Vantage vantage) {
        return referrals.equals(other.referrals) && shown(hostNqn, vantage).equals(other.shown(hostNqn, vantage));
    }

    private List<Shown> shown(String hostNqn, Vantage vantage) {
        return of(hostNqn, vantage).stream()
                .map(sight -> new Shown(sight.listener, sight.subsystem))
                .toList();
    }

    /** Every host that some subsystem names. */
    Set<String> namedHosts() {
        Set<String> hosts = new HashSet<>();
        sights.forEach(sight -> hosts.addAll(sight.access.hosts()));
        return hosts;
    }
}
