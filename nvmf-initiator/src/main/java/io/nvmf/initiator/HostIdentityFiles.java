package io.nvmf.initiator;

import io.nvmf.initiator.controller.HostIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The host identity that this machine keeps for all its NVMe hosts. */
final class HostIdentityFiles {
    private static final Logger LOG = LoggerFactory.getLogger(HostIdentityFiles.class);

    private HostIdentityFiles() {}

    /**
     * The identity in {@code hostnqn} and {@code hostid} of a directory. What is missing follows from the other; without
     * both it is made up for this process.
     */
    static HostIdentity load(Path directory) {
        String hostNqn = firstLine(directory.resolve("hostnqn"));
        UUID hostId = uuid(firstLine(directory.resolve("hostid")));
        if (hostNqn == null) {
            return HostIdentity.ofId(hostId != null ? hostId : UUID.randomUUID());
        }
        return hostId != null ? new HostIdentity(hostNqn, hostId) : HostIdentity.ofNqn(hostNqn);
    }

    private static String firstLine(Path file) {
        if (!Files.isReadable(file)) {
            return null;
        }
        try {
            String line = Files.readString(file).lines().findFirst().orElse("").strip();
            return line.isEmpty() ? null : line;
        } catch (IOException e) {
            LOG.warn("Cannot read {}: {}", file, e.getMessage());
            return null;
        }
    }

    private static UUID uuid(String text) {
        try {
            return text == null ? null : UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            LOG.warn("'{}' is not a host id: it should be a UUID", text);
            return null;
        }
    }
}
