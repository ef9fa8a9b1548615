package io.nvmf.codec.identify;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;

/**
 * Fields of an Identify command (NVMe Base 2.0 s5.17): CDW10 7:0 CNS, 31:16 CNTID; CDW11 15:0 CNS specific identifier,
 * 31:24 CSI; CDW14 6:0 UUID index.
 */
public final class IdentifyCommand {
    /** Every Identify command returns this many bytes. */
    public static final int DATA_BYTES = 4096;

    private IdentifyCommand() {}

    /** Clears the entry and writes the command; command id and SGL1 remain the caller's to set. */
    public static Sqe encode(Sqe sqe, int cns, long nsid, int controllerId, int csi) {
        return sqe.clear(Opcode.Admin.IDENTIFY)
                .nsid(nsid)
                .cdw(10, (controllerId & 0xFFFFL) << 16 | cns & 0xFF)
                .cdw(11, (csi & 0xFFL) << 24);
    }

    /** See {@link Cns}. */
    public static int cns(Sqe sqe) {
        return (int) sqe.cdw(10) & 0xFF;
    }

    /** CNTID, the first or only controller of the wanted list. */
    public static int controllerId(Sqe sqe) {
        return (int) (sqe.cdw(10) >> 16);
    }

    /** NVM set, domain or endurance group, depending on CNS. */
    public static int specificId(Sqe sqe) {
        return (int) sqe.cdw(11) & 0xFFFF;
    }

    /** See {@link Csi}. */
    public static int csi(Sqe sqe) {
        return (int) (sqe.cdw(11) >> 24);
    }

    public static int uuidIndex(Sqe sqe) {
        return (int) sqe.cdw(14) & 0x7F;
    }
}
