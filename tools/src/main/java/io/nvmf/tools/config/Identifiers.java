package io.nvmf.tools.config;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.tools.CommandException;
import java.util.UUID;
import java.util.regex.Pattern;

/** Reads UUIDs and NGUIDs. */
public final class Identifiers {
    private static final Pattern UUID_FORM = Pattern.compile("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}");

    private Identifiers() {}

    public static UUID uuid(String what, String text) throws CommandException {
        if (!UUID_FORM.matcher(text).matches()) {
            throw new CommandException(
                    what + " '" + text + "' is no UUID, it looks like 7d444840-9dc0-11d1-b245-5ffdce74fad2");
        }
        return UUID.fromString(text);
    }

    static Nguid nguid(String what, String text) throws CommandException {
        try {
            return Nguid.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CommandException(what + ": " + e.getMessage(), e);
        }
    }
}
