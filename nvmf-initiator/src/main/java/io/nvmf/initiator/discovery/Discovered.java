package io.nvmf.initiator.discovery;

import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.initiator.controller.ConnectOptions;
import java.util.List;
import java.util.Objects;

/**
 * What a discovery controller, and those that it refers to, list.
 *
 * @param paths to NVM subsystems, each once, in the order in which they were found
 * @param unreached what was referred to in vain
 */
public record Discovered(List<Path> paths, List<Unreached> unreached) {
    /**
     * A way to a subsystem.
     *
     * @param options how to connect; null if this host cannot: by another transport, or at what is no IP address and port
     */
    public record Path(DiscoveryLogEntry entry, ConnectOptions options) {}

    /**
     * A discovery controller that was not asked, or did not answer.
     *
     * @param reason one sentence
     */
    public record Unreached(ConnectOptions options, String reason) {}

    /** Those that can be connected to. */
    public List<ConnectOptions> connectable() {
        return paths.stream().map(Path::options).filter(Objects::nonNull).toList();
    }
}
