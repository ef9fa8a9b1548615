package io.nvmf.codec.log;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * The head of the Discovery log, LID 70h (NVMe Base 2.0 s5.16.1.23): bytes 0-7 GENCTR, 8-15 NUMREC, 16-17 RECFMT; entries
 * of {@link DiscoveryLogEntry} begin at 1024.
 *
 * @param generation changes with every change of the log
 * @param recordCount entries, unsigned
 * @param recordFormat 0
 */
public record DiscoveryLogHeader(long generation, long recordCount, int recordFormat) {
    public static final int BYTES = 1024;

    public void encode(ByteBuffer target, int offset) {
        Bytes.zero(Bytes.requireRange(target, offset, BYTES), offset, BYTES);
        target.putLong(offset, generation);
        target.putLong(offset + 8, recordCount);
        target.putShort(offset + 16, (short) recordFormat);
    }

    /** {@link IllegalArgumentException} when there are fewer than 1024 bytes. */
    public static DiscoveryLogHeader decode(ByteBuffer source, int offset) {
        Bytes.requireRange(source, offset, BYTES);
        return new DiscoveryLogHeader(
                source.getLong(offset), source.getLong(offset + 8), Bytes.u16(source, offset + 16));
    }
}
