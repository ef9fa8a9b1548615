package io.nvmf.codec.nvm;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * A view of one range of a Dataset Management command (NVM Command Set 1.0 s3.2.3): bytes 0-3 context attributes, 4-7
 * length in blocks (not zero based; 0 = nothing), 8-15 SLBA.
 */
public final class DatasetRange {
    public static final int BYTES = 16;
    public static final int LENGTH_OFFSET = 4;
    public static final int START_BLOCK_OFFSET = 8;

    private ByteBuffer buffer;
    private int offset;

    public DatasetRange wrap(ByteBuffer buffer, int offset) {
        this.buffer = Bytes.requireLittleEndian(buffer);
        this.offset = offset;
        return this;
    }

    /** Writes all 16 bytes, context attributes zero. */
    public DatasetRange set(long startBlock, long blockCount) {
        buffer.putInt(offset, 0);
        buffer.putInt(offset + LENGTH_OFFSET, (int) blockCount);
        buffer.putLong(offset + START_BLOCK_OFFSET, startBlock);
        return this;
    }

    public long contextAttributes() {
        return Bytes.u32(buffer, offset);
    }

    public long blockCount() {
        return Bytes.u32(buffer, offset + LENGTH_OFFSET);
    }

    /** Unsigned. */
    public long startBlock() {
        return buffer.getLong(offset + START_BLOCK_OFFSET);
    }
}
