package io.nvmf.target.namespace;

import io.nvmf.target.config.AnaGroups;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** The namespaces of a subsystem by NSID. Immutable: a change makes a new table, which is then swapped in as a whole. */
public final class NamespaceTable {
    private final Namespace[] ascending;
    private final Namespace[] byNsid;
    private final long[] groupChanges;
    private final long allGroupChanges;

    private NamespaceTable(List<Namespace> namespaces, long[] groupChanges, long allGroupChanges) {
        this.groupChanges = groupChanges;
        this.allGroupChanges = allGroupChanges;
        ascending = namespaces.stream()
                .sorted(Comparator.comparingLong(Namespace::nsid))
                .toArray(Namespace[]::new);
        int highest = ascending.length == 0 ? 0 : (int) ascending[ascending.length - 1].nsid();
        byNsid = new Namespace[highest + 1];
        for (Namespace namespace : ascending) {
            byNsid[(int) namespace.nsid()] = namespace;
        }
    }

    public static NamespaceTable of(List<Namespace> namespaces) {
        return new NamespaceTable(namespaces, new long[AnaGroups.MAX + 1], 0);
    }

    /** The table after this one. @param anaGroups those that have other namespaces then */
    public NamespaceTable with(List<Namespace> namespaces, Set<Integer> anaGroups) {
        long[] changes = groupChanges.clone();
        anaGroups.forEach(group -> changes[group]++);
        return new NamespaceTable(namespaces, changes, allGroupChanges + (anaGroups.isEmpty() ? 0 : 1));
    }

    /** How often the namespaces of an ANA group have become others. */
    public long groupChanges(int anaGroup) {
        return groupChanges[anaGroup];
    }

    /** How often the namespaces of any ANA group have become others. */
    public long groupChanges() {
        return allGroupChanges;
    }

    /** The namespace with this NSID, any 32-bit number, or null. */
    public Namespace get(long nsid) {
        return nsid < byNsid.length ? byNsid[(int) nsid] : null;
    }

    public List<Namespace> all() {
        return List.of(ascending);
    }

    public long[] nsids() {
        return Arrays.stream(ascending).mapToLong(Namespace::nsid).toArray();
    }
}
