/** Transports: how commands reach queues. One package for each. */
package io.nvmf.target.transport;
