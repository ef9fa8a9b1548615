package io.nvmf.target.queue;

import io.nvmf.codec.log.TransportType;

/**
 * What the queues of one subsystem have done over one transport since the target was started, those that have ended too.
 *
 * @param connectedQueues queues that are connected now
 * @param endedQueues queues that were
 */
public record SubsystemReport(
        TransportType transport, String subsystemNqn, int connectedQueues, long endedQueues, DataCounts data) {}
