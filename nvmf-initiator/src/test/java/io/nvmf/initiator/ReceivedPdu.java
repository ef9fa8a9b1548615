package io.nvmf.initiator;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A PDU as the scripted target received it: header without digest, and data without digest. */
record ReceivedPdu(int queueId, byte[] header, byte[] data) {
    static final int IC_REQ = 0x00;
    static final int H2C_TERM_REQ = 0x02;
    static final int CAPSULE_CMD = 0x04;
    static final int H2C_DATA = 0x06;

    int type() {
        return header[0] & 0xFF;
    }

    int flags() {
        return header[1] & 0xFF;
    }

    int pdo() {
        return header[3] & 0xFF;
    }

    int u8(int offset) {
        return header[offset] & 0xFF;
    }

    int u16(int offset) {
        return bytes().getShort(offset) & 0xFFFF;
    }

    int i32(int offset) {
        return bytes().getInt(offset);
    }

    long i64(int offset) {
        return bytes().getLong(offset);
    }

    /** Opcode of a command capsule. */
    int opcode() {
        return u8(8);
    }

    /** FCTYPE of a fabrics command. */
    int fabricsType() {
        return u8(12);
    }

    int commandId() {
        return u16(10);
    }

    /** Length in SGL1. */
    int sglLength() {
        return i32(8 + 24 + 8);
    }

    /** Byte 15 of SGL1. */
    int sglIdentifier() {
        return u8(8 + 24 + 15);
    }

    /** Command dword {@code n} of a command capsule. */
    int cdw(int n) {
        return i32(8 + 4 * n);
    }

    private ByteBuffer bytes() {
        return ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
    }
}
