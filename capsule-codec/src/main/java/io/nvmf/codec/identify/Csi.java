package io.nvmf.codec.identify;

/** Command Set Identifier (NVMe Base 2.0 s5.17.1). */
public final class Csi {
    private Csi() {}

    public static final int NVM = 0;
    public static final int KEY_VALUE = 1;
    public static final int ZONED = 2;
}
