package io.nvmf.target.transport.tcp;

import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** Addresses as log lines show them. */
final class PeerNames {
    private PeerNames() {}

    static String of(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return address.getAddress() instanceof Inet6Address
                ? "[" + host + "]:" + address.getPort()
                : host + ":" + address.getPort();
    }
}
