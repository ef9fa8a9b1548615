package io.nvmf.target.transport.rdma;

import io.nvmf.codec.rdma.RejectReason;
import io.nvmf.target.transport.rdma.QueueRequest.Refusal;
import io.nvmf.transport.rdma.DeviceLimits;

/**
 * The measures of one queue's work.
 *
 * @param receives one more than the host may use, so that a capsule too many is seen
 * @param operations commands from the arrival of their capsule until the host has the response: those of a full queue, and
 *     as many whose responses are still under way when the host has sent the next
 * @param reads RDMA READs outstanding
 * @param answers places in the send queue for responses and the RDMA WRITEs before them
 */
record QueueSize(int receives, int operations, int reads, int answers) {
    /** A response and all WRITEs that a command may have. */
    private static final int LARGEST_ANSWER = SglReader.MAX_DESCRIPTORS + 1;

    private static final int WORK_REQUEST_BYTES = 160;

    static QueueSize of(QueueRequest request, DeviceLimits device) throws Refusal {
        int depth = request.depth();
        int receives = depth + 1;
        int reads = Math.min(Math.min(request.reads(), device.maxInitiatorReads()), device.maxWork() - LARGEST_ANSWER);
        int answers = Math.min(2 * depth + LARGEST_ANSWER, device.maxWork() - reads);
        boolean fits =
                reads > 0 && receives <= device.maxWork() && receives + reads + answers <= device.maxCompletions();
        if (!fits) {
            throw new Refusal(RejectReason.NO_RESOURCES, "the device has no queue pair of " + depth + " entries");
        }
        return new QueueSize(receives, 2 * depth, reads, answers);
    }

    int sends() {
        return reads + answers;
    }

    /** What the places of the send queue take up outside of Java's heap: a work request and its pieces each. */
    long sendBytes() {
        return (long) sends() * WORK_REQUEST_BYTES;
    }

    int completions() {
        return receives + sends();
    }
}
