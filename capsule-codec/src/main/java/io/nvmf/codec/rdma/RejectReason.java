package io.nvmf.codec.rdma;

/** Why a controller refuses a queue: STS of {@link RejectData} (NVMe-oF 1.1 s7.3). */
public enum RejectReason {
    INVALID_PRIVATE_DATA_LENGTH(1, "invalid length of the private data"),
    INVALID_RECORD_FORMAT(2, "invalid RECFMT"),
    INVALID_QUEUE_ID(3, "invalid QID"),
    INVALID_HSQSIZE(4, "invalid HSQSIZE"),
    INVALID_HRQSIZE(5, "invalid HRQSIZE"),
    NO_RESOURCES(6, "no resources"),
    INVALID_IRD(7, "invalid IRD, the RDMA READs the host lets be outstanding"),
    INVALID_ORD(8, "invalid ORD, the RDMA READs the host wants to have outstanding"),
    /** Not of the specification; Linux has it. */
    INVALID_CONTROLLER_ID(9, "invalid CNTLID");

    private final int code;
    private final String description;

    RejectReason(int code, String description) {
        this.code = code;
        this.description = description;
    }

    public int code() {
        return code;
    }

    /** Words for any STS that arrives, known or not. */
    public static String describe(int code) {
        for (RejectReason reason : values()) {
            if (reason.code == code) {
                return reason.description;
            }
        }
        return "unknown reason " + code;
    }
}
