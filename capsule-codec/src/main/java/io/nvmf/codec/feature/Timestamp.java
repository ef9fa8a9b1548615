package io.nvmf.codec.feature;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * The data of feature 0Eh (NVMe Base 2.0 s5.27.1.14): bytes 0-5 milliseconds since 1970 in UTC, 6 bit 0 whether the clock
 * stopped in between, 3:1 the origin; 7 reserved.
 *
 * @param milliseconds since 1970, or since the reset when nobody set it; 48 bits
 * @param origin an {@code ORIGIN_} constant; a host that sets the time leaves it 0
 */
public record Timestamp(long milliseconds, int origin) {
    public static final int BYTES = 8;
    public static final long MAX_MS = 0xFFFF_FFFF_FFFFL;

    /** It counts from 0 at the last controller reset. */
    public static final int ORIGIN_RESET = 0;
    /** It counts from what a host has set. */
    public static final int ORIGIN_HOST = 1;

    public void encode(ByteBuffer target, int offset) {
        Bytes.requireRange(target, offset, BYTES).putLong(offset, milliseconds & MAX_MS | (origin & 0x7L) << 49);
    }

    public static Timestamp decode(ByteBuffer source, int offset) {
        long value = Bytes.requireRange(source, offset, BYTES).getLong(offset);
        return new Timestamp(value & MAX_MS, (int) (value >> 49) & 0x7);
    }
}
