package io.nvmf.target.subsystem;

import java.util.Set;
import java.util.UUID;

/** A controller of the subsystem, as the subsystem sees it. Called on any thread. */
public interface SubsystemObserver {
    /** A namespace was added, removed or changed. */
    void onNamespaceAttributeChanged(long nsid);

    /** A device of a namespace has shown what it had not before. */
    void onHealthChanged();

    /**
     * The ANA log has changed.
     *
     * @param port where; null for everywhere
     */
    void onAnaChanged(SubsystemPort port);

    /**
     * A reservation or registration has ended that some hosts want to know of.
     *
     * @param type of a reservation notification
     */
    void onReservationNotice(long nsid, int type, Set<UUID> hostIds);

    /** The discovery log is another one for some. Called of the discovery subsystem alone. */
    void onDiscoveryLogChanged(DiscoveryAudience audience);
}
