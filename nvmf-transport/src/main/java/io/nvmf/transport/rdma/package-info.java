/**
 * Verbs and the RDMA communication manager, as NVMe/RDMA uses them: what a provider offers ({@link
 * io.nvmf.transport.rdma.RdmaProvider} and the interfaces it leads to), and the providers.
 *
 * <p>Names are those of libibverbs and librdmacm. Set-up happens on one event loop, the control loop, which owns every
 * {@link io.nvmf.transport.rdma.CmId}; the data path on the loop that owns the queue pair. Numbers describe memory there:
 * addresses, lengths and keys, never objects.
 */
package io.nvmf.transport.rdma;
