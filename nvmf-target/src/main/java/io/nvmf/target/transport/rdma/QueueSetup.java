package io.nvmf.target.transport.rdma;

import io.nvmf.target.controller.TransportTraits;

/**
 * What a connection has to work with.
 *
 * @param memory for capsules and responses
 * @param pool the memory for data of its event loop, as its device knows it
 */
record QueueSetup(
        QueueRequest request, QueueSize size, TransportTraits traits, QueueMemory memory, RegisteredSlab pool) {}
