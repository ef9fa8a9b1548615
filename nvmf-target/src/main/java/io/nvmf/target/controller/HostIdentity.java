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
        StringBuilder text = new StringBuilder(name.length());
        name.codePoints().forEach(c -> text.appendCodePoint(isPrintable(c) ? c : '?'));
        return text.toString();
    }

    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
