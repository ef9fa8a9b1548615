package io.nvmf.codec.fabrics;

/** DW0 of a Connect response (NVMe-oF 1.1 s3.3.2). */
public final class ConnectResponse {
    private ConnectResponse() {}

    /** Success: CNTLID in bits 15:0; AUTHREQ in 31:16 is zero. */
    public static long success(int controllerId) {
        return controllerId & 0xFFFFL;
    }

    public static int controllerId(long dw0) {
        return (int) dw0 & 0xFFFF;
    }

    /** AUTHREQ: non-zero when the host must authenticate before anything else. */
    public static int authenticationRequired(long dw0) {
        return (int) (dw0 >> 16) & 0xFFFF;
    }

    /** Connect Invalid Parameters: the bad field lies at {@code offset} of the submission queue entry. */
    public static long invalidInCommand(int offset) {
        return offset;
    }

    /** Connect Invalid Parameters: the bad field lies at {@code offset} of the data (IATTR bit 0 set). */
    public static long invalidInData(int offset) {
        return 1L << 16 | offset;
    }

    /** Connect Invalid Parameters: whether the field lies in the data rather than in the submission queue entry. */
    public static boolean isInData(long dw0) {
        return (dw0 >> 16 & 1) == 1;
    }

    /** Connect Invalid Parameters: the byte offset of the bad field (IPO). */
    public static int invalidOffset(long dw0) {
        return (int) dw0 & 0xFFFF;
    }
}
