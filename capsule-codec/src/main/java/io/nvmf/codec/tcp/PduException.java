package io.nvmf.codec.tcp;

/**
 * A PDU that ends its connection. The receiver answers with a TermReq that carries {@link #status()} (FES) and
 * {@link #information()} (FEI), then closes.
 */
public final class PduException extends Exception {
    private final FatalErrorStatus status;
    private final int information;

    /** @param information FEI: a byte offset into the header, the received digest, or 0, as the status demands */
    public PduException(FatalErrorStatus status, int information, String message) {
        super(message, null, false, false);
        this.status = status;
        this.information = information;
    }

    public FatalErrorStatus status() {
        return status;
    }

    public int information() {
        return information;
    }

    /** An invalid header field at {@code offset}. */
    public static PduException invalidField(int offset, String message) {
        return new PduException(FatalErrorStatus.INVALID_PDU_HEADER_FIELD, offset, message);
    }

    public static PduException sequence(String message) {
        return new PduException(FatalErrorStatus.PDU_SEQUENCE_ERROR, 0, message);
    }
}
