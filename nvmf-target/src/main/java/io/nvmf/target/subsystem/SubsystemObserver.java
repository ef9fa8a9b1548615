package io.nvmf.target.subsystem;

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

    /** The discovery log is another one for some. Called of the discovery subsystem alone. */
    void onDiscoveryLogChanged(DiscoveryAudience audience);
}
