package io.nvmf.conformance;

/** How much a target that fails a check is to blame, the gravest first. */
public enum Level {
    /** The specification demands it, or a host that exists fails without it. */
    MUST,
    /** The specification recommends it, or demands it of a feature that is optional. */
    SHOULD,
    /** A target has to survive it, and to stay usable for others. */
    ROBUST,
    /** Worth knowing: targets differ, and may. */
    INFO;

    /** As it is written in reports. */
    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
