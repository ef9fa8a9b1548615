package io.nvmf.codec;

import java.nio.ByteBuffer;

/**
 * A view of a completion queue entry (NVMe Base 2.0 s3.3.3.2).
 *
 * <pre>
 * 0-3 DW0   4-7 DW1   8-9 SQHD   10-11 SQID (reserved for fabrics)   12-13 CID   14-15 phase(0) status(15:1)
 * </pre>
 *
 * The phase tag does not exist for fabrics and is written as zero. See {@link Status} for the 15-bit status.
 */
public final class Cqe {
    public static final int BYTES = 16;
    public static final int DW0_OFFSET = 0;
    public static final int DW1_OFFSET = 4;
    public static final int SQHD_OFFSET = 8;
    public static final int SQID_OFFSET = 10;
    public static final int COMMAND_ID_OFFSET = 12;
    public static final int STATUS_OFFSET = 14;

    private ByteBuffer buffer;
    private int offset;

    public Cqe wrap(ByteBuffer buffer, int offset) {
        this.buffer = Bytes.requireLittleEndian(buffer);
        this.offset = offset;
        return this;
    }

    /** A view over 16 zero bytes of its own. */
    public static Cqe allocate() {
        return new Cqe().wrap(Bytes.allocate(BYTES), 0);
    }

    /** Writes all 16 bytes. {@code result} is DW0 in its low and DW1 in its high half. */
    public Cqe set(long result, int sqhd, int commandId, int status) {
        buffer.putLong(offset, result);
        buffer.putShort(offset + SQHD_OFFSET, (short) sqhd);
        buffer.putShort(offset + SQID_OFFSET, (short) 0);
        buffer.putShort(offset + COMMAND_ID_OFFSET, (short) commandId);
        buffer.putShort(offset + STATUS_OFFSET, (short) (status << 1));
        return this;
    }

    public long dw0() {
        return Bytes.u32(buffer, offset + DW0_OFFSET);
    }

    /** DW0 in the low and DW1 in the high half. */
    public long result() {
        return buffer.getLong(offset);
    }

    public int sqhd() {
        return Bytes.u16(buffer, offset + SQHD_OFFSET);
    }

    public int commandId() {
        return Bytes.u16(buffer, offset + COMMAND_ID_OFFSET);
    }

    /** The 15-bit status, as {@link Status} describes it. */
    public int status() {
        return Bytes.u16(buffer, offset + STATUS_OFFSET) >> 1;
    }
}
