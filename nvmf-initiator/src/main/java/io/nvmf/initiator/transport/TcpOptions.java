package io.nvmf.initiator.transport;

import java.net.InetSocketAddress;

/**
 * How to open NVMe/TCP connections.
 *
 * @param remote where the controller listens; unresolved names are resolved when connecting
 * @param headerDigest whether to ask for, and then insist on, header digests
 * @param dataDigest whether to ask for, and then insist on, data digests
 * @param connectTimeoutMs from the start to the ICResp
 */
public record TcpOptions(InetSocketAddress remote, boolean headerDigest, boolean dataDigest, int connectTimeoutMs) {
    /** For messages: host and port. */
    public String peer() {
        String host = remote.getHostString();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + remote.getPort();
    }
}
