package io.nvmf.target.discovery;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * GENCTR for every host: how often what it sees has changed. Immutable.
 *
 * <p>One number stands for all hosts that no subsystem names, however many there are; each host that was ever named has
 * its difference from that.
 */
final class Generations {
    /** A host at a place; a null name stands for all that are not named. */
    private record Viewer(String hostNqn, Vantage vantage) {}

    static final Generations NONE = new Generations(Map.of(), Map.of(), Set.of());

    private final Map<Vantage, Long> all;
    private final Map<Viewer, Long> differences;
    private final Set<Viewer> changed;

    private Generations(Map<Vantage, Long> all, Map<Viewer, Long> differences, Set<Viewer> changed) {
        this.all = all;
        this.differences = differences;
        this.changed = changed;
    }

    /** The counts after a change from one picture to another. */
    Generations after(LogPicture before, LogPicture after) {
        Map<Vantage, Long> nextAll = new EnumMap<>(Vantage.class);
        Map<Viewer, Long> nextDifferences = new HashMap<>(differences);
        Set<Viewer> nextChanged = new HashSet<>();
        Set<String> hosts = before.namedHosts();
        hosts.addAll(after.namedHosts());
        differences.keySet().forEach(viewer -> hosts.add(viewer.hostNqn));
        for (Vantage vantage : Vantage.values()) {
            boolean othersChanged = !before.looksLike(after, null, vantage);
            nextAll.put(vantage, all.getOrDefault(vantage, 0L) + (othersChanged ? 1 : 0));
            if (othersChanged) {
                nextChanged.add(new Viewer(null, vantage));
            }
            for (String host : hosts) {
                Viewer viewer = new Viewer(host, vantage);
                boolean hostChanged = !before.looksLike(after, host, vantage);
                long difference = (hostChanged ? 1 : 0) - (othersChanged ? 1 : 0);
                nextDifferences.merge(viewer, difference, Long::sum);
                if (hostChanged) {
                    nextChanged.add(viewer);
                }
            }
        }
        return new Generations(nextAll, Map.copyOf(nextDifferences), Set.copyOf(nextChanged));
    }

    /** GENCTR of a host. */
    long of(String hostNqn, Vantage vantage) {
        return all.getOrDefault(vantage, 0L) + differences.getOrDefault(new Viewer(hostNqn, vantage), 0L);
    }

    /** Whether the last change showed to a host. */
    boolean hasChanged(String hostNqn, Vantage vantage) {
        Viewer viewer = new Viewer(hostNqn, vantage);
        return changed.contains(differences.containsKey(viewer) ? viewer : new Viewer(null, vantage));
    }

    boolean hasChangedForAny() {
        return !changed.isEmpty();
    }
}
