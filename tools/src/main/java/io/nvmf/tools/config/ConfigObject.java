package io.nvmf.tools.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.Suggestion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** One object of the configuration file, read with errors that say where it stands: {@code ports[0].addr.trtype}. */
public final class ConfigObject {
    private final ConfigFile file;
    private final String path;
    private final JsonNode node;

    private ConfigObject(ConfigFile file, String path, JsonNode node) {
        this.file = file;
        this.path = path;
        this.node = node;
    }

    public static ConfigObject root(ConfigFile file, JsonNode node) throws CommandException {
        if (!node.isObject()) {
            throw file.problem("", "is not a JSON object");
        }
        return new ConfigObject(file, "", node);
    }

    /**
     * Refuses unknown keys and looks at those that are known but not used.
     *
     * @param used keys that are read elsewhere
     * @param unused keys that are not read, and what is to be done about their values
     */
    public void check(Set<String> used, Map<String, UnusedKey> unused) throws CommandException {
        for (Iterator<Map.Entry<String, JsonNode>> fields = node.properties().iterator(); fields.hasNext(); ) {
            Map.Entry<String, JsonNode> field = fields.next();
            UnusedKey rule = unused.get(field.getKey());
            if (rule != null) {
                rule.apply(file, pathOf(field.getKey()), field.getValue());
            } else if (!used.contains(field.getKey())) {
                Collection<String> known = new TreeSet<>(used);
                known.addAll(unused.keySet());
                throw file.problem(
                        pathOf(field.getKey()),
                        "is an unknown key"
                                + Suggestion.didYouMean(
                                        field.getKey(), known, "known are " + String.join(", ", known)));
            }
        }
    }

    /** An object below; an empty one if there is none. */
    public ConfigObject object(String key) throws CommandException {
        JsonNode child = node.get(key);
        if (child == null || child.isNull()) {
            return new ConfigObject(file, pathOf(key), JsonNodeFactory.instance.objectNode());
        }
        if (!child.isObject()) {
            throw problem(key, "is not an object");
        }
        return new ConfigObject(file, pathOf(key), child);
    }

    public boolean has(String key) {
        return node.hasNonNull(key);
    }

    /** The objects of an array; none if it is not there. */
    public List<ConfigObject> objects(String key) throws CommandException {
        List<ConfigObject> objects = new ArrayList<>();
        for (JsonNode element : array(key)) {
            String elementPath = pathOf(key) + "[" + objects.size() + "]";
            if (!element.isObject()) {
                throw file.problem(elementPath, "is not an object");
            }
            objects.add(new ConfigObject(file, elementPath, element));
        }
        return objects;
    }

    /** The texts of an array; none if it is not there. */
    public List<String> texts(String key) throws CommandException {
        List<String> texts = new ArrayList<>();
        for (JsonNode element : array(key)) {
            if (!element.isTextual()) {
                throw file.problem(pathOf(key) + "[" + texts.size() + "]", "is not a text");
            }
            texts.add(element.textValue());
        }
        return texts;
    }

    private Iterable<JsonNode> array(String key) throws CommandException {
        JsonNode array = node.get(key);
        if (array == null || array.isNull()) {
            return List.of();
        }
        if (!array.isArray()) {
            throw problem(key, "is not an array");
        }
        return array;
    }

    /** A text, number or truth value as text; nvmetcli saves most numbers as text. */
    public Optional<String> text(String key) throws CommandException {
        JsonNode value = node.get(key);
        if (value == null || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isValueNode()) {
            throw problem(key, "is neither a text nor a number");
        }
        return Optional.of(value.asText().strip());
    }

    public String requiredText(String key) throws CommandException {
        Optional<String> text = text(key);
        if (text.isEmpty() || text.get().isEmpty()) {
            throw problem(key, "is missing");
        }
        return text.get();
    }

    public long number(String key, long min, long max) throws CommandException {
        String text = requiredText(key);
        if (text.matches("-?\\d{1,18}")) {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        }
        throw problem(key, "is '" + text + "', not a number from " + min + " to " + max);
    }

    /** {@code true} or {@code false}, or the kernel's 1 or 0. */
    public boolean flag(String key, boolean otherwise) throws CommandException {
        Optional<String> text = text(key);
        if (text.isEmpty()) {
            return otherwise;
        }
        return switch (text.get()) {
            case "1", "true" -> true;
            case "0", "false" -> false;
            default -> throw problem(key, "is '" + text.get() + "', it can be true or false, or 1 or 0");
        };
    }

    public CommandException problem(String key, String what) {
        return file.problem(pathOf(key), what);
    }

    String pathOf(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    /** How errors name the value of a key. */
    String nameOf(String key) {
        return file.name() + ": " + pathOf(key);
    }
}
