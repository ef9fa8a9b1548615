package io.nvmf.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** Hand-made bytes for layout tests: hexadecimal text, blanks ignored. */
public final class TestBytes {
    private static final HexFormat SPACED = HexFormat.ofDelimiter(" ");

    private TestBytes() {}

    /** A little-endian buffer with exactly these bytes. */
    public static ByteBuffer of(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replaceAll("\\s+", ""));
        return Bytes.allocate(bytes.length).put(0, bytes);
    }

    /** A buffer full of old bytes, to see that whoever writes it leaves none behind. */
    public static ByteBuffer dirty(int lengthBytes) {
        ByteBuffer buffer = Bytes.allocate(lengthBytes);
        Arrays.fill(buffer.array(), (byte) 0xEE);
        return buffer;
    }

    /** Bytes as lower-case hexadecimal text, separated by blanks. */
    public static String hex(ByteBuffer buffer, int offset, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        buffer.get(offset, bytes);
        return SPACED.formatHex(bytes);
    }

    /** The bytes at {@code offset} are those of {@code hex}, written as {@link #hex} writes them. */
    public static void assertBytes(String hex, ByteBuffer buffer, int offset) {
        assertEquals(hex, hex(buffer, offset, (hex.length() + 1) / 3));
    }

    /** All bytes from {@code offset} to {@code end} are zero. */
    public static void assertZero(ByteBuffer buffer, int offset, int end) {
        for (int i = offset; i < end; i++) {
            assertEquals(0, buffer.get(i), "byte " + i);
        }
    }
}
