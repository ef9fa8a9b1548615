package io.nvmf.codec.log;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;

/**
 * Fields of a Get Log Page command (NVMe Base 2.0 s5.16).
 *
 * <pre>
 * CDW10 7:0 LID, 14:8 LSP, 15 RAE, 31:16 NUMDL   CDW11 15:0 NUMDU, 31:16 LSI   CDW12-13 LPO
 * CDW14 6:0 UUID index, 23 OT, 31:24 CSI
 * </pre>
 */
public final class GetLogPageCommand {
    private static final long RETAIN_ASYNC_EVENT = 1 << 15;
    private static final long OFFSET_TYPE = 1 << 23;

    private GetLogPageCommand() {}

    /**
     * Clears the entry and writes the command; NSID (FFFFFFFFh for a log of the controller), command id and SGL1 remain
     * the caller's to set, LSP, RAE, LSI and CSI are zero.
     *
     * @param lengthBytes a multiple of 4, from 4 to 2^34
     * @param logOffset bytes, a multiple of 4
     */
    public static Sqe encode(Sqe sqe, int lid, long lengthBytes, long logOffset) {
        if (lengthBytes < 4 || lengthBytes > 1L << 34 || (lengthBytes & 3) != 0) {
            throw new IllegalArgumentException("a log page is read in dwords, not " + lengthBytes + " bytes");
        }
        long dwords = lengthBytes / 4 - 1;
        return sqe.clear(Opcode.Admin.GET_LOG_PAGE)
                .cdw(10, (dwords & 0xFFFF) << 16 | lid & 0xFF)
                .cdw(11, dwords >> 16)
                .cdwPair(12, logOffset);
    }

    /** See {@link LogPageId}. */
    public static int lid(Sqe sqe) {
        return (int) sqe.cdw(10) & 0xFF;
    }

    /** Log specific parameter, 7 bits. */
    public static int lsp(Sqe sqe) {
        return (int) sqe.cdw(10) >> 8 & 0x7F;
    }

    public static Sqe lsp(Sqe sqe, int lsp) {
        return sqe.cdw(10, sqe.cdw(10) & ~0x7F00L | (lsp & 0x7F) << 8);
    }

    /** RAE: reading the log does not re-arm its asynchronous event. */
    public static boolean retainAsyncEvent(Sqe sqe) {
        return (sqe.cdw(10) & RETAIN_ASYNC_EVENT) != 0;
    }

    public static Sqe retainAsyncEvent(Sqe sqe, boolean retain) {
        return sqe.cdw(10, sqe.cdw(10) & ~RETAIN_ASYNC_EVENT | (retain ? RETAIN_ASYNC_EVENT : 0));
    }

    /** Wanted length, from NUMDU and NUMDL: 4 to 2^34 bytes. */
    public static long lengthBytes(Sqe sqe) {
        return ((sqe.cdw(11) & 0xFFFF) << 16 | sqe.cdw(10) >> 16) * 4 + 4;
    }

    /** LSI, log specific identifier. */
    public static int specificId(Sqe sqe) {
        return (int) (sqe.cdw(11) >> 16);
    }

    public static Sqe specificId(Sqe sqe, int specificId) {
        return sqe.cdw(11, sqe.cdw(11) & 0xFFFF | (specificId & 0xFFFFL) << 16);
    }

    /** LPO, unsigned: bytes, or an index into the log when {@link #offsetIsIndex}. */
    public static long logOffset(Sqe sqe) {
        return sqe.cdwPair(12);
    }

    /** OT. */
    public static boolean offsetIsIndex(Sqe sqe) {
        return (sqe.cdw(14) & OFFSET_TYPE) != 0;
    }

    public static int uuidIndex(Sqe sqe) {
        return (int) sqe.cdw(14) & 0x7F;
    }

    /** See {@link io.nvmf.codec.identify.Csi}. */
    public static int csi(Sqe sqe) {
        return (int) (sqe.cdw(14) >> 24);
    }

    public static Sqe csi(Sqe sqe, int csi) {
        return sqe.cdw(14, sqe.cdw(14) & 0xFF_FFFF | (csi & 0xFFL) << 24);
    }
}
