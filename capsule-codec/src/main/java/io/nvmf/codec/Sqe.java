package io.nvmf.codec;

import java.nio.ByteBuffer;

/**
 * A view of a submission queue entry (NVMe Base 2.0 s3.3.3.1).
 *
 * <pre>
 *  0      OPC          1 FUSE(1:0) PSDT(7:6)     2-3   CID
 *  4-7    NSID (FCTYPE in byte 4 of a fabrics command)
 *  8-15   CDW2, CDW3
 * 16-23   MPTR, reserved for fabrics
 * 24-39   SGL1, see {@link SglDescriptor}
 * 40-63   CDW10 .. CDW15
 * </pre>
 */
public final class Sqe {
    public static final int BYTES = 64;
    public static final int OPCODE_OFFSET = 0;
    public static final int FLAGS_OFFSET = 1;
    public static final int COMMAND_ID_OFFSET = 2;
    public static final int NSID_OFFSET = 4;
    public static final int FABRICS_TYPE_OFFSET = 4;
    public static final int CDW2_OFFSET = 8;
    public static final int METADATA_POINTER_OFFSET = 16;
    public static final int SGL1_OFFSET = 24;
    public static final int CDW10_OFFSET = 40;

    /** PSDT 01b, the only value a fabrics capsule uses: SGL1 describes the data (NVMe-oF 1.1 s2.1.1). */
    public static final int PSDT_SGL = 1;
    /** FUSE 01b: the next command of the queue belongs to this one. */
    public static final int FUSED_FIRST = 1;
    /** FUSE 10b. */
    public static final int FUSED_SECOND = 2;

    /** NSID that addresses every namespace of the controller. */
    public static final long NSID_ALL = 0xFFFF_FFFFL;

    private final SglDescriptor sgl1 = new SglDescriptor();
    private ByteBuffer buffer;
    private int offset;

    public Sqe wrap(ByteBuffer buffer, int offset) {
        this.buffer = Bytes.requireLittleEndian(buffer);
        this.offset = offset;
        sgl1.wrap(buffer, offset + SGL1_OFFSET);
        return this;
    }

    /** A view over 64 zero bytes of its own. */
    public static Sqe allocate() {
        return new Sqe().wrap(Bytes.allocate(BYTES), 0);
    }

    public ByteBuffer buffer() {
        return buffer;
    }

    public int offset() {
        return offset;
    }

    /** Zeroes the entry, then sets opcode and PSDT as every fabrics capsule needs them. */
    public Sqe clear(int opcode) {
        Bytes.zero(buffer, offset, BYTES);
        buffer.put(offset + OPCODE_OFFSET, (byte) opcode);
        buffer.put(offset + FLAGS_OFFSET, (byte) (PSDT_SGL << 6));
        return this;
    }

    public int opcode() {
        return Bytes.u8(buffer, offset + OPCODE_OFFSET);
    }

    public int fuse() {
        return buffer.get(offset + FLAGS_OFFSET) & 0x3;
    }

    /** FUSE: {@link #FUSED_FIRST}, {@link #FUSED_SECOND}, or 0. */
    public Sqe fuse(int fuse) {
        buffer.put(offset + FLAGS_OFFSET, (byte) (buffer.get(offset + FLAGS_OFFSET) & ~0x3 | fuse));
        return this;
    }

    public int psdt() {
        return Bytes.u8(buffer, offset + FLAGS_OFFSET) >> 6;
    }

    public int commandId() {
        return Bytes.u16(buffer, offset + COMMAND_ID_OFFSET);
    }

    public Sqe commandId(int commandId) {
        buffer.putShort(offset + COMMAND_ID_OFFSET, (short) commandId);
        return this;
    }

    public long nsid() {
        return Bytes.u32(buffer, offset + NSID_OFFSET);
    }

    public Sqe nsid(long nsid) {
        buffer.putInt(offset + NSID_OFFSET, (int) nsid);
        return this;
    }

    public int fabricsType() {
        return Bytes.u8(buffer, offset + FABRICS_TYPE_OFFSET);
    }

    public Sqe fabricsType(int fabricsType) {
        buffer.put(offset + FABRICS_TYPE_OFFSET, (byte) fabricsType);
        return this;
    }

    /** The view of SGL1; it moves with this view. */
    public SglDescriptor sgl1() {
        return sgl1;
    }

    /** Command dword {@code n}, 0 to 15. */
    public long cdw(int n) {
        return Bytes.u32(buffer, offset + 4 * n);
    }

    public Sqe cdw(int n, long value) {
        buffer.putInt(offset + 4 * n, (int) value);
        return this;
    }

    /** Command dwords {@code n} (low half) and {@code n + 1} as one 64-bit integer. */
    public long cdwPair(int n) {
        return buffer.getLong(offset + 4 * n);
    }

    public Sqe cdwPair(int n, long value) {
        buffer.putLong(offset + 4 * n, value);
        return this;
    }
}
