package io.nvmf.target.subsystem;

import java.net.InetSocketAddress;

/** Those to whom a change of the discovery log shows. */
public interface DiscoveryAudience {
    /** @param local the address on which the host asks */
    boolean sees(String hostNqn, InetSocketAddress local);
}
