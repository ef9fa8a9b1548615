package io.nvmf.tools.config;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.config.AnaGroups;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.state.StateFile;
import io.nvmf.tools.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/** One namespace, before its device is opened. What is empty is derived. */
public record NamespacePlan(
        long nsid,
        Backing backing,
        OptionalInt blockSizeBytes,
        Optional<UUID> uuid,
        Optional<Nguid> nguid,
        int anaGroup,
        Optional<Path> ptplFile) {

    /** One in the default ANA group, with its state where it is by default. */
    public NamespacePlan(
            long nsid, Backing backing, OptionalInt blockSizeBytes, Optional<UUID> uuid, Optional<Nguid> nguid) {
        this(nsid, backing, blockSizeBytes, uuid, nguid, AnaGroups.DEFAULT, Optional.empty());
    }

    public NamespacePlan inAnaGroup(int group) {
        return new NamespacePlan(nsid, backing, blockSizeBytes, uuid, nguid, group, ptplFile);
    }

    /** The same, with what outlives the target besides its data in this file, or where it is by default. */
    public NamespacePlan withPtplFile(Optional<Path> file) {
        return new NamespacePlan(nsid, backing, blockSizeBytes, uuid, nguid, anaGroup, file);
    }

    /**
     * Opens the device, and the file with what hosts have set.
     *
     * @param subsystemNqn the identifiers are derived from
     * @throws CommandException if either cannot be opened or does not suit; then nothing is left behind
     */
    public NamespaceConfig open(String subsystemNqn) throws CommandException {
        String where = "namespace " + nsid + " of " + subsystemNqn + ": ";
        int blockSize = blockSizeBytes.orElseGet(backing::defaultBlockSizeBytes);
        BlockDevice device = null;
        try {
            device = backing.open();
            NamespaceConfig config = new NamespaceConfig(
                            nsid, device, blockSize, uuid(subsystemNqn), nguid(subsystemNqn))
                    .inAnaGroup(anaGroup);
            StateFile state = ptplFile.isEmpty()
                    ? backing.openStateFile(config.uuid())
                    : openStateFile(ptplFile.get(), config.uuid());
            return config.withStateFile(state);
        } catch (IOException | IllegalArgumentException e) {
            if (device != null) {
                TargetPlan.discardAfter(e, device::discard);
            }
            throw new CommandException(where + e.getMessage(), e);
        }
    }

    private StateFile openStateFile(Path path, UUID uuid) throws IOException {
        if (backing instanceof Backing.InFile file && Files.exists(path) && Files.isSameFile(path, file.path())) {
            throw new IOException(path + " is the image: name another file for what hosts reserve and protect");
        }
        return StateFile.open(path, uuid);
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
