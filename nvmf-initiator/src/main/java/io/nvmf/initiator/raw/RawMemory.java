package io.nvmf.initiator.raw;

import io.nvmf.transport.rdma.MemoryRegion;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;

/** Memory of the host that a device may use: to the byte as long as its data, so that nobody reaches beyond it. Thread safe. */
public final class RawMemory implements AutoCloseable {
    private final ByteBuffer bytes;
    private final MemoryRegion region;

    /** @param content is copied; not empty */
    RawMemory(RdmaDevice device, byte[] content, RemoteAccess access) throws RdmaException {
        bytes = ByteBuffer.allocateDirect(content.length).put(0, content);
        region = device.register(bytes, access);
    }

    /** Of its first byte, for the target. */
    public long address() {
        return region.address();
    }

    /** For the target. */
    public int key() {
        return region.remoteKey();
    }

    int localKey() {
        return region.localKey();
    }

    public int lengthBytes() {
        return bytes.capacity();
    }

    /** What is in it now: a copy. */
    public byte[] content() {
        return content(0, bytes.capacity());
    }

    byte[] content(int offset, int lengthBytes) {
        byte[] content = new byte[lengthBytes];
        bytes.get(offset, content);
        return content;
    }

    /** Takes it back: a target that still uses it breaks the connection. */
    @Override
    public void close() {
        region.close();
    }
}
