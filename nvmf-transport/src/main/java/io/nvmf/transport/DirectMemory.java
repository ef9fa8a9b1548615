package io.nvmf.transport;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Memory outside Java's heap, of which there is a bound: {@code -XX:MaxDirectMemorySize}. */
public final class DirectMemory {
    private DirectMemory() {}

    /**
     * A buffer of zeros. For event loops, which an {@link OutOfMemoryError} must not leave half done.
     *
     * @throws IOException when there is too little; the message is the end of a sentence
     */
    public static ByteBuffer allocate(int lengthBytes) throws IOException {
        try {
            return ByteBuffer.allocateDirect(lengthBytes);
        } catch (OutOfMemoryError e) {
            throw exhausted(lengthBytes, e);
        }
    }

    static IOException exhausted(long lengthBytes, OutOfMemoryError cause) {
        return new IOException(
                "there is no memory for " + lengthBytes + " bytes: raise -XX:MaxDirectMemorySize", cause);
    }
}
