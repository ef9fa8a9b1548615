package io.nvmf.initiator.discovery;

import io.nvmf.codec.log.DiscoveryLogEntry;
import java.util.List;

/**
 * One consistent state of a Discovery log.
 *
 * @param generation GENCTR
 */
public record DiscoveryResult(long generation, List<DiscoveryLogEntry> entries) {
    public DiscoveryResult {
        entries = List.copyOf(entries);
    }
}
