package io.nvmf.codec.tcp;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * The common header of every PDU (NVMe/TCP 1.0 s3.6.1): 0 type, 1 flags, 2 HLEN, 3 PDO, 4-7 PLEN. Static access: the
 * header always stands at offset 0 of its buffer.
 */
public final class PduHeader {
    public static final int BYTES = 8;
    /** The longest header, ICReq's and ICResp's. */
    public static final int MAX_BYTES = 128;

    public static final int TYPE_OFFSET = 0;
    public static final int FLAGS_OFFSET = 1;
    public static final int HLEN_OFFSET = 2;
    public static final int PDO_OFFSET = 3;
    public static final int PLEN_OFFSET = 4;

    /** HDGSTF: a header digest follows the header. */
    public static final int HEADER_DIGEST = 1;
    /** DDGSTF: a data digest follows the data. */
    public static final int DATA_DIGEST = 1 << 1;
    /** LAST_PDU: the last data PDU of a transfer. */
    public static final int LAST_PDU = 1 << 2;
    /** SUCCESS: no response capsule follows the data. */
    public static final int SUCCESS = 1 << 3;

    private PduHeader() {}

    static void encode(ByteBuffer header, PduType type, int flags, int pdo, int plen) {
        header.put(TYPE_OFFSET, (byte) type.code());
        header.put(FLAGS_OFFSET, (byte) flags);
        header.put(HLEN_OFFSET, (byte) type.headerBytes());
        header.put(PDO_OFFSET, (byte) pdo);
        header.putInt(PLEN_OFFSET, plen);
    }

    public static int type(ByteBuffer header) {
        return Bytes.u8(header, TYPE_OFFSET);
    }

    public static int flags(ByteBuffer header) {
        return Bytes.u8(header, FLAGS_OFFSET);
    }

    public static boolean hasFlag(ByteBuffer header, int flag) {
        return (header.get(FLAGS_OFFSET) & flag) != 0;
    }

    public static int headerLength(ByteBuffer header) {
        return Bytes.u8(header, HLEN_OFFSET);
    }

    public static int dataOffset(ByteBuffer header) {
        return Bytes.u8(header, PDO_OFFSET);
    }

    public static long pduLength(ByteBuffer header) {
        return Bytes.u32(header, PLEN_OFFSET);
    }
}
