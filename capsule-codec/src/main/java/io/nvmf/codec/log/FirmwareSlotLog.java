package io.nvmf.codec.log;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The Firmware Slot log, LID 03h (NVMe Base 2.0 s5.16.1.4): byte 0 AFI (2:0 active slot, 6:4 slot of the next reset),
 * 8 + 8n revision of slot n + 1.
 *
 * @param activeSlot 1 to 7
 * @param nextSlot 0 when no other slot becomes active at the next reset
 * @param revisions of slot 1 and on, at most 7; an empty slot is an empty text
 */
public record FirmwareSlotLog(int activeSlot, int nextSlot, List<String> revisions) {
    public static final int BYTES = 512;
    public static final int MAX_SLOTS = 7;

    private static final int REVISION_BYTES = 8;

    public FirmwareSlotLog {
        revisions = List.copyOf(revisions);
        if (revisions.size() > MAX_SLOTS) {
            throw new IllegalArgumentException("there are " + MAX_SLOTS + " firmware slots, not " + revisions.size());
        }
    }

    public void encode(ByteBuffer target, int offset) {
        Bytes.zero(Bytes.requireRange(target, offset, BYTES), offset, BYTES);
        target.put(offset, (byte) ((nextSlot & 0x7) << 4 | activeSlot & 0x7));
        for (int i = 0; i < revisions.size(); i++) {
            if (!revisions.get(i).isEmpty()) {
                Bytes.putAscii(target, revisionOffset(offset, i), REVISION_BYTES, revisions.get(i), ' ');
            }
        }
    }

    /** {@link IllegalArgumentException} when there are fewer than 512 bytes. */
    public static FirmwareSlotLog decode(ByteBuffer source, int offset) {
        Bytes.requireRange(source, offset, BYTES);
        int afi = Bytes.u8(source, offset);
        List<String> revisions = new ArrayList<>(MAX_SLOTS);
        for (int i = 0; i < MAX_SLOTS; i++) {
            revisions.add(Bytes.getAscii(source, revisionOffset(offset, i), REVISION_BYTES));
        }
        return new FirmwareSlotLog(afi & 0x7, afi >> 4 & 0x7, revisions);
    }

    private static int revisionOffset(int offset, int index) {
        return offset + 8 + REVISION_BYTES * index;
    }
}
