package io.nvmf.codec.tcp;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.Sqe;
import java.nio.ByteBuffer;

/**
 * CapsuleCmd and CapsuleResp (NVMe/TCP 1.0 s3.6.2.4 and s3.6.2.5): the submission queue entry in 8-71, the completion
 * queue entry in 8-23.
 */
public final class Capsule {
    public static final int ENTRY_OFFSET = 8;
    public static final int COMMAND_BYTES = ENTRY_OFFSET + Sqe.BYTES;
    public static final int RESPONSE_BYTES = ENTRY_OFFSET + Cqe.BYTES;

    private Capsule() {}

    /** Writes the common header of a CapsuleCmd; the entry is written by the caller at {@link #ENTRY_OFFSET}. */
    public static void encodeCommandHeader(ByteBuffer header, PduFormat format, int dataBytes) {
        DataPdu.encodeHeader(header, PduType.CAPSULE_CMD, format, 0, dataBytes);
    }

    /** Writes the common header of a CapsuleResp; the entry is written by the caller at {@link #ENTRY_OFFSET}. */
    public static void encodeResponseHeader(ByteBuffer header, PduFormat format) {
        DataPdu.encodeHeader(header, PduType.CAPSULE_RESP, format, 0, 0);
    }
}
