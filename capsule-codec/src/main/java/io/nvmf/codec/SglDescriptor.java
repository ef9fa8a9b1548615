package io.nvmf.codec;

import java.nio.ByteBuffer;

/**
 * A view of an SGL descriptor (NVMe Base 2.0 s4.1.2): bytes 0-7 address or offset, 8-11 length (8-10 when keyed),
 * 11-14 key when keyed, byte 15 type (7:4) and subtype (3:0).
 */
public final class SglDescriptor {
    public static final int BYTES = 16;
    public static final int LENGTH_OFFSET = 8;
    public static final int KEY_OFFSET = 11;
    public static final int IDENTIFIER_OFFSET = 15;

    /** Byte 15 of a data block at an offset inside the capsule: in-capsule data. */
    public static final int IN_CAPSULE = 0x01;
    /** Byte 15 of an NVMe/TCP transport data block: data travels by R2T and H2CData, or C2HData. */
    public static final int TRANSPORT_DATA_BLOCK = 0x5A;
    /** Byte 15 of a keyed data block: data travels by RDMA. */
    public static final int KEYED = 0x40;
    /** Byte 15 of a keyed data block whose key the response shall invalidate. */
    public static final int KEYED_INVALIDATE = 0x4F;
    /**
     * Byte 15 of a last segment at an offset inside the capsule, its length a multiple of 16: a list of keyed
     * descriptors that follows the command.
     */
    public static final int LAST_SEGMENT_IN_CAPSULE = 0x31;

    /** The most that a keyed descriptor describes. */
    public static final int KEYED_LENGTH_MAX = 0xFF_FFFF;

    private ByteBuffer buffer;
    private int offset;

    public SglDescriptor wrap(ByteBuffer buffer, int offset) {
        this.buffer = Bytes.requireLittleEndian(buffer);
        this.offset = offset;
        return this;
    }

    /** Writes all 16 bytes of an unkeyed descriptor. */
    public SglDescriptor set(int identifier, long address, long lengthBytes) {
        buffer.putLong(offset, address);
        buffer.putInt(offset + LENGTH_OFFSET, (int) lengthBytes);
        buffer.putInt(offset + 12, identifier << 24);
        return this;
    }

    /**
     * Writes all 16 bytes of a keyed descriptor; throws {@link IllegalArgumentException} for more than
     * {@link #KEYED_LENGTH_MAX} bytes.
     *
     * @param invalidate whether the response shall invalidate the key
     */
    public SglDescriptor setKeyed(long address, int lengthBytes, int key, boolean invalidate) {
        if (lengthBytes < 0 || lengthBytes > KEYED_LENGTH_MAX) {
            throw new IllegalArgumentException("a keyed descriptor cannot describe " + lengthBytes + " bytes");
        }
        int identifier = invalidate ? KEYED_INVALIDATE : KEYED;
        buffer.putLong(offset, address);
        buffer.putInt(offset + LENGTH_OFFSET, lengthBytes | key << 24);
        buffer.putInt(offset + 12, key >>> 8 | identifier << 24);
        return this;
    }

    /** Address, or offset inside the capsule for {@link #IN_CAPSULE} and {@link #LAST_SEGMENT_IN_CAPSULE}. Unsigned 64 bits. */
    public long address() {
        return buffer.getLong(offset);
    }

    /** Length in bytes of an unkeyed descriptor. */
    public long lengthBytes() {
        return Bytes.u32(buffer, offset + LENGTH_OFFSET);
    }

    /** Length in bytes of a keyed descriptor (24 bits). */
    public int keyedLengthBytes() {
        return buffer.getInt(offset + LENGTH_OFFSET) & 0xFF_FFFF;
    }

    /** Key of a keyed descriptor. */
    public int key() {
        return buffer.getInt(offset + KEY_OFFSET);
    }

    /** Byte 15: type in the high, subtype in the low half. */
    public int identifier() {
        return Bytes.u8(buffer, offset + IDENTIFIER_OFFSET);
    }
}
