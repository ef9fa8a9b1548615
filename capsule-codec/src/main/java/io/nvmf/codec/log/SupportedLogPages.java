package io.nvmf.codec.log;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * The Supported Log Pages log, LID 00h (NVMe Base 2.0 s5.16.1.1): 256 entries of 4 bytes, one a LID; bit 0 supported, 1
 * index offsets supported, 31:16 log specific.
 */
public final class SupportedLogPages {
    public static final int BYTES = 1024;

    private SupportedLogPages() {}

    /** Writes all 1024 bytes, the given LIDs supported. */
    public static void encode(ByteBuffer target, int offset, int... lids) {
        Bytes.zero(Bytes.requireRange(target, offset, BYTES), offset, BYTES);
        for (int lid : lids) {
            target.putInt(offset + 4 * (lid & 0xFF), 1);
        }
    }

    /** Whether a received log tells that a LID is supported. */
    public static boolean isSupported(ByteBuffer source, int offset, int lid) {
        Bytes.requireRange(source, offset, BYTES);
        return (source.get(offset + 4 * (lid & 0xFF)) & 1) != 0;
    }
}
