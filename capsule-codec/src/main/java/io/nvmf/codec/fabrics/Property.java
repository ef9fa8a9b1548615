package io.nvmf.codec.fabrics;

/** Controller properties that exist for fabrics (NVMe Base 2.0 s3.1.3). */
public enum Property {
    /** Controller Capabilities. */
    CAP(0x00, 8),
    /** Version. */
    VS(0x08, 4),
    /** Controller Configuration, the only one a host may set here. */
    CC(0x14, 4),
    /** Controller Status. */
    CSTS(0x1C, 4),
    /** NVM Subsystem Reset. */
    NSSR(0x20, 4),
    /** Controller Ready Timeouts. */
    CRTO(0x68, 4);

    private final int offset;
    private final int sizeBytes;

    Property(int offset, int sizeBytes) {
        this.offset = offset;
        this.sizeBytes = sizeBytes;
    }

    public int offset() {
        return offset;
    }

    /** 4 or 8. */
    public int sizeBytes() {
        return sizeBytes;
    }

    /** The property at an offset, or null when there is none. */
    public static Property at(long offset) {
        for (Property property : values()) {
            if (property.offset == offset) {
                return property;
            }
        }
        return null;
    }
}
