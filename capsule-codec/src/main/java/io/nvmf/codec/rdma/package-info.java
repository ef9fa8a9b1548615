/** What NVMe/RDMA adds: the private data of RDMA-CM messages (NVMe-oF 1.1 s7.3). */
package io.nvmf.codec.rdma;
