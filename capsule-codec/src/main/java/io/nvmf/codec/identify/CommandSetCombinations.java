package io.nvmf.codec.identify;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * Which I/O command sets may be used together, CNS 1Ch (NVMe Base 2.0 s5.17.2.21): 512 vectors of 64 bits, in each one bit
 * a {@link Csi}; 0 is no combination.
 */
public final class CommandSetCombinations {
    public static final int BYTES = 4096;
    public static final int MAX_COMBINATIONS = BYTES / 8;

    private CommandSetCombinations() {}

    public static long combination(ByteBuffer source, int offset, int index) {
        return Bytes.requireRange(source, offset, BYTES).getLong(offset + 8 * index);
    }

    public static void combination(ByteBuffer target, int offset, int index, long vector) {
        Bytes.requireRange(target, offset, BYTES).putLong(offset + 8 * index, vector);
    }
}
