package io.nvmf.codec.identify;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/** A controller list: 2 bytes count, then ascending ids of 2 bytes (NVMe Base 2.0 s4.4.1). CNS 12h and 13h. */
public final class ControllerList {
    public static final int BYTES = 4096;
    public static final int MAX_ENTRIES = 2047;

    private ControllerList() {}

    /**
     * Writes the ids not below {@code first}, as many as fit.
     *
     * @param ascending controller ids in ascending order
     */
    public static void encode(ByteBuffer target, int offset, int[] ascending, int first) {
        Bytes.zero(Bytes.requireRange(target, offset, BYTES), offset, BYTES);
        int entries = 0;
        for (int id : ascending) {
            if (id >= first && entries < MAX_ENTRIES) {
                target.putShort(offset + 2 + 2 * entries++, (short) id);
            }
        }
        target.putShort(offset, (short) entries);
    }

    /** A count beyond the structure is cut; {@link IllegalArgumentException} when there are fewer than 4096 bytes. */
    public static int[] decode(ByteBuffer source, int offset) {
        Bytes.requireRange(source, offset, BYTES);
        int[] ids = new int[Math.min(Bytes.u16(source, offset), MAX_ENTRIES)];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = Bytes.u16(source, offset + 2 + 2 * i);
        }
        return ids;
    }
}
