package io.nvmf.codec.rdma;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * The private data with which a controller accepts a queue, RDMA_CM_ACCEPT (NVMe-oF 1.1 s7.3): 0-1 RECFMT,
 * 2-3 CRQSIZE.
 *
 * @param recordFormat {@link ConnectRequestData#RECORD_FORMAT} is the only one known
 * @param receiveQueueEntries CRQSIZE: how many commands the controller can take at a time
 */
public record AcceptData(int recordFormat, int receiveQueueEntries) {
    public static final int BYTES = 32;

    /** Writes all 32 bytes. */
    public void encode(ByteBuffer buffer, int offset) {
        Bytes.requireRange(buffer, offset, BYTES);
        Bytes.zero(buffer, offset, BYTES);
        buffer.putShort(offset, (short) recordFormat);
        buffer.putShort(offset + 2, (short) receiveQueueEntries);
    }

    public static AcceptData decode(ByteBuffer buffer, int offset) {
        Bytes.requireRange(buffer, offset, BYTES);
        return new AcceptData(Bytes.u16(buffer, offset), Bytes.u16(buffer, offset + 2));
    }
}
