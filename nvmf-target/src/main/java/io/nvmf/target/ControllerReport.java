package io.nvmf.target;

import java.util.UUID;

/**
 * A controller: one host's association with a subsystem.
 *
 * @param controllerId CNTLID
 * @param hostNqn as the host gave it, which may be any text
 * @param peer the host's address
 */
public record ControllerReport(int controllerId, String hostNqn, UUID hostId, String peer) {}
