package io.nvmf.target.subsystem;

import io.nvmf.target.config.AnaGroups;
import io.nvmf.target.config.AnaState;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The state of every ANA group on one port, and how often each has changed. Immutable. */
public final class AnaStates {
    private final AnaState[] states;
    private final long[] changes;
    private final long allChanges;

    private AnaStates(AnaState[] states, long[] changes, long allChanges) {
        this.states = states;
        this.changes = changes;
        this.allChanges = allChanges;
    }

    /** @param states of groups; those that are not named are optimized */
    public static AnaStates of(Map<Integer, AnaState> states) {
        AnaState[] all = new AnaState[AnaGroups.MAX + 1];
        Arrays.fill(all, AnaState.OPTIMIZED);
        states.forEach((group, state) -> all[AnaGroups.require(group)] = state);
        return new AnaStates(all, new long[all.length], 0);
    }

    /** @param group 1 to {@link AnaGroups#MAX} */
    public AnaState of(int group) {
        return states[group];
    }

    /** How often the group's state has changed. */
    public long changes(int group) {
        return changes[group];
    }

    /** How often anything has changed. */
    public long changes() {
        return allChanges;
    }

    /** Those that are not optimized, by group. */
    public Map<Integer, AnaState> others() {
        Map<Integer, AnaState> others = new TreeMap<>();
        for (int group = 1; group < states.length; group++) {
            if (states[group] != AnaState.OPTIMIZED) {
                others.put(group, states[group]);
            }
        }
        return others;
    }

    /** The same with another state for one group, or for all when {@code group} is 0; this one when nothing changes. */
    AnaStates with(int group, AnaState state) {
        AnaState[] nextStates = states.clone();
        long[] nextChanges = changes.clone();
        int from = group == 0 ? 1 : group;
        int to = group == 0 ? AnaGroups.MAX : group;
        boolean changed = false;
        for (int i = from; i <= to; i++) {
            if (nextStates[i] != state) {
                nextStates[i] = state;
                nextChanges[i]++;
                changed = true;
            }
        }
        return changed ? new AnaStates(nextStates, nextChanges, allChanges + 1) : this;
    }
}
