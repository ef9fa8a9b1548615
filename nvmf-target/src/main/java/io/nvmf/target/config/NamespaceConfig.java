package io.nvmf.target.config;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.reservation.ReservationFile;
import java.util.Objects;
import java.util.UUID;

/**
 * One namespace of a subsystem.
 *
 * @param nsid 1 to {@link TargetLimits#MAX_NSID}
 * @param device where the blocks are; the target closes it when it stops
 * @param blockSizeBytes 512 or 4096
 * @param uuid identifies the namespace to hosts on every path and over restarts
 * @param nguid the same in the older form of 16 bytes
 * @param anaGroup 1 to {@link AnaGroups#MAX}
 * @param ptplFile where reservations outlive the target (persist through power loss), or null: they end with it
 */
public record NamespaceConfig(
        long nsid,
        BlockDevice device,
        int blockSizeBytes,
        UUID uuid,
        Nguid nguid,
        int anaGroup,
        ReservationFile ptplFile) {
    public NamespaceConfig {
        Objects.requireNonNull(device, "device");
        Objects.requireNonNull(uuid, "uuid");
        Objects.requireNonNull(nguid, "nguid");
        if (nsid < 1 || nsid > TargetLimits.MAX_NSID) {
            throw new IllegalArgumentException(
                    "namespace id " + nsid + " is not between 1 and " + TargetLimits.MAX_NSID);
        }
        AnaGroups.require(anaGroup);
        if (blockSizeBytes != 512 && blockSizeBytes != 4096) {
            throw new IllegalArgumentException("block size " + blockSizeBytes + " is neither 512 nor 4096");
        }
        if (device.alignmentBytes() > blockSizeBytes) {
            throw new IllegalArgumentException(device.description() + " needs blocks of " + device.alignmentBytes()
                    + " bytes, the namespace has " + blockSizeBytes);
        }
        if (device.sizeBytes() < blockSizeBytes) {
            throw new IllegalArgumentException(device.description() + " is shorter than one block");
        }
    }

    /** One in the default ANA group, whose reservations end with the target. */
    public NamespaceConfig(long nsid, BlockDevice device, int blockSizeBytes, UUID uuid, Nguid nguid) {
        this(nsid, device, blockSizeBytes, uuid, nguid, AnaGroups.DEFAULT, null);
    }

    public NamespaceConfig inAnaGroup(int group) {
        return new NamespaceConfig(nsid, device, blockSizeBytes, uuid, nguid, group, ptplFile);
    }

    /** The same, with its reservations in this file, which belongs to it from now on. */
    public NamespaceConfig withPtplFile(ReservationFile file) {
        return new NamespaceConfig(nsid, device, blockSizeBytes, uuid, nguid, anaGroup, file);
    }
}
