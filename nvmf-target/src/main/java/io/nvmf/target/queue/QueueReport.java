package io.nvmf.target.queue;

import io.nvmf.codec.log.TransportType;

/**
 * How the data of one queue's commands has travelled so far: the figures that show which path is taken.
 *
 * @param peer the host's address
 * @param queueId 0 for the admin queue
 * @param inCapsuleCommands commands whose data came in the capsule
 * @param fetchedCommands commands whose data was fetched from the host
 * @param fetchRequests R2Ts, or work requests of RDMA READ, for that
 * @param sentCommands commands whose data was sent to the host before they were completed
 * @param sendRequests C2HData PDUs, or work requests of RDMA WRITE, for that
 */
public record QueueReport(
        TransportType transport,
        String peer,
        String subsystemNqn,
        int controllerId,
        int queueId,
        long inCapsuleCommands,
        long inCapsuleBytes,
        long fetchedCommands,
        long fetchedBytes,
        long fetchRequests,
        long sentCommands,
        long sentBytes,
        long sendRequests) {
    /** For a log line. */
    @Override
    public String toString() {
        boolean rdma = transport == TransportType.RDMA;
        return "queue " + queueId + " of controller " + controllerId + " (" + transport + "): data of "
                + inCapsuleCommands + " commands in capsules (" + inCapsuleBytes + " bytes), of " + fetchedCommands
                + " fetched (" + fetchedBytes + " bytes, " + fetchRequests + (rdma ? " RDMA READs" : " R2Ts") + "), of "
                + sentCommands + " sent (" + sentBytes + " bytes, " + sendRequests
                + (rdma ? " RDMA WRITEs" : " C2HData PDUs") + ")";
    }
}
