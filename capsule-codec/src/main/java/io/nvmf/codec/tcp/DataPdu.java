package io.nvmf.codec.tcp;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * H2CData and C2HData (NVMe/TCP 1.0 s3.6.2.6 and s3.6.2.7): 8-9 CCCID, 10-11 TTAG (reserved in C2HData), 12-15 DATAO,
 * 16-19 DATAL, 20-23 reserved.
 */
public final class DataPdu {
    public static final int BYTES = 24;
    public static final int COMMAND_ID_OFFSET = 8;
    public static final int TRANSFER_TAG_OFFSET = 10;
    public static final int DATA_OFFSET_OFFSET = 12;
    public static final int DATA_LENGTH_OFFSET = 16;

    private DataPdu() {}

    /**
     * Writes the header of an H2CData PDU.
     *
     * @param offsetBytes DATAO, into the data of the command
     * @param flags {@link PduHeader#LAST_PDU} as it applies
     */
    public static void encodeH2C(
            ByteBuffer header,
            PduFormat format,
            int commandId,
            int transferTag,
            long offsetBytes,
            int lengthBytes,
            int flags) {
        encodeHeader(header, PduType.H2C_DATA, format, flags, lengthBytes);
        encodeFields(header, commandId, transferTag, offsetBytes, lengthBytes);
    }

    /**
     * Writes the header of a C2HData PDU.
     *
     * @param flags {@link PduHeader#LAST_PDU} and {@link PduHeader#SUCCESS} as they apply
     */
    public static void encodeC2H(
            ByteBuffer header, PduFormat format, int commandId, long offsetBytes, int lengthBytes, int flags) {
        encodeHeader(header, PduType.C2H_DATA, format, flags, lengthBytes);
        encodeFields(header, commandId, 0, offsetBytes, lengthBytes);
    }

    private static void encodeFields(ByteBuffer header, int commandId, int transferTag, long offset, int length) {
        header.putShort(COMMAND_ID_OFFSET, (short) commandId);
        header.putShort(TRANSFER_TAG_OFFSET, (short) transferTag);
        header.putInt(DATA_OFFSET_OFFSET, (int) offset);
        header.putInt(DATA_LENGTH_OFFSET, length);
        header.putInt(20, 0);
    }

    /** Common header with the digest flags, PDO and PLEN that the format demands for so much data. */
    static void encodeHeader(ByteBuffer header, PduType type, PduFormat format, int flags, int dataBytes) {
        Bytes.requireLittleEndian(header);
        int end = type.headerBytes() + format.headerDigestBytes(type);
        int all = flags | (format.headerDigest() ? PduHeader.HEADER_DIGEST : 0);
        if (dataBytes == 0) {
            PduHeader.encode(header, type, all, 0, end);
        } else {
            int pdo = format.dataOffset(type);
            all |= format.dataDigest() ? PduHeader.DATA_DIGEST : 0;
            PduHeader.encode(header, type, all, pdo, pdo + dataBytes + format.dataDigestBytes());
        }
    }

    public static int commandId(ByteBuffer header) {
        return Bytes.u16(header, COMMAND_ID_OFFSET);
    }

    /** TTAG of an H2CData PDU. */
    public static int transferTag(ByteBuffer header) {
        return Bytes.u16(header, TRANSFER_TAG_OFFSET);
    }

    /** DATAO in bytes. */
    public static long offsetBytes(ByteBuffer header) {
        return Bytes.u32(header, DATA_OFFSET_OFFSET);
    }

    /** DATAL in bytes. */
    public static long lengthBytes(ByteBuffer header) {
        return Bytes.u32(header, DATA_LENGTH_OFFSET);
    }
}
