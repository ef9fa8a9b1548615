package io.nvmf.transport.memory;

import io.netty.channel.IoEventLoop;
import io.netty.util.collection.IntObjectHashMap;
import io.nvmf.transport.rdma.CompletionChannel;
import io.nvmf.transport.rdma.DeviceLimits;
import io.nvmf.transport.rdma.MemoryRegion;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;

/** The device as one end has it: its keys, and what they stand for. */
final class MemoryDevice implements RdmaDevice {
    final MemoryRdma rdma;
    private final IntObjectHashMap<RegisteredMemory> byLocalKey = new IntObjectHashMap<>();
    private final IntObjectHashMap<RegisteredMemory> byRemoteKey = new IntObjectHashMap<>();

    MemoryDevice(MemoryRdma rdma) {
        this.rdma = rdma;
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public DeviceLimits limits() {
        return rdma.limits();
    }

    @Override
    public MemoryRegion register(ByteBuffer memory, RemoteAccess access) throws RdmaException {
        if (!memory.isDirect()) {
            throw new IllegalArgumentException("only direct buffers can be registered");
        }
        synchronized (rdma) {
            rdma.requireDevice();
            rdma.requireLockedMemory(memory.capacity());
            RegisteredMemory region =
                    new RegisteredMemory(this, memory, rdma.freeAddress(memory.capacity()), rdma.freeKey());
            byLocalKey.put(region.localKey(), region);
            if (access == RemoteAccess.READ_WRITE) {
                byRemoteKey.put(region.remoteKey(), region);
            }
            rdma.opened(MemoryRdma.Kind.MEMORY_REGION);
            return region;
        }
    }

    @Override
    public boolean takesInvalidation() {
        return true;
    }

    @Override
    public CompletionChannel openCompletionChannel(IoEventLoop loop) throws RdmaException {
        synchronized (rdma) {
            rdma.requireDevice();
            return new MemoryCompletionChannel(rdma, loop);
        }
    }

    // With the lock held from here on.

    void remove(RegisteredMemory region) {
        byRemoteKey.remove(region.remoteKey());
        if (byLocalKey.remove(region.localKey()) != null) {
            rdma.closed(MemoryRdma.Kind.MEMORY_REGION);
        }
    }

    /** Memory that this end names in its own work; null when the key is none or bytes are outside. */
    RegisteredMemory local(int key, long address, int lengthBytes) {
        return holding(byLocalKey.get(key), address, lengthBytes);
    }

    /** Memory that the peer names; null when the key is none, is not for peers, or bytes are outside. */
    RegisteredMemory remote(int key, long address, int lengthBytes) {
        return holding(byRemoteKey.get(key), address, lengthBytes);
    }

    /** Ends a key of the peer's use. @return whether there was one */
    boolean invalidate(int remoteKey) {
        return byRemoteKey.remove(remoteKey) != null;
    }

    private static RegisteredMemory holding(RegisteredMemory region, long address, int lengthBytes) {
        return region != null && region.holds(address, lengthBytes) ? region : null;
    }
}
