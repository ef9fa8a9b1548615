package io.nvmf.codec.identify;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A namespace list: up to 1024 namespace ids of 4 bytes, ascending, zero filled (NVMe Base 2.0 s4.4.2). CNS 02h, 07h and
 * 10h.
 */
public final class NamespaceList {
    public static final int BYTES = 4096;
    public static final int MAX_ENTRIES = 1024;

    private NamespaceList() {}

    /**
     * Writes the ids greater than {@code after}, as many as fit.
     *
     * @param ascending namespace ids in ascending order
     */
    public static void encode(ByteBuffer target, int offset, long[] ascending, long after) {
        Bytes.zero(Bytes.requireRange(target, offset, BYTES), offset, BYTES);
        int entries = 0;
        for (long nsid : ascending) {
            if (nsid > after && entries < MAX_ENTRIES) {
                target.putInt(offset + 4 * entries++, (int) nsid);
            }
        }
    }

    /** The ids before the first zero; {@link IllegalArgumentException} when there are fewer than 4096 bytes. */
    public static long[] decode(ByteBuffer source, int offset) {
        Bytes.requireRange(source, offset, BYTES);
        long[] nsids = new long[MAX_ENTRIES];
        int entries = 0;
        for (; entries < MAX_ENTRIES; entries++) {
            nsids[entries] = Bytes.u32(source, offset + 4 * entries);
            if (nsids[entries] == 0) {
                break;
            }
        }
        return Arrays.copyOf(nsids, entries);
    }
}
