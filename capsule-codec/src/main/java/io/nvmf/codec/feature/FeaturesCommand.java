package io.nvmf.codec.feature;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;

/**
 * Fields of Set Features and Get Features commands (NVMe Base 2.0 s5.15, s5.27): CDW10 7:0 FID, 10:8 SEL (Get), 31 SV
 * (Set); CDW11 value; CDW14 6:0 UUID index.
 */
public final class FeaturesCommand {
    // Values of SEL.
    public static final int SELECT_CURRENT = 0;
    public static final int SELECT_DEFAULT = 1;
    public static final int SELECT_SAVED = 2;
    /** DW0 of the answer: bit 0 saveable, 1 namespace specific, 2 changeable. */
    public static final int SELECT_CAPABILITIES = 3;

    public static final int CAPABILITY_SAVEABLE = 1;
    public static final int CAPABILITY_NAMESPACE_SPECIFIC = 1 << 1;
    public static final int CAPABILITY_CHANGEABLE = 1 << 2;

    private static final long SAVE = 1L << 31;

    private FeaturesCommand() {}

    /** Clears the entry and writes a Set Features command; NSID, command id and SGL1 remain the caller's to set. */
    public static Sqe encodeSet(Sqe sqe, int featureId, long value) {
        return sqe.clear(Opcode.Admin.SET_FEATURES).cdw(10, featureId & 0xFF).cdw(11, value);
    }

    /** Clears the entry and writes a Get Features command; NSID, command id and SGL1 remain the caller's to set. */
    public static Sqe encodeGet(Sqe sqe, int featureId, int select) {
        return sqe.clear(Opcode.Admin.GET_FEATURES).cdw(10, (select & 0x7) << 8 | featureId & 0xFF);
    }

    /** See {@link FeatureId}. */
    public static int featureId(Sqe sqe) {
        return (int) sqe.cdw(10) & 0xFF;
    }

    /** SEL of Get Features. */
    public static int select(Sqe sqe) {
        return (int) sqe.cdw(10) >> 8 & 0x7;
    }

    /** SV of Set Features: keep the value over resets and power cycles. */
    public static boolean save(Sqe sqe) {
        return (sqe.cdw(10) & SAVE) != 0;
    }

    public static Sqe save(Sqe sqe, boolean save) {
        return sqe.cdw(10, sqe.cdw(10) & ~SAVE | (save ? SAVE : 0));
    }

    /** CDW11: the value of Set Features, further selection of Get Features. */
    public static long value(Sqe sqe) {
        return sqe.cdw(11);
    }

    public static int uuidIndex(Sqe sqe) {
        return (int) sqe.cdw(14) & 0x7F;
    }
}
