package io.nvmf.initiator.transport;

import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaException;

/** A device as a host uses it. Owned by the control loop, but for {@link #registrations}, which any thread may read. */
final class HostDevice {
    private final RdmaDevice device;
    private volatile Registrations registrations = Registrations.NONE;

    /** Connections that use it. */
    int users;

    HostDevice(RdmaDevice device) {
        this.device = device;
    }

    RdmaDevice device() {
        return device;
    }

    /** The callers' memory that it may use. */
    Registrations registrations() {
        return registrations;
    }

    void register(RegisteredMemory memory) throws RdmaException {
        if (registrations.of(memory) == null) {
            registrations = registrations.with(
                    new Registrations.Registration(memory, device.register(memory.memory(), RemoteAccess.READ_WRITE)));
        }
    }

    void deregister(RegisteredMemory memory) {
        Registrations.Registration registration = registrations.of(memory);
        if (registration != null) {
            registrations = registrations.without(memory);
            registration.region().close();
        }
    }

    /** Ends its use of callers' memory; its connections are closed already. */
    void close() {
        for (Registrations.Registration registration : registrations.toArray()) {
            registration.region().close();
        }
        registrations = Registrations.NONE;
    }
}
