package io.nvmf.initiator;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A command capsule as the scripted RDMA target received it, taken apart by hand. */
record ReceivedCapsule(int queueId, byte[] bytes) {
    /** A keyed descriptor. */
    record Keyed(long address, int lengthBytes, int key, int identifier) {}

    int u8(int offset) {
        return bytes[offset] & 0xFF;
    }

    int u16(int offset) {
        return buffer().getShort(offset) & 0xFFFF;
    }

    int i32(int offset) {
        return buffer().getInt(offset);
    }

    long i64(int offset) {
        return buffer().getLong(offset);
    }

    int opcode() {
        return u8(0);
    }

    int commandId() {
        return u16(2);
    }

    int cdw(int n) {
        return i32(4 * n);
    }

    /** Byte 15 of SGL1. */
    int sglIdentifier() {
        return u8(39);
    }

    /** SGL1 as a keyed descriptor. */
    Keyed keyed() {
        return keyedAt(24);
    }

    /** The keyed descriptor at an offset of the capsule. */
    Keyed keyedAt(int offset) {
        return new Keyed(i64(offset), i32(offset + 8) & 0xFF_FFFF, i32(offset + 11), u8(offset + 15));
    }

    /** The bytes from an offset of the capsule on. */
    byte[] from(int offset) {
        return Arrays.copyOfRange(bytes, offset, bytes.length);
    }

    private ByteBuffer buffer() {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
