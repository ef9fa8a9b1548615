/**
 * RDMA between queue pairs of one process ({@link io.nvmf.transport.memory.MemoryRdma}): the in-process transport, and what
 * the RDMA code of both ends is tested with, with faults on demand.
 *
 * <p>One lock, the {@code MemoryRdma} object itself, guards the state of everything here; nobody is called back with it held.
 */
package io.nvmf.transport.memory;
