package io.nvmf.codec.tcp;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/** Ready to Transfer (NVMe/TCP 1.0 s3.6.2.8): 8-9 CCCID, 10-11 TTAG, 12-15 R2TO, 16-19 R2TL, 20-23 reserved. */
public final class R2T {
    public static final int BYTES = 24;
    public static final int COMMAND_ID_OFFSET = 8;
    public static final int TRANSFER_TAG_OFFSET = 10;
    public static final int OFFSET_OFFSET = 12;
    public static final int LENGTH_OFFSET = 16;

    private R2T() {}

    public static void encode(
            ByteBuffer header, PduFormat format, int commandId, int transferTag, long offsetBytes, long lengthBytes) {
        DataPdu.encodeHeader(header, PduType.R2T, format, 0, 0);
        header.putShort(COMMAND_ID_OFFSET, (short) commandId);
        header.putShort(TRANSFER_TAG_OFFSET, (short) transferTag);
        header.putInt(OFFSET_OFFSET, (int) offsetBytes);
        header.putInt(LENGTH_OFFSET, (int) lengthBytes);
        header.putInt(20, 0);
    }

    public static int commandId(ByteBuffer header) {
        return Bytes.u16(header, COMMAND_ID_OFFSET);
    }

    public static int transferTag(ByteBuffer header) {
        return Bytes.u16(header, TRANSFER_TAG_OFFSET);
    }

    /** R2TO: where in the command's data the wanted piece starts, in bytes. */
    public static long offsetBytes(ByteBuffer header) {
        return Bytes.u32(header, OFFSET_OFFSET);
    }

    /** R2TL in bytes. */
    public static long lengthBytes(ByteBuffer header) {
        return Bytes.u32(header, LENGTH_OFFSET);
    }
}
