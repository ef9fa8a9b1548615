package io.nvmf.target.subsystem;

/**
 * A subsystem as hosts reach it through one listener: an NVM subsystem port. Thread safe.
 *
 * <p>A subsystem that is taken from a listener and put there again gets another port: controllers of the first have ended.
 */
public final class SubsystemPort {
    private final Subsystem subsystem;
    private volatile boolean open = true;

    public SubsystemPort(Subsystem subsystem) {
        this.subsystem = subsystem;
    }

    public Subsystem subsystem() {
        return subsystem;
    }

    /** Whether a host may have a controller here now. */
    public boolean admits(String hostNqn) {
        return open && subsystem.access().allows(hostNqn);
    }

    /** Nobody is let in any more. Controllers that there are must be ended after this. */
    public void close() {
        open = false;
    }
}
