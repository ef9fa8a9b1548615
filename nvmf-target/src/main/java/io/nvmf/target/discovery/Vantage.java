package io.nvmf.target.discovery;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Where a host stands that asks for the discovery log: it is not told of addresses that it cannot reach from there. */
enum Vantage {
    /** On this machine. */
    LOCAL,
    IPV4,
    IPV6;

    /** @param local the address on which the host asks */
    static Vantage of(InetSocketAddress local) {
        InetAddress address = local.getAddress();
        if (address.isLoopbackAddress()) {
            return LOCAL;
        }
        return address instanceof Inet6Address ? IPV6 : IPV4;
    }

    /**
     * Whether a host here reaches what is listened on at an address. A loopback address is reached from this machine alone,
     * and the wildcard of IPv4 not over IPv6; that of IPv6 stands for both.
     */
    boolean reaches(InetAddress listening) {
        if (listening.isLoopbackAddress()) {
            return this == LOCAL;
        }
        return this != IPV6 || !listening.isAnyLocalAddress() || listening instanceof Inet6Address;
    }
}
