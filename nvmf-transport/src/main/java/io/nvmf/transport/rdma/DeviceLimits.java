package io.nvmf.transport.rdma;

/**
 * What a device can do (ibv_device_attr).
 *
 * @param maxWork work requests of one queue, max_qp_wr
 * @param maxCompletions entries of a completion queue, max_cqe
 * @param maxResponderReads RDMA READs that may be outstanding at a queue pair here, max_qp_rd_atom
 * @param maxInitiatorReads RDMA READs that a queue pair here may have outstanding, max_qp_init_rd_atom
 */
public record DeviceLimits(int maxWork, int maxCompletions, int maxResponderReads, int maxInitiatorReads) {}
