package io.nvmf.initiator.transport;

import java.net.InetSocketAddress;

/**
 * How to open NVMe/RDMA connections.
 *
 * @param remote where the controller listens; a name that could not be resolved fails the connect
 * @param connectTimeoutMs waiting for the route and the acceptance; setting up memory in between does not count
 * @param bufferBytes memory of each queue for data that does not lie in registered memory
 */
public record RdmaOptions(InetSocketAddress remote, int connectTimeoutMs, int bufferBytes) {}
