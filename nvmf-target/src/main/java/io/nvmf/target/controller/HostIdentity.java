package io.nvmf.target.controller;

import java.util.UUID;

/** Who connected, as its admin Connect said. */
public record HostIdentity(String hostNqn, UUID hostId) {}
