package io.nvmf.initiator.controller;

import io.nvmf.codec.Nqn;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Who connects. A host keeps both for good: controllers know hosts by them, and each host id belongs to one host NQN.
 *
 * @param hostNqn HOSTNQN, at most 223 bytes of UTF-8
 * @param hostId HOSTID
 */
public record HostIdentity(String hostNqn, UUID hostId) {
    /** The id is the UUID the NQN ends with, else always the same one made of the NQN. */
    public static HostIdentity ofNqn(String hostNqn) {
        if (hostNqn.startsWith(Nqn.UUID_PREFIX)) {
            try {
                return new HostIdentity(hostNqn, UUID.fromString(hostNqn.substring(Nqn.UUID_PREFIX.length())));
            } catch (IllegalArgumentException e) {
                // Not a UUID after all: any text may be an NQN.
            }
        }
        return new HostIdentity(hostNqn, UUID.nameUUIDFromBytes(hostNqn.getBytes(StandardCharsets.UTF_8)));
    }

    /** The NQN is the one that is made of the id. */
    public static HostIdentity ofId(UUID hostId) {
        return new HostIdentity(Nqn.UUID_PREFIX + hostId, hostId);
    }
}
