package io.nvmf.codec.rdma;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * The private data of a request to connect a queue, RDMA_CM_REQUEST (NVMe-oF 1.1 s7.3): 0-1 RECFMT, 2-3 QID,
 * 4-5 HRQSIZE, 6-7 HSQSIZE, 8-9 CNTLID. It comes padded with zeros, to 56 bytes over InfiniBand and RoCE.
 *
 * @param recordFormat {@link #RECORD_FORMAT} is the only one known
 * @param queueId 0 for the admin queue
 * @param receiveQueueEntries HRQSIZE: how many responses the host can take at a time
 * @param sendQueueSizeZeroBased HSQSIZE: commands the host will have outstanding, less one; SQSIZE of the Connect that follows
 * @param controllerId of an I/O queue the controller it is to join, from hosts that say so; else 0
 */
public record ConnectRequestData(
        int recordFormat, int queueId, int receiveQueueEntries, int sendQueueSizeZeroBased, int controllerId) {
    public static final int BYTES = 32;
    public static final int RECORD_FORMAT = 0;

    /** Writes all 32 bytes. */
    public void encode(ByteBuffer buffer, int offset) {
        Bytes.requireRange(buffer, offset, BYTES);
        Bytes.zero(buffer, offset, BYTES);
        buffer.putShort(offset, (short) recordFormat);
        buffer.putShort(offset + 2, (short) queueId);
        buffer.putShort(offset + 4, (short) receiveQueueEntries);
        buffer.putShort(offset + 6, (short) sendQueueSizeZeroBased);
        buffer.putShort(offset + 8, (short) controllerId);
    }

    public static ConnectRequestData decode(ByteBuffer buffer, int offset) {
        Bytes.requireRange(buffer, offset, BYTES);
        return new ConnectRequestData(
                Bytes.u16(buffer, offset),
                Bytes.u16(buffer, offset + 2),
                Bytes.u16(buffer, offset + 4),
                Bytes.u16(buffer, offset + 6),
                Bytes.u16(buffer, offset + 8));
    }
}
