package io.nvmf.target.config;

import io.nvmf.codec.identify.Nguid;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.state.StateFile;
import java.io.IOException;
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
 * @param stateFile where reservations, write protection and unreadable blocks outlive the target, or null: they end with it;
 *     it belongs to the namespace from now on
 */
public record NamespaceConfig(
        long nsid, BlockDevice device, int blockSizeBytes, UUID uuid, Nguid nguid, int anaGroup, StateFile stateFile) {
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

    /** One in the default ANA group, of which nothing but its data outlives the target. */
    public NamespaceConfig(long nsid, BlockDevice device, int blockSizeBytes, UUID uuid, Nguid nguid) {
        this(nsid, device, blockSizeBytes, uuid, nguid, AnaGroups.DEFAULT, null);
    }

    public NamespaceConfig inAnaGroup(int group) {
        return new NamespaceConfig(nsid, device, blockSizeBytes, uuid, nguid, group, stateFile);
    }

    /** The same, with what hosts set kept in this file. */
    public NamespaceConfig withStateFile(StateFile file) {
        return new NamespaceConfig(nsid, device, blockSizeBytes, uuid, nguid, anaGroup, file);
    }

    /** Gives back what it holds, for one that was never served: as if it had not been opened. */
    public void discard() throws IOException {
        if (stateFile != null) {
            stateFile.close();
        }
        device.discard();
    }
}
