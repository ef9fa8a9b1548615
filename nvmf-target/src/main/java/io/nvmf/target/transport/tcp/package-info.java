/** NVMe/TCP, the target's side: connections, their handshake, R2T and C2HData. */
package io.nvmf.target.transport.tcp;
