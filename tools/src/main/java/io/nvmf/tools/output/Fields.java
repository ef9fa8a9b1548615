package io.nvmf.tools.output;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.NumberField;
import io.nvmf.codec.Structure;
import java.io.PrintStream;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Named values in order, as text ({@code vid       : 0x1b36}) or JSON. */
public final class Fields {
    private static final int NAME_WIDTH = 9;

    /** Numbers, or texts. In text a number may look different from JSON, where it is a plain number. */
    private record Value(Object json, String text) {}

    private final Map<String, Value> values = new LinkedHashMap<>();

    public Fields put(String name, String text) {
        values.put(name, new Value(text, text));
        return this;
    }

    public Fields put(String name, BigInteger number, boolean isHex) {
        values.put(name, new Value(number, isHex ? "0x" + number.toString(16) : number.toString()));
        return this;
    }

    /** Adds numbers of a structure under the specification's names. */
    public <F extends NumberField> Fields putAll(Structure<F> structure, Iterable<F> fields, Set<F> hexFields) {
        for (F field : fields) {
            put(field.name().toLowerCase(Locale.ROOT), structure.getBig(field), hexFields.contains(field));
        }
        return this;
    }

    /** As {@link #print}, in the form of nvme-cli's discovery log: {@code trtype:  tcp}. */
    public void printList(PrintStream out) {
        values.forEach((name, value) -> out.printf("%-" + (NAME_WIDTH - 1) + "s %s%n", name + ":", value.text()));
    }

    public void print(PrintStream out) {
        values.forEach((name, value) -> out.printf("%-" + NAME_WIDTH + "s : %s%n", name, value.text()));
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object();
        values.forEach((name, value) -> {
            if (value.json() instanceof BigInteger number) {
                json.put(name, number);
            } else {
                json.put(name, (String) value.json());
            }
        });
        return json;
    }
}
