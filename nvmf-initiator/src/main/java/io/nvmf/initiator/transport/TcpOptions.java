package io.nvmf.initiator.transport;

import java.net.InetSocketAddress;

/**
 * How to open NVMe/TCP connections.
 *
 * @param remote where the controller listens; a name that could not be resolved fails the connect
 * @param headerDigest whether to ask for, and then insist on, header digests
 * @param dataDigest whether to ask for, and then insist on, data digests
 * @param connectTimeoutMs from the start to the ICResp
 */
public record TcpOptions(InetSocketAddress remote, boolean headerDigest, boolean dataDigest, int connectTimeoutMs) {}
