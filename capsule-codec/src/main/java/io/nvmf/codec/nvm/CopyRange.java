package io.nvmf.codec.nvm;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * A view of one source range of a Copy command, descriptor format 0 (NVM Command Set 1.0 s3.2.2): bytes 8-15 SLBA, 16-17
 * NLB (zero based), 24-31 tags of protection information.
 */
public final class CopyRange {
    public static final int BYTES = 32;
    public static final int START_BLOCK_OFFSET = 8;
    public static final int BLOCK_COUNT_OFFSET = 16;
    /** Most blocks of one range. */
    public static final int MAX_BLOCKS = 0x1_0000;

    private ByteBuffer buffer;
    private int offset;

    public CopyRange wrap(ByteBuffer buffer, int offset) {
        this.buffer = Bytes.requireLittleEndian(buffer);
        this.offset = offset;
        return this;
    }

    /**
     * Writes all 32 bytes, tags zero.
     *
     * @param blockCount 1 to {@link #MAX_BLOCKS}
     */
    public CopyRange set(long startBlock, int blockCount) {
        Bytes.zero(buffer, offset, BYTES);
        buffer.putLong(offset + START_BLOCK_OFFSET, startBlock);
        buffer.putShort(offset + BLOCK_COUNT_OFFSET, (short) (blockCount - 1));
        return this;
    }

    /** Unsigned. */
    public long startBlock() {
        return buffer.getLong(offset + START_BLOCK_OFFSET);
    }

    /** 1 to {@link #MAX_BLOCKS}. */
    public int blockCount() {
        return Bytes.u16(buffer, offset + BLOCK_COUNT_OFFSET) + 1;
    }
}
