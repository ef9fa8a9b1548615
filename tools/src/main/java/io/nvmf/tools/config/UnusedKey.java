package io.nvmf.tools.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.nvmf.tools.CommandException;
import java.util.Set;

/**
 * A key of nvmetcli's format that this target knows and has no use for.
 *
 * @param harmless values that mean what this target does anyway; null if every value is harmless
 * @param refuse whether another value would silently serve something else than was asked for; else it is a warning
 * @param secret whether no message may show the value
 * @param consequence what happens instead, as the end of a sentence
 */
public record UnusedKey(Set<String> harmless, boolean refuse, boolean secret, String consequence) {
    public static final UnusedKey HARMLESS = new UnusedKey(null, false, false, "");

    public static UnusedKey warnUnless(String consequence, String... harmless) {
        return new UnusedKey(Set.of(harmless), false, false, consequence);
    }

    public static UnusedKey refuseUnless(String consequence, String... harmless) {
        return new UnusedKey(Set.of(harmless), true, false, consequence);
    }

    /** Refuses any value but none, without showing it. */
    static UnusedKey refuseSecret(String consequence) {
        return new UnusedKey(Set.of(""), true, true, consequence);
    }

    void apply(ConfigFile file, String path, JsonNode value) throws CommandException {
        if (harmless == null || value.isNull()) {
            return;
        }
        String text = value.isValueNode() ? value.asText().strip() : value.toString();
        if (harmless.contains(text)) {
            return;
        }
        String sentence = (secret ? "is set" : "is '" + text + "'") + ", but " + consequence;
        if (refuse) {
            throw file.problem(path, sentence);
        }
        file.warn(path, sentence);
    }
}
