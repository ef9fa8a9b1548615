package io.nvmf.tools.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.nvmf.tools.CommandException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A configuration file that is being read: its name for errors, and the warnings so far. */
final class ConfigFile {
    private static final long MAX_BYTES = 16 << 20;
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final String name;
    private final List<String> warnings = new ArrayList<>();

    ConfigFile(String name) {
        this.name = name;
    }

    static String readText(Path path) throws IOException, CommandException {
        if (Files.isDirectory(path)) {
            throw new CommandException(path + " is a directory; name the file that nvmetcli saved");
        }
        if (Files.size(path) > MAX_BYTES) {
            throw new CommandException(path + " is too large for a configuration; name the file that nvmetcli saved");
        }
        try {
            return Files.readString(path);
        } catch (CharacterCodingException e) {
            throw new CommandException(path + " is not UTF-8 text; name the file that nvmetcli saved", e);
        }
    }

    ConfigObject parse(String json) throws CommandException {
        try {
            JsonNode root = MAPPER.readTree(json);
            return ConfigObject.root(this, root);
        } catch (JsonProcessingException e) {
            String place = e.getLocation() == null
                    ? ""
                    : " line " + e.getLocation().getLineNr() + " column "
                            + e.getLocation().getColumnNr();
            throw new CommandException(name + place + ": " + e.getOriginalMessage(), e);
        }
    }

    String name() {
        return name;
    }

    void warn(String path, String what) {
        warnings.add(name + ": " + path + " " + what);
    }

    List<String> warnings() {
        return warnings;
    }

    CommandException problem(String path, String what) {
        return new CommandException(name + ": " + (path.isEmpty() ? "the file" : path) + " " + what);
    }
}
