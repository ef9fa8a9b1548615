package io.nvmf.target.subsystem;

import io.nvmf.target.config.AnaState;
import java.util.Map;

/**
 * A subsystem as hosts reach it through one listener: an NVM subsystem port. Thread safe.
 *
 * <p>A subsystem that is taken from a listener and put there again gets another port: controllers of the first have ended.
 */
public final class SubsystemPort {
    private final Subsystem subsystem;
    private volatile boolean open = true;
    private volatile AnaStates ana;

    /** @param ana states of ANA groups; those that are not named are optimized */
    public SubsystemPort(Subsystem subsystem, Map<Integer, AnaState> ana) {
        this.subsystem = subsystem;
        this.ana = AnaStates.of(ana);
    }

    public Subsystem subsystem() {
        return subsystem;
    }

    /** How well namespaces are reached here, now. */
    public AnaStates ana() {
        return ana;
    }

    /**
     * Hosts are told, if that changes anything. One at a time.
     *
     * @param group 0 for all
     */
    public void ana(int group, AnaState state) {
        AnaStates before = ana;
        ana = before.with(group, state);
        if (ana != before) {
            subsystem.anaChanged(this);
        }
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
