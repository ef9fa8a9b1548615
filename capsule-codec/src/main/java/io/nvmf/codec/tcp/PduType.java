package io.nvmf.codec.tcp;

/** PDU types with what every header of the type must say (NVMe/TCP 1.0 s3.6.1). */
public enum PduType {
    IC_REQ(0x00, Direction.H2C, 128, false, Data.NONE),
    IC_RESP(0x01, Direction.C2H, 128, false, Data.NONE),
    H2C_TERM_REQ(0x02, Direction.H2C, 24, false, Data.HEADER_COPY),
    C2H_TERM_REQ(0x03, Direction.C2H, 24, false, Data.HEADER_COPY),
    CAPSULE_CMD(0x04, Direction.H2C, 72, true, Data.OPTIONAL),
    CAPSULE_RESP(0x05, Direction.C2H, 24, true, Data.NONE),
    H2C_DATA(0x06, Direction.H2C, 24, true, Data.REQUIRED),
    C2H_DATA(0x07, Direction.C2H, 24, true, Data.REQUIRED),
    R2T(0x09, Direction.C2H, 24, true, Data.NONE);

    /** Who sends it: host to controller or controller to host. */
    public enum Direction {
        H2C,
        C2H
    }

    /** Whether data follows the header. {@code HEADER_COPY}: the start of a refused PDU, with neither PDO nor digest. */
    public enum Data {
        NONE,
        OPTIONAL,
        REQUIRED,
        HEADER_COPY
    }

    private static final PduType[] BY_CODE = new PduType[16];

    static {
        for (PduType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final int code;
    private final Direction direction;
    private final int headerBytes;
    private final boolean digested;
    private final Data data;

    PduType(int code, Direction direction, int headerBytes, boolean digested, Data data) {
        this.code = code;
        this.direction = direction;
        this.headerBytes = headerBytes;
        this.digested = digested;
        this.data = data;
    }

    /** The type with this number, or null when there is none. */
    public static PduType of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    public int code() {
        return code;
    }

    public Direction direction() {
        return direction;
    }

    /** HLEN. */
    public int headerBytes() {
        return headerBytes;
    }

    /** Whether it carries digests once they are negotiated. */
    public boolean isDigested() {
        return digested;
    }

    public Data data() {
        return data;
    }
}
