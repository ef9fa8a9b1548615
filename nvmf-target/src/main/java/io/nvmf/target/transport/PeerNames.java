package io.nvmf.target.transport;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;

/** Addresses as log lines show them: {@code 192.0.2.1:4420}, {@code [2001:db8::1]:4420}. */
public final class PeerNames {
    private PeerNames() {}

    public static String of(InetSocketAddress address) {
        return NetUtil.toSocketAddressString(address);
    }
}
