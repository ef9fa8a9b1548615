package io.nvmf.codec;

import java.math.BigInteger;
import java.nio.ByteBuffer;

/** An unsigned little-endian number of 1 to 8, or 16, bytes at a fixed place inside a structure. */
public interface NumberField {
    /** First byte, counted from the start of the structure. */
    int offset();

    int lengthBytes();

    /** The specification's abbreviation. */
    String name();

    /**
     * Reads the field of a structure that starts at {@code base}. Eight bytes fill the whole {@code long}, unsigned; of
     * sixteen a value above {@link Long#MAX_VALUE} is reported as that maximum, see {@link #readBig}.
     */
    default long read(ByteBuffer buffer, int base) {
        int at = base + offset();
        if (lengthBytes() == 16) {
            long low = buffer.getLong(at);
            return buffer.getLong(at + 8) != 0 || low < 0 ? Long.MAX_VALUE : low;
        }
        long value = 0;
        for (int i = lengthBytes() - 1; i >= 0; i--) {
            value = value << 8 | buffer.get(at + i) & 0xFF;
        }
        return value;
    }

    /** Reads the field exactly, whatever its length. */
    default BigInteger readBig(ByteBuffer buffer, int base) {
        byte[] bigEndian = new byte[lengthBytes()];
        for (int i = 0; i < bigEndian.length; i++) {
            bigEndian[bigEndian.length - 1 - i] = buffer.get(base + offset() + i);
        }
        return new BigInteger(1, bigEndian);
    }

    /**
     * Writes the field of a structure that starts at {@code base}; all 64 bits count as unsigned.
     *
     * @throws IllegalArgumentException when the value needs more bytes than the field has
     */
    default void write(ByteBuffer buffer, int base, long value) {
        int length = lengthBytes();
        if (length < 8 && value >>> 8 * length != 0) {
            throw new IllegalArgumentException(name() + " has " + length + " bytes, too few for " + value);
        }
        for (int i = 0; i < length; i++) {
            buffer.put(base + offset() + i, i < 8 ? (byte) (value >>> 8 * i) : 0);
        }
    }
}
