package io.nvmf.tools.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;

/** Writes JSON for people and programs. */
public final class Json {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Json() {}

    /** A new object that keeps the order of its fields. */
    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Over several lines. */
    public static void print(PrintStream out, JsonNode node) {
        print(out, MAPPER.writerWithDefaultPrettyPrinter(), node);
    }

    /** On one line. */
    public static void printLine(PrintStream out, JsonNode node) {
        print(out, MAPPER.writer(), node);
    }

    private static void print(PrintStream out, ObjectWriter writer, JsonNode node) {
        try {
            out.println(writer.writeValueAsString(node));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of JSON nodes can always be written", e);
        }
    }
}
