package io.nvmf.codec.reservation;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * Data of Reservation Register, Acquire and Release (NVMe Base 2.0 s7.2 to s7.4): bytes 0-7 CRKEY, the host's current key;
 * 8-15 NRKEY, its new key (Register), or PRKEY, the key to be preempted (Acquire). Release has only the first.
 *
 * @param current CRKEY; keys are any 64 bits
 * @param other NRKEY or PRKEY
 */
public record ReservationKeys(long current, long other) {
    /** Of Register and Acquire. */
    public static final int BYTES = 16;
    /** Of Release. */
    public static final int RELEASE_BYTES = 8;

    private static final int OTHER_OFFSET = 8;

    /** Writes both keys. */
    public void encode(ByteBuffer target, int offset) {
        Bytes.requireRange(target, offset, BYTES);
        target.putLong(offset, current);
        target.putLong(offset + OTHER_OFFSET, other);
    }

    /** Reads both keys. */
    public static ReservationKeys decode(ByteBuffer source, int offset) {
        Bytes.requireRange(source, offset, BYTES);
        return new ReservationKeys(source.getLong(offset), source.getLong(offset + OTHER_OFFSET));
    }

    /** Reads the one key of Release; the other is 0. */
    public static ReservationKeys decodeRelease(ByteBuffer source, int offset) {
        return new ReservationKeys(
                Bytes.requireRange(source, offset, RELEASE_BYTES).getLong(offset), 0);
    }
}
