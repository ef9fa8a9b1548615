package io.nvmf.target.transport.rdma;

import io.netty.util.concurrent.Future;
import io.nvmf.transport.MemorySlab;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** A device that hosts come through, and the memory of this target that it knows. Owned by the control loop. */
final class TargetDevice {
    private final RdmaDevice device;
    private final Map<RdmaLoop, RegisteredSlab> pools = new IdentityHashMap<>();
    private final RegisteredSlab receives;
    private int links;
    private boolean removed;
    private Future<?> letGoTask;

    /**
     * Registers the memory for data of all loops, and later that for capsules as it is needed.
     *
     * @throws RdmaException when the device refuses: all is as before
     */
    TargetDevice(RdmaDevice device, List<RdmaLoop> loops, MemorySlab receiveMemory) throws RdmaException {
        this.device = device;
        this.receives = new RegisteredSlab(receiveMemory, device);
        long bytes = 0;
        for (RdmaLoop loop : loops) {
            MemorySlab slab = loop.target().buffers().slab();
            pools.put(loop, new RegisteredSlab(slab, device));
            bytes += slab.capacityBytes();
        }
        try {
            for (RegisteredSlab pool : pools.values()) {
                pool.registerAll();
            }
        } catch (RdmaException e) {
            close();
            throw new RdmaException(
                    e.getMessage() + "; the target's buffer memory (--buffer-memory) is " + (bytes >> 20)
                            + " MiB in all, less will do",
                    e);
        }
    }

    RdmaDevice device() {
        return device;
    }

    /** The memory for data of a loop. */
    RegisteredSlab pool(RdmaLoop loop) {
        return pools.get(loop);
    }

    /** The memory for capsules. */
    RegisteredSlab receives() {
        return receives;
    }

    /** A queue pair of it is there. */
    void linked() {
        links++;
    }

    void unlinked() {
        links--;
    }

    /** It goes away: no new connections. */
    void removed() {
        removed = true;
    }

    boolean isRemoved() {
        return removed;
    }

    boolean isLinked() {
        return links > 0;
    }

    /** What is to let go of it, in place of what was; null for nothing. */
    void letGoTask(Future<?> task) {
        if (letGoTask != null) {
            letGoTask.cancel(false);
        }
        letGoTask = task;
    }

    /** Ends its use of memory; there are no connections. */
    void close() {
        letGoTask(null);
        pools.values().forEach(RegisteredSlab::close);
        receives.close();
    }
}
