package io.nvmf.codec.rdma;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * The private data with which a controller refuses a queue, RDMA_CM_REJECT (NVMe-oF 1.1 s7.3): 0-1 RECFMT, 2-3 STS.
 *
 * @param recordFormat {@link ConnectRequestData#RECORD_FORMAT} is the only one known
 * @param status a code of {@link RejectReason}, or one that is not known
 */
public record RejectData(int recordFormat, int status) {
    public static final int BYTES = 4;

    /** Writes all 4 bytes. */
    public void encode(ByteBuffer buffer, int offset) {
        Bytes.requireRange(buffer, offset, BYTES);
        buffer.putShort(offset, (short) recordFormat);
        buffer.putShort(offset + 2, (short) status);
    }

    public static RejectData decode(ByteBuffer buffer, int offset) {
        Bytes.requireRange(buffer, offset, BYTES);
        return new RejectData(Bytes.u16(buffer, offset), Bytes.u16(buffer, offset + 2));
    }
}
