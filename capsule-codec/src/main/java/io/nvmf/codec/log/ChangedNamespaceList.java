package io.nvmf.codec.log;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.identify.NamespaceList;
import java.nio.ByteBuffer;

/**
 * The Changed Attached Namespace List log, LID 04h (NVMe Base 2.0 s5.16.1.5): as a namespace list; more than 1024
 * changes are told by the single entry FFFFFFFFh.
 */
public final class ChangedNamespaceList {
    public static final int BYTES = NamespaceList.BYTES;

    private ChangedNamespaceList() {}

    /** Writes all 4096 bytes; the ids ascend. */
    public static void encode(ByteBuffer target, int offset, long[] ascending) {
        if (ascending.length <= NamespaceList.MAX_ENTRIES) {
            NamespaceList.encode(target, offset, ascending, 0);
        } else {
            Bytes.zero(Bytes.requireRange(target, offset, BYTES), offset, BYTES);
            target.putInt(offset, (int) Sqe.NSID_ALL);
        }
    }

    /** The changed ids, or {@link Sqe#NSID_ALL} alone when there were too many. */
    public static long[] decode(ByteBuffer source, int offset) {
        return NamespaceList.decode(source, offset);
    }
}
