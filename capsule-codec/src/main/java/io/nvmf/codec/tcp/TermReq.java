package io.nvmf.codec.tcp;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/** H2CTermReq and C2HTermReq (NVMe/TCP 1.0 s3.6.2.3): 8-9 FES, 10-13 FEI, 24.. the header of the refused PDU. */
public final class TermReq {
    public static final int BYTES = 24;
    public static final int STATUS_OFFSET = 8;
    public static final int INFORMATION_OFFSET = 10;

    private TermReq() {}

    /**
     * Writes the whole PDU: 24 bytes, then {@code refusedBytes} bytes of {@code refused}.
     *
     * @param term at least 24 + refusedBytes long
     * @param refused the start of the PDU that could not be accepted
     * @param refusedBytes at most 128
     * @return PLEN
     */
    public static int encode(ByteBuffer term, PduType type, PduException reason, ByteBuffer refused, int refusedBytes) {
        Bytes.zero(Bytes.requireLittleEndian(term), 0, BYTES);
        PduHeader.encode(term, type, 0, 0, BYTES + refusedBytes);
        term.putShort(STATUS_OFFSET, (short) reason.status().code());
        term.putInt(INFORMATION_OFFSET, reason.information());
        for (int i = 0; i < refusedBytes; i++) {
            term.put(BYTES + i, refused.get(i));
        }
        return BYTES + refusedBytes;
    }

    public static int status(ByteBuffer header) {
        return Bytes.u16(header, STATUS_OFFSET);
    }

    public static int information(ByteBuffer header) {
        return header.getInt(INFORMATION_OFFSET);
    }
}
