package io.nvmf.target.backend.file;

import java.nio.ByteBuffer;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/** Zeros to write from, shared by all. Aligned for O_DIRECT; never written to. */
final class ZeroBuffer {
    static final int LENGTH_BYTES = 1 << 20;
    static final long ADDRESS;

    /** Keeps the memory. */
    private static final ByteBuffer ZEROS;

    static {
        int alignment = FileBlockDevice.DIRECT_ALIGNMENT_BYTES;
        ZEROS = ByteBuffer.allocateDirect(LENGTH_BYTES + alignment).alignedSlice(alignment);
        ADDRESS = Pointer.wrap(Runtime.getSystemRuntime(), ZEROS).address();
    }

    private ZeroBuffer() {}
}
