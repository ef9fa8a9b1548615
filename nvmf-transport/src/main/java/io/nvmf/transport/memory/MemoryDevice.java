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
    private static final int PAGE_BYTES = 4096;
    /** Keys and addresses that a sign, or more than half of their bits, can tell from small numbers. */
    private static final long FIRST_ADDRESS = 0xFF00_1000_0000_0000L;

    private static final int FIRST_KEY = 0x8000_0100;
    private static final int KEY_STEP = 0x100;

    final MemoryRdma rdma;
    private final IntObjectHashMap<RegisteredMemory> byLocalKey = new IntObjectHashMap<>();
    private final IntObjectHashMap<RegisteredMemory> byRemoteKey = new IntObjectHashMap<>();
    private int nextKey = FIRST_KEY;
    private long nextAddress = FIRST_ADDRESS;

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
            // Another key at the peer than here, so that one in the other's place is noticed.
            RegisteredMemory region = new RegisteredMemory(this, memory, nextAddress, nextKey, nextKey + 1);
            nextKey += KEY_STEP;
            nextAddress += (long) (memory.capacity() / PAGE_BYTES + 2) * PAGE_BYTES;
            byLocalKey.put(region.localKey(), region);
            if (access == RemoteAccess.READ_WRITE) {
                byRemoteKey.put(region.remoteKey(), region);
            }
            rdma.opened(MemoryRdma.Kind.MEMORY_REGION);
            return region;
        }
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
