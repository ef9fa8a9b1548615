package io.nvmf.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Field access that several layouts share. All offsets are absolute; no method moves a buffer's position. */
public final class Bytes {
    private Bytes() {}

    /** A new zero-filled little-endian heap buffer. */
    public static ByteBuffer allocate(int lengthBytes) {
        return ByteBuffer.allocate(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    public static int u8(ByteBuffer buffer, int offset) {
        return buffer.get(offset) & 0xFF;
    }

    public static int u16(ByteBuffer buffer, int offset) {
        return buffer.getShort(offset) & 0xFFFF;
    }

    public static long u32(ByteBuffer buffer, int offset) {
        return buffer.getInt(offset) & 0xFFFF_FFFFL;
    }

    /** Eight bytes whose first is the most significant, whatever the buffer's order: EUI64, NGUID and UUID only. */
    public static long i64BigEndian(ByteBuffer buffer, int offset) {
        long value = buffer.getLong(offset);
        return buffer.order() == ByteOrder.BIG_ENDIAN ? value : Long.reverseBytes(value);
    }

    public static void putI64BigEndian(ByteBuffer buffer, int offset, long value) {
        buffer.putLong(offset, buffer.order() == ByteOrder.BIG_ENDIAN ? value : Long.reverseBytes(value));
    }

    /** Throws {@link IllegalArgumentException} when the buffer would read its numbers in the wrong byte order. */
    public static ByteBuffer requireLittleEndian(ByteBuffer buffer) {
        if (buffer.order() != ByteOrder.LITTLE_ENDIAN) {
            throw new IllegalArgumentException("NVMe structures need a little-endian buffer");
        }
        return buffer;
    }

    /**
     * Throws {@link IllegalArgumentException} unless the buffer is little-endian and {@code lengthBytes} bytes at
     * {@code offset} are all inside its limit.
     */
    public static ByteBuffer requireRange(ByteBuffer buffer, int offset, int lengthBytes) {
        requireLittleEndian(buffer);
        if (offset < 0 || lengthBytes < 0 || offset > buffer.limit() - lengthBytes) {
            throw new IllegalArgumentException("a structure of " + lengthBytes + " bytes at offset " + offset
                    + " does not fit a buffer of " + buffer.limit());
        }
        return buffer;
    }

    /** Writes {@code lengthBytes} zero bytes at {@code offset}. */
    public static void zero(ByteBuffer buffer, int offset, int lengthBytes) {
        int end = offset + lengthBytes;
        int at = offset;
        for (; at + 8 <= end; at += 8) {
            buffer.putLong(at, 0);
        }
        for (; at < end; at++) {
            buffer.put(at, (byte) 0);
        }
    }

    /** Writes ASCII text into a field of fixed length, cut or filled up with {@code pad}. */
    public static void putAscii(ByteBuffer buffer, int offset, int lengthBytes, String text, char pad) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < lengthBytes; i++) {
            buffer.put(offset + i, i < bytes.length ? bytes[i] : (byte) pad);
        }
    }

    /** Reads an ASCII field of fixed length; ends at the first NUL, trailing spaces are dropped. */
    public static String getAscii(ByteBuffer buffer, int offset, int lengthBytes) {
        return getText(buffer, offset, lengthBytes, StandardCharsets.US_ASCII).stripTrailing();
    }

    /** Writes NUL-terminated UTF-8 text into a field of fixed length; longer text is refused. */
    public static void putUtf8(ByteBuffer buffer, int offset, int lengthBytes, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length >= lengthBytes) {
            throw new IllegalArgumentException("text of " + bytes.length + " bytes does not fit " + lengthBytes);
        }
        zero(buffer, offset, lengthBytes);
        for (int i = 0; i < bytes.length; i++) {
            buffer.put(offset + i, bytes[i]);
        }
    }

    /** Reads a NUL-terminated UTF-8 field; without a terminator the whole field is the text. */
    public static String getUtf8(ByteBuffer buffer, int offset, int lengthBytes) {
        return getText(buffer, offset, lengthBytes, StandardCharsets.UTF_8);
    }

    /** Whether a field of fixed length contains the NUL that must end its text. */
    public static boolean isTerminated(ByteBuffer buffer, int offset, int lengthBytes) {
        return textLength(buffer, offset, lengthBytes) < lengthBytes;
    }

    private static String getText(ByteBuffer buffer, int offset, int lengthBytes, java.nio.charset.Charset charset) {
        byte[] bytes = new byte[textLength(buffer, offset, lengthBytes)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = buffer.get(offset + i);
        }
        return new String(bytes, charset);
    }

    private static int textLength(ByteBuffer buffer, int offset, int lengthBytes) {
        for (int i = 0; i < lengthBytes; i++) {
            if (buffer.get(offset + i) == 0) {
                return i;
            }
        }
        return lengthBytes;
    }
}
