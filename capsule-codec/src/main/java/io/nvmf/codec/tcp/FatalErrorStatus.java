package io.nvmf.codec.tcp;

import java.util.Locale;

/** Why a connection ends: FES of a TermReq PDU (NVMe/TCP 1.0 s3.6.2.3). */
public enum FatalErrorStatus {
    INVALID_PDU_HEADER_FIELD(1),
    PDU_SEQUENCE_ERROR(2),
    HEADER_DIGEST_ERROR(3),
    DATA_TRANSFER_OUT_OF_RANGE(4),
    /** Sent by a controller: data transfer limit exceeded; by a host: R2T limit exceeded. */
    DATA_TRANSFER_LIMIT_EXCEEDED(5),
    UNSUPPORTED_PARAMETER(6);

    private final int code;

    FatalErrorStatus(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** A name for any FES that arrives, known or not. */
    public static String nameOf(int code) {
        for (FatalErrorStatus status : values()) {
            if (status.code == code) {
                return status.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            }
        }
        return "unknown fatal error status " + code;
    }
}
