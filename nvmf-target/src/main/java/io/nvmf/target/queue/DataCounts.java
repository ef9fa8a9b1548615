package io.nvmf.target.queue;

import io.nvmf.target.controller.QueueCounters;
import io.nvmf.target.controller.QueueCounters.Counter;

/**
 * How the data of commands has travelled, Connect apart: the figures that show which path is taken.
 *
 * @param inCapsuleCommands commands whose data came in the capsule
 * @param fetchedCommands commands whose data was fetched from the host
 * @param fetchRequests R2Ts, or work requests of RDMA READ, for that
 * @param sentCommands commands whose data was sent to the host before they were completed
 * @param sendRequests C2HData PDUs, or work requests of RDMA WRITE, for that
 */
public record DataCounts(
        long inCapsuleCommands,
        long inCapsuleBytes,
        long fetchedCommands,
        long fetchedBytes,
        long fetchRequests,
        long sentCommands,
        long sentBytes,
        long sendRequests) {
    static DataCounts of(QueueCounters counters) {
        return new DataCounts(
                counters.get(Counter.IN_CAPSULE_COMMANDS),
                counters.get(Counter.IN_CAPSULE_BYTES),
                counters.get(Counter.FETCHED_COMMANDS),
                counters.get(Counter.FETCHED_BYTES),
                counters.get(Counter.FETCH_REQUESTS),
                counters.get(Counter.SENT_COMMANDS),
                counters.get(Counter.SENT_BYTES),
                counters.get(Counter.SEND_REQUESTS));
    }
}
