package io.nvmf.target.config;

/** ANA groups: sets of namespaces that share one state on each port. */
public final class AnaGroups {
    /** ANAGRPMAX, and as many can be in use. */
    public static final int MAX = 128;

    /** Where a namespace is when nobody says. */
    public static final int DEFAULT = 1;

    private AnaGroups() {}

    /** @throws IllegalArgumentException when there can be no such group */
    public static int require(long group) {
        if (group < 1 || group > MAX) {
            throw new IllegalArgumentException("ANA group " + group + " is not between 1 and " + MAX);
        }
        return (int) group;
    }
}
