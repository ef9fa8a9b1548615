package io.nvmf.target.transport.rdma;

import io.nvmf.codec.rdma.ConnectRequestData;
import io.nvmf.codec.rdma.RejectReason;
import io.nvmf.target.config.TargetLimits;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a host asks for with a connection (NVMe-oF 1.1 s7.3).
 *
 * @param queueId 0 for the admin queue
 * @param sendQueueSizeZeroBased HSQSIZE, which bounds SQSIZE of the Connect that follows
 * @param reads RDMA READs that may be outstanding at the host
 */
record QueueRequest(int queueId, int sendQueueSizeZeroBased, int reads) {
    /** Hosts' admin queues have 32 entries. */
    private static final int ADMIN_QUEUE_DEPTH = 32;

    /** Why there will be no connection. */
    static final class Refusal extends Exception {
        private static final long serialVersionUID = 1;

        private final RejectReason reason;

        Refusal(RejectReason reason, String message) {
            super(message, null, false, false);
            this.reason = reason;
        }

        RejectReason reason() {
            return reason;
        }
    }

    /** @param privateData of the request, perhaps padded, at position 0 */
    static QueueRequest read(ByteBuffer privateData, int initiatorDepth, TargetLimits limits) throws Refusal {
        if (privateData.remaining() < ConnectRequestData.BYTES) {
            throw new Refusal(
                    RejectReason.INVALID_PRIVATE_DATA_LENGTH,
                    "private data of " + privateData.remaining() + " bytes is too short");
        }
        ConnectRequestData data = ConnectRequestData.decode(privateData.slice().order(ByteOrder.LITTLE_ENDIAN), 0);
        require(
                data.recordFormat() == ConnectRequestData.RECORD_FORMAT,
                RejectReason.INVALID_RECORD_FORMAT,
                data.recordFormat());
        require(data.queueId() <= limits.maxIoQueues(), RejectReason.INVALID_QUEUE_ID, data.queueId());
        int hsqsize = data.sendQueueSizeZeroBased();
        int deepest = data.queueId() == 0 ? ADMIN_QUEUE_DEPTH : limits.maxQueueDepth();
        require(hsqsize > 0 && hsqsize < deepest, RejectReason.INVALID_HSQSIZE, hsqsize);
        // Hosts send the number of entries; to read it as zero based like HSQSIZE would be no error of theirs.
        require(data.receiveQueueEntries() >= hsqsize, RejectReason.INVALID_HRQSIZE, data.receiveQueueEntries());
        require(initiatorDepth > 0, RejectReason.INVALID_IRD, initiatorDepth);
        return new QueueRequest(data.queueId(), hsqsize, initiatorDepth);
    }

    private static void require(boolean right, RejectReason reason, int value) throws Refusal {
        if (!right) {
            throw new Refusal(reason, RejectReason.describe(reason.code()) + ": " + value);
        }
    }

    /** Commands that may be outstanding. */
    int depth() {
        return sendQueueSizeZeroBased + 1;
    }
}
