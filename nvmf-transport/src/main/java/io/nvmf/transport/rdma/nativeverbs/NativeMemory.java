package io.nvmf.transport.rdma.nativeverbs;

import com.kenai.jffi.MemoryIO;
import io.nvmf.transport.DirectMemory;
import io.nvmf.transport.rdma.RdmaException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Memory that C and Java share. */
final class NativeMemory {
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private NativeMemory() {}

    /** Memory of ours, zeroed, for structures; it goes with the buffer. */
    static ByteBuffer allocate(int lengthBytes) throws RdmaException {
        try {
            return DirectMemory.allocate(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
        } catch (IOException e) {
            throw new RdmaException(e.getMessage(), e);
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
