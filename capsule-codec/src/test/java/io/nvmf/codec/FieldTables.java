package io.nvmf.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares a table of fields with a second, hand-made one: lines of name, first byte, bytes. */
public final class FieldTables {
    private FieldTables() {}

    /**
     * For each line puts the bytes 11h, 12h .. at the field's place of an otherwise zero structure, and expects the
     * number they make from the field of that name and zero from every field elsewhere; then writes the number and
     * expects the same bytes.
     */
    public static <F extends NumberField, S extends Structure<F>> void check(
            F[] fields, BiFunction<ByteBuffer, Integer, S> decode, int structureBytes, String table) {
        Function<String, F> byName = name -> Arrays.stream(fields)
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no field " + name));
        Set<String> seen = new TreeSet<>();
        for (String line : table.strip().split("\n")) {
            String[] columns = line.strip().split("\\s+");
            F field = byName.apply(columns[0]);
            seen.add(columns[0]);
            checkField(
                    fields, field, decode, structureBytes, Integer.parseInt(columns[1]), Integer.parseInt(columns[2]));
        }
        assertEquals(Arrays.stream(fields).map(NumberField::name).collect(Collectors.toCollection(TreeSet::new)), seen);
    }

    private static <F extends NumberField, S extends Structure<F>> void checkField(
            F[] fields, F field, BiFunction<ByteBuffer, Integer, S> decode, int bytes, int offset, int length) {
        assertEquals(offset, field.offset(), field.name());
        assertEquals(length, field.lengthBytes(), field.name());
        ByteBuffer expected = Bytes.allocate(bytes);
        BigInteger value = BigInteger.ZERO;
        for (int i = 0; i < Math.min(length, 8); i++) {
            expected.put(offset + i, (byte) (0x11 + i));
            value = value.add(BigInteger.valueOf(0x11 + i).shiftLeft(8 * i));
        }
        S structure = decode.apply(expected, 0);
        assertEquals(value.longValueExact(), structure.get(field), field.name());
        assertEquals(value, structure.getBig(field), field.name());
        for (F other : fields) {
            boolean apart = other.offset() + other.lengthBytes() <= offset || offset + length <= other.offset();
            if (apart) {
                assertEquals(0, structure.get(other), other.name() + " when only " + field.name() + " is set");
            }
        }

        S written = decode.apply(Bytes.allocate(bytes), 0);
        written.set(field, value.longValueExact());
        ByteBuffer actual = TestBytes.dirty(bytes);
        written.encode(actual, 0);
        assertEquals(expected, actual, field.name());
    }
}
