package io.nvmf.tools.config;

import io.nvmf.target.backend.file.FileOptions;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.Sizes;
import io.nvmf.tools.UsageException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * The value of {@code --namespace}, and the {@code bdev_name} of a method: {@code file:/path,size=10g,direct} or {@code memory:1g}, with {@code KEY=VALUE} and
 * {@code KEY} separated by commas.
 */
public final class NamespaceFlag {
    private static final String SIZE = "size";
    private static final String BLOCK_SIZE = "block-size";
    private static final String DIRECT = "direct";
    private static final String READ_ONLY = "read-only";
    private static final String UUID_KEY = "uuid";
    private static final String NGUID = "nguid";
    private static final String PTPL = "ptpl";
    private static final Set<String> SWITCHES = Set.of(DIRECT, READ_ONLY);
    private static final Set<String> FILE_KEYS =
            new TreeSet<>(Set.of(SIZE, BLOCK_SIZE, DIRECT, READ_ONLY, UUID_KEY, NGUID, PTPL));
    private static final Set<String> MEMORY_KEYS = new TreeSet<>(Set.of(SIZE, BLOCK_SIZE, UUID_KEY, NGUID, PTPL));
    private static final String FORM = "; write it as file:/path[,size=10g][,block-size=512|4096][,direct]"
            + "[,read-only][,uuid=UUID][,nguid=HEX][,ptpl=/path] or memory:1g";

    /** What the value is given by. */
    private final String option;

    private final String text;
    private final Map<String, String> values = new LinkedHashMap<>();

    private NamespaceFlag(String option, String text) {
        this.option = option;
        this.text = text;
    }

    /**
     * Reads one value.
     *
     * @param option what it is given by, for errors
     */
    public static NamespacePlan parse(String option, long nsid, String text) throws UsageException {
        try {
            return new NamespaceFlag(option, text).read(nsid);
        } catch (CommandException e) {
            throw UsageException.of(e);
        }
    }

    private NamespacePlan read(long nsid) throws CommandException {
        int colon = text.indexOf(':');
        String kind = colon < 0 ? text : text.substring(0, colon);
        String[] parts = text.substring(colon + 1).split(",", -1);
        return switch (kind) {
            case "file" -> readFile(nsid, parts);
            case "memory" -> readMemory(nsid, parts);
            default -> throw problem("is of no known kind");
        };
    }

    private NamespacePlan readFile(long nsid, String[] parts) throws CommandException {
        if (parts[0].isEmpty() || text.indexOf(':') < 0) {
            throw problem("names no file");
        }
        readValues(parts, 1, FILE_KEYS);
        FileOptions options = FileOptions.EXISTING
                .withSizeBytes(values.containsKey(SIZE) ? size(SIZE) : 0)
                .withDirect(values.containsKey(DIRECT))
                .withReadOnly(values.containsKey(READ_ONLY));
        return plan(nsid, new Backing.InFile(Path.of(parts[0]), options));
    }

    private NamespacePlan readMemory(long nsid, String[] parts) throws CommandException {
        boolean bareSize = text.indexOf(':') >= 0 && !parts[0].contains("=");
        if (bareSize) {
            values.put(SIZE, parts[0]);
        }
        if (text.indexOf(':') >= 0) {
            readValues(parts, bareSize ? 1 : 0, MEMORY_KEYS);
        }
        if (!values.containsKey(SIZE)) {
            throw problem("has no size");
        }
        return plan(nsid, new Backing.InMemory(size(SIZE)));
    }

    private NamespacePlan plan(long nsid, Backing backing) throws CommandException {
        OptionalInt blockSize =
                values.containsKey(BLOCK_SIZE) ? OptionalInt.of((int) size(BLOCK_SIZE)) : OptionalInt.empty();
        if (blockSize.isPresent() && blockSize.getAsInt() != 512 && blockSize.getAsInt() != 4096) {
            throw problem("has block size " + values.get(BLOCK_SIZE) + ", it can be 512 or 4096");
        }
        return new NamespacePlan(
                        nsid,
                        backing,
                        blockSize,
                        values.containsKey(UUID_KEY)
                                ? Optional.of(Identifiers.uuid(name(UUID_KEY), values.get(UUID_KEY)))
                                : Optional.empty(),
                        values.containsKey(NGUID)
                                ? Optional.of(Identifiers.nguid(name(NGUID), values.get(NGUID)))
                                : Optional.empty())
                .withPtplFile(ptplFile());
    }

    private Optional<Path> ptplFile() throws CommandException {
        if (!values.containsKey(PTPL)) {
            return Optional.empty();
        }
        if (values.get(PTPL).isEmpty()) {
            throw problem("has no value for " + PTPL);
        }
        return Optional.of(Path.of(values.get(PTPL)));
    }

    private void readValues(String[] parts, int from, Set<String> keys) throws CommandException {
        for (int i = from; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            String key = equals < 0 ? parts[i] : parts[i].substring(0, equals);
            if (!keys.contains(key)) {
                throw problem("has an unknown part '" + parts[i] + "'");
            }
            if (SWITCHES.contains(key) != (equals < 0)) {
                throw problem(equals < 0 ? "has no value for " + key : "has a value for " + key + ", which takes none");
            }
            if (values.put(key, parts[i].substring(equals + 1)) != null) {
                throw problem("has " + key + " twice");
            }
        }
    }

    private long size(String key) throws CommandException {
        long size = Sizes.parse(name(key), values.get(key));
        if (size == 0) {
            throw problem("has " + key + " 0");
        }
        return size;
    }

    private String name(String key) {
        return key + " of " + option + " " + text;
    }

    private CommandException problem(String what) {
        return new CommandException(option + " " + text + " " + what + FORM);
    }
}
