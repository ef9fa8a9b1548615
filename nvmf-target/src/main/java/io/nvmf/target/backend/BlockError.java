package io.nvmf.target.backend;

/** How an operation of a backend ended. The command layer turns it into an NVMe status, in one place. */
public enum BlockError {
    /** It did what was asked. */
    NONE,
    /** No space is left for a write; what was stored before is untouched. */
    NO_SPACE,
    /** The medium could not be read, or ended early. */
    READ_ERROR,
    /** The medium could not be written. */
    WRITE_ERROR,
    /** The device cannot do this kind of operation. */
    UNSUPPORTED,
    /** The device may be read only. */
    READ_ONLY,
    /** The range is not inside the device, which may have become shorter since somebody looked. */
    OUT_OF_RANGE,
    /** A passing lack of resources; the same operation may succeed later. */
    BUSY,
    /** The device has gone, or its channel was closed. */
    GONE,
    /** Anything else. */
    INTERNAL
}
