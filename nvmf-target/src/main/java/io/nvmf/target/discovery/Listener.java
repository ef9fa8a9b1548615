package io.nvmf.target.discovery;

import io.nvmf.codec.log.TransportType;
import io.nvmf.target.subsystem.Subsystem;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * An address on which hosts are served, as it really is: with the port that was taken.
 *
 * @param portId PORTID of the discovery log
 * @param transport how hosts speak to it
 * @param address bound, perhaps to a wildcard
 * @param subsystems those reached here, without the discovery subsystem
 */
public record Listener(int portId, TransportType transport, InetSocketAddress address, List<Subsystem> subsystems) {}
