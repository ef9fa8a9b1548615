package io.nvmf.target.transport.rdma;

import io.nvmf.transport.MemoryBlock;
import io.nvmf.transport.MemorySlab;
import io.nvmf.transport.rdma.MemoryRegion;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaException;

/**
 * A slab as one device knows it: each chunk is a memory region, which no host has a key of. Chunks are registered on the
 * control loop; where the blocks of one lie may be asked on any loop that learned of them later.
 */
final class RegisteredSlab {
    private final MemorySlab slab;
    private final RdmaDevice device;
    private final MemoryRegion[] regions;

    RegisteredSlab(MemorySlab slab, RdmaDevice device) {
        this.slab = slab;
        this.device = device;
        this.regions = new MemoryRegion[slab.chunks().size()];
    }

    /** Registers what there is and is not yet known. */
    void registerAll() throws RdmaException {
        for (MemorySlab.Chunk chunk : slab.chunks()) {
            register(chunk);
        }
    }

    /** Sees that the device knows the chunk of a block. */
    void register(MemoryBlock block) throws RdmaException {
        register(slab.chunks().get(block.chunkIndex()));
    }

    private void register(MemorySlab.Chunk chunk) throws RdmaException {
        if (regions[chunk.index()] == null) {
            try {
                regions[chunk.index()] = device.register(chunk.memory(), RemoteAccess.NONE);
            } catch (OutOfMemoryError e) {
                throw tooLittleMemory(e);
            }
        }
    }

    /** What Java says of memory is said of the queue that wanted it: the loop it is wanted on must not end of it. */
    static RdmaException tooLittleMemory(OutOfMemoryError e) {
        return new RdmaException("there is too little memory outside of Java's heap: raise -XX:MaxDirectMemorySize", e);
    }

    /** The address of a block for work requests. */
    long address(MemoryBlock block) {
        return regions[block.chunkIndex()].address() + block.chunkOffset();
    }

    /** Its key. */
    int key(MemoryBlock block) {
        return regions[block.chunkIndex()].localKey();
    }

    /** Ends the device's use of it; no work names it any more. */
    void close() {
        for (int i = 0; i < regions.length; i++) {
            if (regions[i] != null) {
                regions[i].close();
                regions[i] = null;
            }
        }
    }
}
