package io.nvmf.target.controller;

import java.util.UUID;

/** Who connected, as its admin Connect said. */
public record HostIdentity(String hostNqn, UUID hostId) {
    /** The host's name for a log line. */
    public String printableNqn() {
        return printable(hostNqn);
    }

    /** A name from the wire, which may hold anything, for a log line. */
    public static String printable(String name) {
        return name.replaceAll("\\p{Cntrl}", "?");
    }
}
