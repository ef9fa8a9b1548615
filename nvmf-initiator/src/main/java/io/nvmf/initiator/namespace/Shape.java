package io.nvmf.initiator.namespace;

import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.IdentifyNamespace.Field;
import io.nvmf.codec.nvm.ReadWriteCommand;

/** The measures of a namespace, and of the commands that it takes. Immutable. */
final class Shape {
    private static final int MIN_BLOCK_SHIFT = 9;
    private static final int MAX_BLOCK_SHIFT = 24;

    final IdentifyNamespace identify;
    final NamespaceLimits limits;
    /** The block size as a power of two. */
    final int blockShift;

    final int maxTransferBlocks;
    final int maxWriteZeroesBlocks;
    final int maxVerifyBlocks;
    final int maxWriteUncorrectableBlocks;

    /** @throws IllegalArgumentException if the namespace is inactive or its format is not supported */
    Shape(long nsid, IdentifyNamespace identify, NamespaceLimits limits) {
        if (identify.get(Field.NSZE) == 0) {
            throw new IllegalArgumentException("Namespace " + nsid + " is not active");
        }
        IdentifyNamespace.LbaFormat format = identify.currentLbaFormat();
        if (format.blockShift() < MIN_BLOCK_SHIFT || format.blockShift() > MAX_BLOCK_SHIFT) {
            throw new IllegalArgumentException(
                    "Namespace " + nsid + " has blocks of 2^" + format.blockShift() + " bytes, which is not supported");
        }
        if (format.metadataBytes() != 0) {
            throw new IllegalArgumentException("Namespace " + nsid + " has metadata, which is not supported");
        }
        this.identify = identify;
        this.limits = limits;
        blockShift = format.blockShift();
        maxTransferBlocks = maxBlocks(limits.transferBytes());
        maxWriteZeroesBlocks = maxBlocksOrAny(limits.writeZeroesBytes());
        maxVerifyBlocks = maxBlocksOrAny(limits.verifyBytes());
        maxWriteUncorrectableBlocks = maxBlocksOrAny(limits.writeUncorrectableBytes());
    }

    private int maxBlocksOrAny(long bytes) {
        return bytes == 0 ? ReadWriteCommand.MAX_BLOCKS : maxBlocks(bytes);
    }

    private int maxBlocks(long bytes) {
        return (int) Math.max(1, Math.min(bytes >> blockShift, ReadWriteCommand.MAX_BLOCKS));
    }
}
