package io.nvmf.tools.config;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.config.AnaGroups;
import io.nvmf.target.config.NamespaceConfig;
import io.nvmf.target.reservation.ReservationFile;
import io.nvmf.tools.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

    /** One in the default ANA group, whose reservations end with the target. */
    public NamespacePlan(
            long nsid, Backing backing, OptionalInt blockSizeBytes, Optional<UUID> uuid, Optional<Nguid> nguid) {
        this(nsid, backing, blockSizeBytes, uuid, nguid, AnaGroups.DEFAULT, Optional.empty());
    }

    public NamespacePlan inAnaGroup(int group) {
        return new NamespacePlan(nsid, backing, blockSizeBytes, uuid, nguid, group, ptplFile);
    }

    /** The same, with its reservations in this file. */
    public NamespacePlan withPtplFile(Optional<Path> file) {
        return new NamespacePlan(nsid, backing, blockSizeBytes, uuid, nguid, anaGroup, file);
    }

    /**
     * Opens the device, and the file with its reservations.
     *
     * @param subsystemNqn the identifiers are derived from
     * @throws CommandException if either cannot be opened or does not suit
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
            return ptplFile.isEmpty()
                    ? config
                    : config.withPtplFile(ReservationFile.open(ptplFile.get(), config.uuid()));
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
