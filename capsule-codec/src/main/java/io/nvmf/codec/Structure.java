package io.nvmf.codec;

import java.math.BigInteger;
import java.nio.ByteBuffer;

/**
 * A structure of many fields that is exchanged rarely (identify data, a log page): its bytes, and numbers read and
 * written through the table of fields {@code F}. Fields nobody has a name for keep their bytes. Not thread safe while
 * fields are being set.
 */
public abstract class Structure<F extends NumberField> {
    private final ByteBuffer buffer;

    /** A structure over its own zero bytes. */
    protected Structure(int lengthBytes) {
        buffer = Bytes.allocate(lengthBytes);
    }

    /**
     * A structure over its own copy of {@code lengthBytes} bytes at absolute offset {@code offset} of {@code source}.
     *
     * @throws IllegalArgumentException when the source ends before the structure does
     */
    protected Structure(ByteBuffer source, int offset, int lengthBytes) {
        this(lengthBytes);
        buffer.put(0, Bytes.requireRange(source, offset, lengthBytes), offset, lengthBytes);
    }

    /** Length of the whole structure. */
    public final int lengthBytes() {
        return buffer.capacity();
    }

    /**
     * Copies all bytes to absolute offset {@code offset} of {@code target}.
     *
     * @throws IllegalArgumentException when the target ends before the structure does
     */
    public final void encode(ByteBuffer target, int offset) {
        Bytes.requireRange(target, offset, lengthBytes()).put(offset, buffer, 0, lengthBytes());
    }

    /** The field's value, see {@link NumberField#read}. */
    public final long get(F field) {
        return field.read(buffer, 0);
    }

    /** The field's exact value: for 16-byte counters. */
    public final BigInteger getBig(F field) {
        return field.readBig(buffer, 0);
    }

    /** Whether all bits of {@code mask} are set in the field. */
    public final boolean has(F field, long mask) {
        return (get(field) & mask) == mask;
    }

    /** Sets a number, see {@link NumberField#write}. */
    public final void set(F field, long value) {
        field.write(buffer, 0, value);
    }

    /** The structure's own little-endian bytes, from position 0. */
    protected final ByteBuffer buffer() {
        return buffer;
    }
}
