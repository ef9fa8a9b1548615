package io.nvmf.codec.reservation;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;

/**
 * Fields of the reservation commands (NVMe Base 2.0 s7.2 to s7.5).
 *
 * <pre>
 * Register  CDW10 2:0 RREGA, 3 IEKEY, 31:30 CPTPL
 * Acquire   CDW10 2:0 RACQA, 3 IEKEY, 15:8 RTYPE
 * Release   CDW10 2:0 RRELA, 3 IEKEY, 15:8 RTYPE
 * Report    CDW10 NUMD (dwords, zero based); CDW11 0 EDS
 * </pre>
 */
public final class ReservationCommand {
    // RREGA
    public static final int REGISTER = 0;
    public static final int UNREGISTER = 1;
    public static final int REPLACE = 2;

    // RACQA
    public static final int ACQUIRE = 0;
    public static final int PREEMPT = 1;
    public static final int PREEMPT_AND_ABORT = 2;

    // RRELA
    public static final int RELEASE = 0;
    public static final int CLEAR = 1;

    // CPTPL: whether registrants and reservation outlive a loss of power.
    public static final int PERSISTENCE_UNCHANGED = 0;
    public static final int PERSISTENCE_OFF = 2;
    public static final int PERSISTENCE_ON = 3;

    private static final long IGNORE_EXISTING_KEY = 1 << 3;
    private static final int TYPE_SHIFT = 8;
    private static final int PERSISTENCE_SHIFT = 30;
    private static final long EXTENDED = 1;
    private static final int DWORD_BYTES = 4;

    private ReservationCommand() {}

    /** Clears the entry and writes a Register; command id and SGL1 remain the caller's to set. */
    public static Sqe encodeRegister(Sqe sqe, long nsid, int action, boolean ignoreExistingKey, int persistence) {
        return sqe.clear(Opcode.Nvm.RESERVATION_REGISTER)
                .nsid(nsid)
                .cdw(10, actionBits(action, ignoreExistingKey) | (persistence & 0x3L) << PERSISTENCE_SHIFT);
    }

    /** Clears the entry and writes an Acquire; command id and SGL1 remain the caller's to set. */
    public static Sqe encodeAcquire(Sqe sqe, long nsid, int action, ReservationType type) {
        return sqe.clear(Opcode.Nvm.RESERVATION_ACQUIRE)
                .nsid(nsid)
                .cdw(10, actionBits(action, false) | (long) type.number() << TYPE_SHIFT);
    }

    /** Clears the entry and writes a Release of a reservation of this type; command id and SGL1 remain the caller's to set. */
    public static Sqe encodeRelease(Sqe sqe, long nsid, ReservationType type) {
        return sqe.clear(Opcode.Nvm.RESERVATION_RELEASE)
                .nsid(nsid)
                .cdw(10, actionBits(RELEASE, false) | (long) type.number() << TYPE_SHIFT);
    }

    /** Clears the entry and writes a Clear; command id and SGL1 remain the caller's to set. */
    public static Sqe encodeClear(Sqe sqe, long nsid) {
        return sqe.clear(Opcode.Nvm.RESERVATION_RELEASE).nsid(nsid).cdw(10, actionBits(CLEAR, false));
    }

    /**
     * Clears the entry and writes a Report with the extended data structure, as fabrics need it; command id and SGL1
     * remain the caller's to set.
     *
     * @param lengthBytes of the data, a multiple of 4
     */
    public static Sqe encodeReport(Sqe sqe, long nsid, int lengthBytes) {
        if (lengthBytes < DWORD_BYTES || lengthBytes % DWORD_BYTES != 0) {
            throw new IllegalArgumentException("a report has a multiple of 4 bytes, not " + lengthBytes);
        }
        return sqe.clear(Opcode.Nvm.RESERVATION_REPORT)
                .nsid(nsid)
                .cdw(10, lengthBytes / DWORD_BYTES - 1)
                .cdw(11, EXTENDED);
    }

    private static long actionBits(int action, boolean ignoreExistingKey) {
        return action & 0x7 | (ignoreExistingKey ? IGNORE_EXISTING_KEY : 0);
    }

    /** Whether an opcode of an I/O queue is one of theirs. */
    public static boolean is(int opcode) {
        return switch (opcode) {
            case Opcode.Nvm.RESERVATION_REGISTER,
                    Opcode.Nvm.RESERVATION_REPORT,
                    Opcode.Nvm.RESERVATION_ACQUIRE,
                    Opcode.Nvm.RESERVATION_RELEASE -> true;
            default -> false;
        };
    }

    /** RREGA, RACQA or RRELA. */
    public static int action(Sqe sqe) {
        return (int) sqe.cdw(10) & 0x7;
    }

    /** IEKEY: CRKEY does not count. */
    public static boolean ignoresExistingKey(Sqe sqe) {
        return (sqe.cdw(10) & IGNORE_EXISTING_KEY) != 0;
    }

    /** CPTPL of Register. */
    public static int persistence(Sqe sqe) {
        return (int) (sqe.cdw(10) >> PERSISTENCE_SHIFT) & 0x3;
    }

    /** RTYPE of Acquire and Release as it stands there, see {@link ReservationType#of}. */
    public static int type(Sqe sqe) {
        return (int) (sqe.cdw(10) >> TYPE_SHIFT) & 0xFF;
    }

    /** How much data a Report asks for: 4 bytes to 16 GiB. */
    public static long lengthBytes(Sqe sqe) {
        return (sqe.cdw(10) + 1) * DWORD_BYTES;
    }

    /** EDS of Report: host identifiers of 128 bits. */
    public static boolean isExtended(Sqe sqe) {
        return (sqe.cdw(11) & EXTENDED) != 0;
    }
}
