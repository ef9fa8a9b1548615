package io.nvmf.initiator.controller;

import java.util.UUID;

/**
 * Who connects. A host keeps both for good: controllers know hosts by them, and each host id belongs to one host NQN.
 *
 * @param hostNqn HOSTNQN, at most 223 bytes of UTF-8
 * @param hostId HOSTID
 */
public record HostIdentity(String hostNqn, UUID hostId) {}
