package io.nvmf.codec;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The CRC32C (Castagnoli) digest of NVMe/TCP headers and data (NVMe/TCP 1.0 s3.1.3), stored little-endian on the wire.
 * Reusable; not thread safe.
 */
public final class Crc32c {
    public static final int BYTES = 4;

    private final CRC32C crc = new CRC32C();

    public void reset() {
        crc.reset();
    }

    public void update(byte[] bytes, int offset, int lengthBytes) {
        crc.update(bytes, offset, lengthBytes);
    }

    /** Takes in the bytes between position and limit and moves the position to the limit. */
    public void update(ByteBuffer bytes) {
        crc.update(bytes);
    }

    /** The digest as the 32-bit integer that is stored little-endian. */
    public int value() {
        return (int) crc.getValue();
    }

    /** The digest of one run of bytes. */
    public int of(byte[] bytes, int offset, int lengthBytes) {
        reset();
        update(bytes, offset, lengthBytes);
        return value();
    }
}
