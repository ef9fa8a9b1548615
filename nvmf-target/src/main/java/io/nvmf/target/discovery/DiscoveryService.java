package io.nvmf.target.discovery;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogHeader;
import io.nvmf.target.config.ReferralConfig;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.subsystem.SubsystemPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Finds subsystems for a Connect and describes them for the discovery log. Thread safe. */
public final class DiscoveryService {
    /** Something that may show in the discovery log. */
    public interface Change<E extends Exception> {
        /** Does it, or throws and leaves everything as it was. */
        void make() throws E;
    }

    private record Published(LogPicture picture, Generations generations) {}

    private final Subsystem discovery;
    private final List<Listener> listeners = new ArrayList<>();
    private final List<ReferralConfig> referrals = new ArrayList<>();
    private volatile Published published = new Published(LogPicture.EMPTY, Generations.NONE);

    public DiscoveryService(Subsystem discovery) {
        this.discovery = discovery;
    }

    /** The discovery subsystem. */
    public Subsystem subsystem() {
        return discovery;
    }

    /** What is listened on now. */
    public synchronized List<Listener> listeners() {
        return List.copyOf(listeners);
    }

    public synchronized List<ReferralConfig> referrals() {
        return List.copyOf(referrals);
    }

    /** For use inside {@link #change}. */
    public synchronized void add(Listener listener) {
        listeners.add(listener);
    }

    /** For use inside {@link #change}. */
    public synchronized void remove(Listener listener) {
        listeners.remove(listener);
    }

    /** For use inside {@link #change}. @return false when there is such a one already */
    public synchronized boolean add(ReferralConfig referral) {
        return !referrals.contains(referral) && referrals.add(referral);
    }

    /** For use inside {@link #change}. @return false when there was none */
    public synchronized boolean remove(ReferralConfig referral) {
        return referrals.remove(referral);
    }

    /**
     * Makes a change of listeners, of what is reached there, of who may connect, or of referrals, and publishes it as a
     * whole: GENCTR moves for those hosts whose log is another one now, and those of them that wait for it are told.
     */
    public synchronized <E extends Exception> void change(Change<E> change) throws E {
        change.make();
        Published before = published;
        LogPicture picture = LogPicture.of(listeners, referrals);
        Generations generations = before.generations.after(before.picture, picture);
        published = new Published(picture, generations);
        if (generations.hasChangedForAny()) {
            discovery.discoveryLogChanged((hostNqn, local) -> generations.hasChanged(hostNqn, Vantage.of(local)));
        }
    }

    /** The subsystem with this name as it is reached on a listener, or null. Discovery has its well-known name as well. */
    public SubsystemPort find(Listener listener, String nqn) {
        return listener.port(nqn.equals(Nqn.DISCOVERY) ? discovery.nqn() : nqn);
    }

    /**
     * The whole log page 70h for one host.
     *
     * @param asked where the host asks
     * @param local the address on which it does; it stands in for wildcard addresses
     */
    public ByteBuffer log(String hostNqn, Listener asked, InetSocketAddress local) {
        Published now = published;
        Vantage vantage = Vantage.of(local);
        List<DiscoveryLogEntry> entries = new ArrayList<>();
        entries.add(LogEntries.ofDiscovery(asked, discovery, local));
        for (LogPicture.Sight sight : now.picture.of(hostNqn, vantage)) {
            entries.add(LogEntries.of(sight.listener(), sight.subsystem(), local));
        }
        for (ReferralConfig referral : now.picture.referrals()) {
            entries.add(LogEntries.of(referral));
        }
        ByteBuffer page = Bytes.allocate(DiscoveryLogHeader.BYTES + entries.size() * DiscoveryLogEntry.BYTES);
        new DiscoveryLogHeader(now.generations.of(hostNqn, vantage), entries.size(), 0).encode(page, 0);
        for (int i = 0; i < entries.size(); i++) {
            entries.get(i).encode(page, DiscoveryLogHeader.BYTES + i * DiscoveryLogEntry.BYTES);
        }
        return page;
    }
}
