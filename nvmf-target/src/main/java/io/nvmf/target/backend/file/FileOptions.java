package io.nvmf.target.backend.file;

/**
 * How a file is opened.
 *
 * @param sizeBytes how long it must be, and the length of the sparse file that is created when there is none; 0 takes an
 *     existing file as it is
 * @param direct bypass the page cache (O_DIRECT); the device's alignment is then 4096 bytes
 * @param readOnly refuse every change; several targets may then share the file
 */
public record FileOptions(long sizeBytes, boolean direct, boolean readOnly) {
    /** An existing file of any length, through the page cache. */
    public static final FileOptions EXISTING = new FileOptions(0, false, false);

    public FileOptions withSizeBytes(long newSizeBytes) {
        return new FileOptions(newSizeBytes, direct, readOnly);
    }

    public FileOptions withDirect(boolean newDirect) {
        return new FileOptions(sizeBytes, newDirect, readOnly);
    }

    public FileOptions withReadOnly(boolean newReadOnly) {
        return new FileOptions(sizeBytes, direct, newReadOnly);
    }

    /** What the size is a multiple of. */
    int sizeUnitBytes() {
        return direct ? FileBlockDevice.DIRECT_ALIGNMENT_BYTES : FileBlockDevice.SIZE_UNIT_BYTES;
    }
}
