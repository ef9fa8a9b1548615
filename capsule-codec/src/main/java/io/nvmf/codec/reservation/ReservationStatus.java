package io.nvmf.codec.reservation;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Data of Reservation Report, with the extended data structure (NVMe Base 2.0 s7.5): a header of 64 bytes and as many for
 * each registrant.
 *
 * <pre>
 * header      0-3 GEN   4 RTYPE   5-6 REGSTRNT, how many registrants   9 bit 0 PTPLS
 * registrant  0-1 CNTLID   2 bit 0 holds the reservation   8-15 RKEY   16-31 HOSTID, as in Connect
 * </pre>
 *
 * @param generation GEN: counts changes of registrations, 32 bits, and wraps
 * @param type null when nobody holds a reservation
 * @param persistent whether all of it outlives a loss of power
 */
public record ReservationStatus(
        long generation, ReservationType type, boolean persistent, List<Registrant> registrants) {
    public static final int HEADER_BYTES = 64;
    public static final int REGISTRANT_BYTES = 64;
    /** CNTLID of registrants under the dynamic controller model. */
    public static final int CONTROLLER_ID_DYNAMIC = 0xFFFF;

    private static final int TYPE_OFFSET = 4;
    private static final int COUNT_OFFSET = 5;
    private static final int PERSISTENT_OFFSET = 9;
    private static final int HOLDER_OFFSET = 2;
    private static final int KEY_OFFSET = 8;
    private static final int HOST_ID_OFFSET = 16;

    /** A host that has registered a key. */
    public record Registrant(int controllerId, boolean holdsReservation, long key, UUID hostId) {}

    public ReservationStatus {
        registrants = List.copyOf(registrants);
    }

    /** Length of the whole. */
    public int lengthBytes() {
        return HEADER_BYTES + registrants.size() * REGISTRANT_BYTES;
    }

    /** Writes {@link #lengthBytes} bytes. */
    public void encode(ByteBuffer target, int offset) {
        Bytes.zero(Bytes.requireRange(target, offset, lengthBytes()), offset, lengthBytes());
        target.putInt(offset, (int) generation);
        target.put(offset + TYPE_OFFSET, (byte) (type == null ? 0 : type.number()));
        target.putShort(offset + COUNT_OFFSET, (short) registrants.size());
        target.put(offset + PERSISTENT_OFFSET, (byte) (persistent ? 1 : 0));
        int at = offset + HEADER_BYTES;
        for (Registrant registrant : registrants) {
            target.putShort(at, (short) registrant.controllerId());
            target.put(at + HOLDER_OFFSET, (byte) (registrant.holdsReservation() ? 1 : 0));
            target.putLong(at + KEY_OFFSET, registrant.key());
            Bytes.putI64BigEndian(
                    target, at + HOST_ID_OFFSET, registrant.hostId().getMostSignificantBits());
            Bytes.putI64BigEndian(
                    target, at + HOST_ID_OFFSET + 8, registrant.hostId().getLeastSignificantBits());
            at += REGISTRANT_BYTES;
        }
    }

    /** How many registrants there are, of whom a short report may not name all. */
    public static int registrantCount(ByteBuffer source, int offset) {
        return Bytes.u16(Bytes.requireRange(source, offset, HEADER_BYTES), offset + COUNT_OFFSET);
    }

    /** Reads a report, with those registrants that are whole inside {@code lengthBytes} bytes. */
    public static ReservationStatus decode(ByteBuffer source, int offset, int lengthBytes) {
        Bytes.requireRange(source, offset, Math.max(lengthBytes, HEADER_BYTES));
        int whole = (lengthBytes - HEADER_BYTES) / REGISTRANT_BYTES;
        int count = Math.min(registrantCount(source, offset), whole);
        List<Registrant> registrants = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int at = offset + HEADER_BYTES + i * REGISTRANT_BYTES;
            registrants.add(new Registrant(
                    Bytes.u16(source, at),
                    (source.get(at + HOLDER_OFFSET) & 1) != 0,
                    source.getLong(at + KEY_OFFSET),
                    new UUID(
                            Bytes.i64BigEndian(source, at + HOST_ID_OFFSET),
                            Bytes.i64BigEndian(source, at + HOST_ID_OFFSET + 8))));
        }
        return new ReservationStatus(
                Bytes.u32(source, offset),
                ReservationType.of(Bytes.u8(source, offset + TYPE_OFFSET)),
                (source.get(offset + PERSISTENT_OFFSET) & 1) != 0,
                registrants);
    }
}
