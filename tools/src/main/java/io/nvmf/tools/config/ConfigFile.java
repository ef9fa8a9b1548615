package io.nvmf.tools.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.nvmf.tools.CommandException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A configuration file that is being read: its name for errors, and the warnings so far. */
public final class ConfigFile {
    private static final long MAX_BYTES = 16 << 20;
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final String name;
    private final List<String> warnings = new ArrayList<>();

    public ConfigFile(String name) {
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
            throw new CommandException(name + place + ": " + sentence(e), e);
        }
    }

    /** In words for people, without the parser's own and without any of the file's text, which may be secret. */
    private static String sentence(JsonProcessingException e) {
        if (e instanceof JsonEOFException) {
            return "the file ends inside the JSON; see that every bracket and quote is closed";
        }
        if (e instanceof StreamConstraintsException) {
            return "the JSON is nested too deep, or a value in it is too long";
        }
        if (e instanceof MismatchedInputException) {
            return "the file goes on after the end of its JSON";
        }
        if (e.getOriginalMessage().startsWith("Duplicate field")) {
            return e.getOriginalMessage().replaceFirst("Duplicate field", "an object has the key") + " twice";
        }
        return "this is not JSON; see that commas, colons, quotes and brackets are in place";
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
