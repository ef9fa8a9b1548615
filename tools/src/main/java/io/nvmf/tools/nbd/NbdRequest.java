package io.nvmf.tools.nbd;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * A request: magic, flags (2 bytes), type (2), cookie (8), offset (8), length (4). Its data, if it has some, is in a direct
 * buffer that belongs to it, and so are the blocks of which it covers a part.
 */
final class NbdRequest {
    private final int flags;
    private final int type;
    private final long cookie;
    private final long offset;
    private final long lengthBytes;
    private ByteBuf data = Unpooled.EMPTY_BUFFER;
    private ByteBuf edges = Unpooled.EMPTY_BUFFER;

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

    /** Data it brings or asks for. Of a request that was found good. */
    int dataBytes() {
        return type == Nbd.COMMAND_READ || type == Nbd.COMMAND_WRITE ? (int) lengthBytes : 0;
    }

    /** Blocks that are read for it because it covers only a part of them. Of a request that was found good. */
    int edgeBytes(int blockBytes) {
        return switch (type) {
            case Nbd.COMMAND_READ, Nbd.COMMAND_WRITE, Nbd.COMMAND_WRITE_ZEROES ->
                Span.of(this, blockBytes).edgeBlockBytes();
            default -> 0;
        };
    }

    ByteBuf data() {
        return data;
    }

    ByteBuf edges() {
        return edges;
    }

    /** Buffers, which belong to it from now on; {@link Unpooled#EMPTY_BUFFER} for none. */
    void buffers(ByteBuf data, ByteBuf edges) {
        this.data = data;
        this.edges = edges;
    }

    /** The data, which is the caller's from now on; the other buffer is released. */
    ByteBuf takeData() {
        ByteBuf taken = data;
        edges.release();
        buffers(Unpooled.EMPTY_BUFFER, Unpooled.EMPTY_BUFFER);
        return taken;
    }
}
