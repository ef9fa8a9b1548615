package io.nvmf.transport.rdma.nativeverbs;

import com.kenai.jffi.MemoryIO;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Memory that C and Java share. */
final class NativeMemory {
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private NativeMemory() {}

    /** Memory of ours, zeroed, for structures; it goes with the buffer. */
    static ByteBuffer allocate(int lengthBytes) throws RdmaException {
        try {
            return ByteBuffer.allocateDirect(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
        } catch (OutOfMemoryError e) {
            // An event loop allocates this, and must not be left half done.
            throw new RdmaException(
                    "there is no memory for " + lengthBytes + " bytes: raise -XX:MaxDirectMemorySize", e);
        }
    }

    /** Of byte 0 of a direct buffer, whatever its position. */
    static long addressOf(ByteBuffer buffer) {
        return MEMORY.getDirectBufferAddress(buffer);
    }

    /** A structure of the library's: valid as long as the library keeps it. */
    static ByteBuffer at(long address, int lengthBytes) {
        return MEMORY.newDirectByteBuffer(address, lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
