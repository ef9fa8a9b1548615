package io.nvmf.codec.tcp;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * ICReq and ICResp, the first PDU each way (NVMe/TCP 1.0 s3.6.2.1 and s3.6.2.2): 8-9 PFV, 10 HPDA or CPDA (zero-based
 * dwords), 11 DGST, 12-15 MAXR2T (ICReq, zero based) or MAXH2CDATA (ICResp, bytes), 16-127 reserved.
 */
public final class InitializeConnection {
    public static final int BYTES = 128;
    public static final int PFV_OFFSET = 8;
    public static final int ALIGNMENT_OFFSET = 10;
    public static final int DIGEST_OFFSET = 11;
    public static final int MAX_R2T_OFFSET = 12;
    public static final int MAX_H2C_DATA_OFFSET = 12;

    public static final int DIGEST_HEADER = 1;
    public static final int DIGEST_DATA = 1 << 1;

    private InitializeConnection() {}

    /** Writes all 128 bytes of an ICReq. */
    public static void encodeRequest(ByteBuffer header, int hpda, int digests, long maxR2tZeroBased) {
        encode(header, PduType.IC_REQ, hpda, digests);
        header.putInt(MAX_R2T_OFFSET, (int) maxR2tZeroBased);
    }

    /** Writes all 128 bytes of an ICResp. */
    public static void encodeResponse(ByteBuffer header, int cpda, int digests, long maxH2cDataBytes) {
        encode(header, PduType.IC_RESP, cpda, digests);
        header.putInt(MAX_H2C_DATA_OFFSET, (int) maxH2cDataBytes);
    }

    private static void encode(ByteBuffer header, PduType type, int alignment, int digests) {
        Bytes.requireLittleEndian(header);
        Bytes.zero(header, 0, BYTES);
        PduHeader.encode(header, type, 0, 0, BYTES);
        header.put(ALIGNMENT_OFFSET, (byte) alignment);
        header.put(DIGEST_OFFSET, (byte) digests);
    }

    public static int formatVersion(ByteBuffer header) {
        return Bytes.u16(header, PFV_OFFSET);
    }

    /** HPDA or CPDA, zero-based dwords: data starts at multiples of 4 * (this + 1). */
    public static int alignmentZeroBased(ByteBuffer header) {
        return Bytes.u8(header, ALIGNMENT_OFFSET);
    }

    public static int digests(ByteBuffer header) {
        return Bytes.u8(header, DIGEST_OFFSET);
    }

    /** ICReq: how many R2Ts a command may have outstanding, zero based. */
    public static long maxR2tZeroBased(ByteBuffer header) {
        return Bytes.u32(header, MAX_R2T_OFFSET);
    }

    /** ICResp: the most data one H2CData PDU may carry, in bytes. */
    public static long maxH2cDataBytes(ByteBuffer header) {
        return Bytes.u32(header, MAX_H2C_DATA_OFFSET);
    }
}
