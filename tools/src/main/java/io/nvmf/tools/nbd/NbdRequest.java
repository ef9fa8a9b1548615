package io.nvmf.tools.nbd;

import io.netty.buffer.ByteBuf;

/**
 * A request: magic, flags (2 bytes), type (2), cookie (8), offset (8), length (4). Its data, if it has some, is in a direct
 * buffer that belongs to it.
 */
final class NbdRequest {
    private final int flags;
    private final int type;
    private final long cookie;
    private final long offset;
    private final long lengthBytes;
    private ByteBuf data;

    NbdRequest(int flags, int type, long cookie, long offset, long lengthBytes) {
        this.flags = flags;
        this.type = type;
        this.cookie = cookie;
        this.offset = offset;
        this.lengthBytes = lengthBytes;
    }

    /** Looks at the next 28 bytes without using them up. */
    static NbdRequest peek(ByteBuf in) {
        int at = in.readerIndex();
        if (in.getInt(at) != Nbd.REQUEST_MAGIC) {
            throw new ProtocolException("a request without its magic number");
        }
        return new NbdRequest(
                in.getUnsignedShort(at + 4),
                in.getUnsignedShort(at + 6),
                in.getLong(at + 8),
                in.getLong(at + 16),
                in.getUnsignedInt(at + 24));
    }

    int flags() {
        return flags;
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    int type() {
        return type;
    }

    /** What the client knows it by. */
    long cookie() {
        return cookie;
    }

    /** Unsigned. */
    long offset() {
        return offset;
    }

    /** 0 to 2^32 - 1. */
    long lengthBytes() {
        return lengthBytes;
    }

    /** Memory it takes up. Of a request that was found good. */
    int dataBytes() {
        return type == Nbd.COMMAND_READ || type == Nbd.COMMAND_WRITE ? (int) lengthBytes : 0;
    }

    ByteBuf data() {
        return data;
    }

    void data(ByteBuf data) {
        this.data = data;
    }

    /** The data, which is the caller's from now on; null if there is none. */
    ByteBuf takeData() {
        ByteBuf taken = data;
        data = null;
        return taken;
    }
}
