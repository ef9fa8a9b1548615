/**
 * NVMe/RDMA, the target's side. One event loop, the control loop, accepts connections, registers memory and ends what
 * there was; the event loops that carry commands own the queue pairs.
 */
package io.nvmf.target.transport.rdma;
