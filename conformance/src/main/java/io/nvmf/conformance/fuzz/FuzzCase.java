package io.nvmf.conformance.fuzz;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * What is sent to a target on one connection, and nothing that depends on the target: the same bytes each time.
 *
 * @param seed of the run that made it
 * @param number in that run, from 0
 * @param pdus the bytes, as they are sent one after the other
 */
public record FuzzCase(FuzzKind kind, long seed, int number, List<byte[]> pdus) {
    private static final String KIND = "kind";
    private static final String SEED = "seed";
    private static final String NUMBER = "case";
    private static final String PDUS = "pdus";
    private static final int MOST_PDUS = 1024;

    /** One JSON object. */
    public String toJson() {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode json =
                mapper.createObjectNode().put(KIND, kind.name()).put(SEED, seed).put(NUMBER, number);
        pdus.forEach(pdu -> json.withArray(PDUS).add(HexFormat.of().formatHex(pdu)));
        return json.toPrettyString() + "\n";
    }

    /** A file's name that tells it from others. */
    public String fileName() {
        return "fuzz-" + kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + seed + "-" + number + ".json";
    }

    /**
     * Reads what {@link #toJson} wrote.
     *
     * @throws IllegalArgumentException when it is something else; the message is one sentence
     */
    public static FuzzCase read(Path file) throws IOException {
        try {
            JsonNode json = new ObjectMapper().readTree(Files.readString(file));
            List<byte[]> pdus = new ArrayList<>();
            for (JsonNode pdu : json.required(PDUS)) {
                pdus.add(HexFormat.of().parseHex(pdu.textValue()));
            }
            if (pdus.size() > MOST_PDUS) {
                throw new IllegalArgumentException("more than " + MOST_PDUS + " PDUs");
            }
            return new FuzzCase(
                    FuzzKind.valueOf(json.required(KIND).asText()),
                    json.required(SEED).asLong(),
                    json.required(NUMBER).asInt(),
                    pdus);
        } catch (IllegalArgumentException | JacksonException | NullPointerException e) {
            throw new IllegalArgumentException(file + " is no fuzz case: " + e.getMessage(), e);
        }
    }
}
