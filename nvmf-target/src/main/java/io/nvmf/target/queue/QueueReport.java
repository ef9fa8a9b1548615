package io.nvmf.target.queue;

import io.nvmf.codec.log.TransportType;

/**
 * What one queue has done so far.
 *
 * @param peer the host's address
 * @param queueId 0 for the admin queue
 */
public record QueueReport(
        TransportType transport, String peer, String subsystemNqn, int controllerId, int queueId, DataCounts data) {
    /** For a log line. */
    @Override
    public String toString() {
        boolean rdma = transport == TransportType.RDMA;
        return "queue " + queueId + " of controller " + controllerId + " (" + transport + "): data of "
                + data.inCapsuleCommands() + " commands in capsules (" + data.inCapsuleBytes() + " bytes), of "
                + data.fetchedCommands() + " fetched (" + data.fetchedBytes() + " bytes, " + data.fetchRequests()
                + (rdma ? " RDMA READs" : " R2Ts") + "), of " + data.sentCommands() + " sent (" + data.sentBytes()
                + " bytes, " + data.sendRequests() + (rdma ? " RDMA WRITEs" : " C2HData PDUs") + ")";
    }
}
