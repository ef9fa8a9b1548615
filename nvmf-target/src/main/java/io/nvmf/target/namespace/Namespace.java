package io.nvmf.target.namespace;

import io.nvmf.codec.identify.Csi;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.IdentifyNamespace.Field;
import io.nvmf.codec.identify.IdentifyNamespace.LbaFormat;
import io.nvmf.codec.identify.NamespaceDescriptors;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.config.NamespaceConfig;

/** One namespace: a device seen as logical blocks. Immutable; shared by all event loops. */
public final class Namespace {
    /** NPWG and its kin say what the host should align to: a page. */
    private static final int PREFERRED_BYTES = 4096;

    private static final int MAX_COPY_RANGE_BYTES = 1 << 20;
    private static final int MAX_COPY_BYTES = 16 << 20;
    /** Source ranges of a Copy command (MSRC + 1). */
    public static final int MAX_COPY_RANGES = 128;

    private final NamespaceConfig config;
    private final int blockShift;
    private final long blockCount;
    private final Shared shared;

    /** What outlives a resize: all that is made of a namespace shares it. */
    private record Shared(
            KeptState kept,
            WriteProtection writeProtection,
            DeviceHealth health,
            Reservations reservations,
            RangeLocks locks,
            BadBlocks badBlocks,
            IoCounters counters) {
        static Shared of(NamespaceConfig config) {
            KeptState kept = new KeptState(config.stateFile());
            return new Shared(
                    kept,
                    new WriteProtection(kept, kept.canSave() || config.device().isVolatile()),
                    new DeviceHealth(),
                    new Reservations(kept),
                    new RangeLocks(),
                    new BadBlocks(kept),
                    new IoCounters());
        }
    }

    public Namespace(NamespaceConfig config) {
        this(config, Shared.of(config));
    }

    private Namespace(NamespaceConfig config, Shared shared) {
        this.config = config;
        this.shared = shared;
        this.blockShift = Integer.numberOfTrailingZeros(config.blockSizeBytes());
        this.blockCount = config.device().sizeBytes() >> blockShift;
    }

    /** What it was made of. */
    public NamespaceConfig config() {
        return config;
    }

    /**
     * The same namespace at the length that its device has now. What is beyond its end is lost, and that it was unreadable.
     * Blocks.
     *
     * @throws IllegalArgumentException when that is less than one block
     */
    public Namespace resized() {
        Namespace resized = inAnaGroup(config.anaGroup());
        resized.badBlocks().clear(resized.blockCount(), Long.MAX_VALUE).join();
        return resized;
    }

    /** The same namespace in another ANA group. */
    public Namespace inAnaGroup(int anaGroup) {
        return new Namespace(config.inAnaGroup(anaGroup), shared);
    }

    public int anaGroup() {
        return config.anaGroup();
    }

    public long nsid() {
        return config.nsid();
    }

    public BlockDevice device() {
        return config.device();
    }

    /** What hosts have set; the device may be read only besides. */
    public WriteProtection writeProtection() {
        return shared.writeProtection;
    }

    /** Blocks that single commands have to themselves. */
    public RangeLocks locks() {
        return shared.locks;
    }

    /** Blocks that hosts have made unreadable. */
    public BadBlocks badBlocks() {
        return shared.badBlocks;
    }

    /** What hosts have done with it since it was added. */
    public IoCounters counters() {
        return shared.counters;
    }

    /** What its device has shown. */
    public DeviceHealth health() {
        return shared.health;
    }

    /** Whether commands that change blocks are refused. */
    public boolean isWriteProtected() {
        return shared.writeProtection.isOn() || device().isReadOnly();
    }

    /** Who has registered with it, and who has it reserved. */
    public Reservations reservations() {
        return shared.reservations;
    }

    /** NSZE. */
    public long blockCount() {
        return blockCount;
    }

    /** The byte offset of a block, or the byte length of so many blocks. */
    public long toBytes(long blocks) {
        return blocks << blockShift;
    }

    /** Whether {@code blocks} blocks from {@code startBlock} on lie inside; {@code startBlock} is any 64-bit number. */
    public boolean contains(long startBlock, long blocks) {
        return startBlock >= 0 && blocks <= blockCount && startBlock <= blockCount - blocks;
    }

    /** Blocks that a source range of a Copy command may have (MSSRL). */
    public int maxCopyRangeBlocks() {
        return MAX_COPY_RANGE_BYTES >> blockShift;
    }

    /** Blocks that a Copy command may copy in all (MCL). */
    public int maxCopyBlocks() {
        return MAX_COPY_BYTES >> blockShift;
    }

    /** Identify CNS 00h (NVM Command Set 1.0 s4.1.5.1). */
    public IdentifyNamespace identify() {
        IdentifyNamespace data = IdentifyNamespace.allocate();
        data.set(Field.NSZE, blockCount);
        data.set(Field.NCAP, blockCount);
        data.set(Field.NUSE, blockCount);
        data.set(Field.NSFEAT, IdentifyNamespace.NSFEAT_OPTIMAL_SIZES);
        data.set(Field.ANAGRPID, config.anaGroup());
        data.set(Field.NMIC, IdentifyNamespace.NMIC_SHARED);
        data.set(
                Field.RESCAP,
                IdentifyNamespace.RESCAP_ALL_TYPES
                        | IdentifyNamespace.RESCAP_IGNORE_EXISTING_KEY
                        | (shared.reservations.canPersist() ? IdentifyNamespace.RESCAP_PERSISTS : 0));
        data.set(
                Field.DLFEAT, IdentifyNamespace.DLFEAT_READS_ZEROS | IdentifyNamespace.DLFEAT_WRITE_ZEROES_DEALLOCATES);
        int preferredZeroBased = Math.max(1, PREFERRED_BYTES >> blockShift) - 1;
        data.set(Field.NPWG, preferredZeroBased);
        data.set(Field.NPWA, preferredZeroBased);
        data.set(Field.NPDG, preferredZeroBased);
        data.set(Field.NPDA, preferredZeroBased);
        data.set(Field.MSSRL, maxCopyRangeBlocks());
        data.set(Field.MCL, maxCopyBlocks());
        data.set(Field.MSRC, MAX_COPY_RANGES - 1);
        if (isWriteProtected()) {
            data.set(Field.NSATTR, IdentifyNamespace.NSATTR_WRITE_PROTECTED);
        }
        data.nguid(config.nguid());
        data.lbaFormat(0, new LbaFormat(0, blockShift, 0));
        return data;
    }

    /** Identify CNS 03h. */
    public NamespaceDescriptors descriptors() {
        return new NamespaceDescriptors(0, config.nguid(), config.uuid(), Csi.NVM);
    }

    /** Waits for what hosts have set to be kept; refuses what they set later. Blocks. */
    public void closeState() {
        shared.kept.close();
    }
}
