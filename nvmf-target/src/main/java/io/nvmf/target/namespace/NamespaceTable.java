package io.nvmf.target.namespace;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The namespaces of a subsystem by NSID. Immutable: a change makes a new table, which is then swapped in as a whole. */
public final class NamespaceTable {
    private final Namespace[] ascending;
    private final Namespace[] byNsid;

    public NamespaceTable(List<Namespace> namespaces) {
        ascending = namespaces.stream()
                .sorted(Comparator.comparingLong(Namespace::nsid))
                .toArray(Namespace[]::new);
        int highest = ascending.length == 0 ? 0 : (int) ascending[ascending.length - 1].nsid();
        byNsid = new Namespace[highest + 1];
        for (Namespace namespace : ascending) {
            byNsid[(int) namespace.nsid()] = namespace;
        }
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
