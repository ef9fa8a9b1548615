package io.nvmf.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks that are not to run, from a file: a line each, the check's id or a pattern as {@link Catalog#matching} takes it,
 * then why. Empty lines and such as start with {@code #} are passed over.
 *
 * @param reasons by check id
 */
public record SkipList(Map<String, String> reasons) {
    public static final SkipList EMPTY = new SkipList(Map.of());

    /**
     * Reads a file.
     *
     * @throws IllegalArgumentException for a line that names no check; the message says which
     */
    public static SkipList read(Path file) throws IOException {
        Map<String, String> reasons = new LinkedHashMap<>();
        int number = 0;
        for (String line : Files.readAllLines(file)) {
            number++;
            String text = line.strip();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            String[] parts = text.split("\\s+", 2);
            String why = parts.length < 2 ? "named in " + file : parts[1];
            List<CheckCase> named = Catalog.matching(parts[0]);
            if (named.isEmpty()) {
                throw new IllegalArgumentException(file + ":" + number + ": no check is called " + parts[0]);
            }
            named.forEach(check -> reasons.put(check.id(), why));
        }
        return new SkipList(reasons);
    }
}
