package io.nvmf.tools.config;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.tools.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/** One namespace, before its device is opened. What is empty is derived. */
public record NamespacePlan(
        long nsid, Backing backing, OptionalInt blockSizeBytes, Optional<UUID> uuid, Optional<Nguid> nguid) {

    /**
     * Opens the device.
     *
     * @param subsystemNqn the identifiers are derived from
     * @throws CommandException if the device cannot be opened or does not suit
     */
    NamespaceConfig open(String subsystemNqn) throws CommandException {
        String where = "namespace " + nsid + " of " + subsystemNqn + ": ";
        int blockSize = blockSizeBytes.orElseGet(backing::defaultBlockSizeBytes);
        BlockDevice device = null;
        try {
            device = backing.open();
            return new NamespaceConfig(nsid, device, blockSize, uuid(subsystemNqn), nguid(subsystemNqn));
        } catch (IOException | IllegalArgumentException e) {
            TargetPlan.closeAfter(e, device);
            throw new CommandException(where + e.getMessage(), e);
        }
    }

    /** The same for the same subsystem, NSID and storage, so that hosts find their disk again after a restart. */
    UUID uuid(String subsystemNqn) {
        return uuid.orElseGet(() -> {
            String name = String.join("\0", "nvmf4j", subsystemNqn, Long.toString(nsid), backing.identity());
            return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        });
    }

    /** The bytes of the UUID, unless another was given. */
    Nguid nguid(String subsystemNqn) {
        UUID same = uuid(subsystemNqn);
        return nguid.orElse(new Nguid(same.getMostSignificantBits(), same.getLeastSignificantBits()));
    }
}
