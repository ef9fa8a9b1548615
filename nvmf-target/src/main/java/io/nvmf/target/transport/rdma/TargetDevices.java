package io.nvmf.target.transport.rdma;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.MemorySlab;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The devices that hosts come through. Nobody tells of a device that goes while nothing is open on it, so one that is not
 * used is let go of: soon, but not at once, because to make its memory known again takes its time. Owned by the control
 * loop.
 */
final class TargetDevices {
    private final IoEventLoop control;
    private final List<RdmaLoop> loops;
    private final MemorySlab receiveMemory;
    private final Predicate<RdmaDevice> isListenedOn;
    private final long idleMs;
    private final Map<RdmaDevice, TargetDevice> devices = new HashMap<>();

    /**
     * @param isListenedOn whether an address of a device is listened on: it is kept then, though nobody is connected
     * @param idleMs how long one is kept that nothing uses
     */
    TargetDevices(
            IoEventLoop control,
            List<RdmaLoop> loops,
            MemorySlab receiveMemory,
            Predicate<RdmaDevice> isListenedOn,
            long idleMs) {
        this.control = control;
        this.loops = loops;
        this.receiveMemory = receiveMemory;
        this.isListenedOn = isListenedOn;
        this.idleMs = idleMs;
    }

    /**
     * The device with the target's memory registered.
     *
     * @throws RdmaException when it refuses the memory, or has been removed
     */
    TargetDevice get(RdmaDevice device) throws RdmaException {
        TargetDevice known = devices.get(device);
        if (known == null) {
            known = new TargetDevice(device, loops, receiveMemory);
            devices.put(device, known);
            letGoWhenIdle(known);
        } else if (known.isRemoved()) {
            throw new RdmaException("the RDMA device was removed");
        }
        return known;
    }

    /** A queue pair of it is there. */
    void linked(TargetDevice device) {
        device.linked();
        device.letGoTask(null);
    }

    /** A queue pair of it is no more. */
    void unlinked(TargetDevice device) {
        device.unlinked();
        if (!device.isLinked()) {
            if (device.isRemoved()) {
                letGo(device);
            } else {
                letGoWhenIdle(device);
            }
        }
    }

    /** It goes away: no new connections, and it is let go of with the last that there is. */
    void removed(RdmaDevice device) {
        TargetDevice known = devices.get(device);
        if (known != null) {
            known.removed();
            if (!known.isLinked()) {
                letGo(known);
            }
        }
    }

    /** An address of it is not listened on any more. */
    void unlistened(RdmaDevice device) {
        TargetDevice known = devices.get(device);
        if (known != null && !known.isLinked()) {
            letGoWhenIdle(known);
        }
    }

    private void letGoWhenIdle(TargetDevice device) {
        device.letGoTask(control.schedule(
                () -> {
                    if (!device.isLinked() && !isListenedOn.test(device.device())) {
                        letGo(device);
                    }
                },
                idleMs,
                TimeUnit.MILLISECONDS));
    }

    private void letGo(TargetDevice device) {
        devices.remove(device.device());
        device.close();
    }

    /** Lets go of all; there are no connections. */
    void close() {
        devices.values().forEach(TargetDevice::close);
        devices.clear();
    }
}
