package io.nvmf.transport.memory;

import io.nvmf.transport.rdma.MemoryRegion;
import java.nio.ByteBuffer;

/** A buffer that a device may use, at addresses that mean nothing elsewhere. */
final class RegisteredMemory implements MemoryRegion {
    private final MemoryDevice device;
    private final ByteBuffer memory;
    private final long address;
    private final int localKey;
    private final int remoteKey;

    RegisteredMemory(MemoryDevice device, ByteBuffer memory, long address, int key) {
        this.device = device;
        this.memory = memory.duplicate().clear();
        this.address = address;
        localKey = key;
        // Another than here, so that one in the other's place is noticed.
        remoteKey = key + 1;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long lengthBytes() {
        return memory.capacity();
    }

    @Override
    public int localKey() {
        return localKey;
    }

    @Override
    public int remoteKey() {
        return remoteKey;
    }

    boolean holds(long first, int lengthBytes) {
        long offset = first - address;
        return lengthBytes >= 0 && offset >= 0 && offset <= memory.capacity() - lengthBytes;
    }

    /** Copies bytes that both hold. */
    static void copy(RegisteredMemory from, long fromAddress, RegisteredMemory to, long toAddress, int lengthBytes) {
        to.memory.put((int) (toAddress - to.address), from.memory, (int) (fromAddress - from.address), lengthBytes);
    }

    @Override
    public void close() {
        synchronized (device.rdma) {
            device.remove(this);
        }
    }
}
