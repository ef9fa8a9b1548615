package io.nvmf.codec.fabrics;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;

/**
 * The Connect command (NVMe-oF 1.1 s3.3): 40-41 RECFMT, 42-43 QID, 44-45 SQSIZE (zero based), 46 CATTR, 48-51 KATO (ms).
 * Its 1024 bytes of data are {@link ConnectData}.
 */
public final class ConnectCommand {
    public static final int RECORD_FORMAT_OFFSET = 40;
    public static final int QUEUE_ID_OFFSET = 42;
    public static final int SQ_SIZE_OFFSET = 44;
    public static final int ATTRIBUTES_OFFSET = 46;
    public static final int KATO_OFFSET = 48;

    /** CATTR: the host does not use SQ flow control on this queue. */
    public static final int DISABLE_SQ_FLOW_CONTROL = 1 << 2;

    private ConnectCommand() {}

    /** Fills the whole entry but for CID and SGL1. */
    public static void encode(Sqe sqe, int queueId, int sqSizeZeroBased, int attributes, long keepAliveTimeoutMs) {
        sqe.clear(Opcode.FABRICS).fabricsType(FabricsType.CONNECT);
        int at = sqe.offset();
        sqe.buffer().putShort(at + QUEUE_ID_OFFSET, (short) queueId);
        sqe.buffer().putShort(at + SQ_SIZE_OFFSET, (short) sqSizeZeroBased);
        sqe.buffer().put(at + ATTRIBUTES_OFFSET, (byte) attributes);
        sqe.buffer().putInt(at + KATO_OFFSET, (int) keepAliveTimeoutMs);
    }

    public static int recordFormat(Sqe sqe) {
        return Bytes.u16(sqe.buffer(), sqe.offset() + RECORD_FORMAT_OFFSET);
    }

    public static int queueId(Sqe sqe) {
        return Bytes.u16(sqe.buffer(), sqe.offset() + QUEUE_ID_OFFSET);
    }

    public static int sqSizeZeroBased(Sqe sqe) {
        return Bytes.u16(sqe.buffer(), sqe.offset() + SQ_SIZE_OFFSET);
    }

    public static int attributes(Sqe sqe) {
        return Bytes.u8(sqe.buffer(), sqe.offset() + ATTRIBUTES_OFFSET);
    }

    public static long keepAliveTimeoutMs(Sqe sqe) {
        return Bytes.u32(sqe.buffer(), sqe.offset() + KATO_OFFSET);
    }
}
