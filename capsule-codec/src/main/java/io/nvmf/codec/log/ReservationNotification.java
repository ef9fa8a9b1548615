package io.nvmf.codec.log;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * The Reservation Notification log, LID 80h (NVMe Base 2.0 s5.16.1.24): one notification a page. Bytes 0-7 count, 8 type, 9
 * number of pages that are still to be read, 12-15 NSID.
 *
 * @param count of notifications so far; never 0, unless there is none
 * @param type see {@code TYPE_} constants
 * @param availablePages how many more there are, at most 255
 * @param nsid whose reservation it is
 */
public record ReservationNotification(long count, int type, int availablePages, long nsid) {
    public static final int BYTES = 64;

    /** There is nothing to tell. */
    public static final int TYPE_EMPTY = 0;
    /** Another host has ended this host's registration. */
    public static final int TYPE_REGISTRATION_PREEMPTED = 1;

    public static final int TYPE_RESERVATION_RELEASED = 2;
    /** Another host has cleared all registrations. */
    public static final int TYPE_RESERVATION_PREEMPTED = 3;

    public static final ReservationNotification EMPTY = new ReservationNotification(0, TYPE_EMPTY, 0, 0);

    public void encode(ByteBuffer target, int offset) {
        Bytes.zero(Bytes.requireRange(target, offset, BYTES), offset, BYTES);
        target.putLong(offset, count);
        target.put(offset + 8, (byte) type);
        target.put(offset + 9, (byte) availablePages);
        target.putInt(offset + 12, (int) nsid);
    }

    /** {@link IllegalArgumentException} when there are fewer than 64 bytes. */
    public static ReservationNotification decode(ByteBuffer source, int offset) {
        Bytes.requireRange(source, offset, BYTES);
        return new ReservationNotification(
                source.getLong(offset),
                Bytes.u8(source, offset + 8),
                Bytes.u8(source, offset + 9),
                Bytes.u32(source, offset + 12));
    }
}
