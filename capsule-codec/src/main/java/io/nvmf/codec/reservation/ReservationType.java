package io.nvmf.codec.reservation;

/** Reservation types, RTYPE (NVMe Base 2.0 s8.19): who may still read and write. The reservation's holder may do both. */
public enum ReservationType {
    /** Others may read. */
    WRITE_EXCLUSIVE(1),
    /** Others may neither read nor write. */
    EXCLUSIVE_ACCESS(2),
    /** Registrants may do both, others may read. */
    WRITE_EXCLUSIVE_REGISTRANTS_ONLY(3),
    /** Registrants may do both, others neither. */
    EXCLUSIVE_ACCESS_REGISTRANTS_ONLY(4),
    /** Every registrant is a holder, others may read. */
    WRITE_EXCLUSIVE_ALL_REGISTRANTS(5),
    /** Every registrant is a holder, others may neither read nor write. */
    EXCLUSIVE_ACCESS_ALL_REGISTRANTS(6);

    private final int number;

    ReservationType(int number) {
        this.number = number;
    }

    /** RTYPE. */
    public int number() {
        return number;
    }

    /** The type with this RTYPE, or null: 0 stands for none, others are reserved. */
    public static ReservationType of(int number) {
        return number >= 1 && number <= values().length ? values()[number - 1] : null;
    }

    /** Whether those who may not write may not read either. */
    public boolean excludesReads() {
        return number % 2 == 0;
    }

    /** Whether every registrant holds the reservation. */
    public boolean isHeldByAllRegistrants() {
        return number >= WRITE_EXCLUSIVE_ALL_REGISTRANTS.number;
    }

    /** Whether every registrant may read and write. */
    public boolean letsRegistrantsIn() {
        return number >= WRITE_EXCLUSIVE_REGISTRANTS_ONLY.number;
    }
}
