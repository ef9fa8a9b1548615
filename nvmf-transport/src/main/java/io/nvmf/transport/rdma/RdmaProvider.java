package io.nvmf.transport.rdma;

import io.netty.channel.IoEventLoop;

/** One way to reach RDMA devices. Thread safe. */
public interface RdmaProvider {
    /** What is missing and what to do about it, in one sentence; null when RDMA can be used here. */
    String unavailabilityCause();

    /**
     * Opens a communication manager.
     *
     * @param loop owns it: the events of all its ids come there, and its methods and theirs are called there
     * @throws RdmaException when RDMA cannot be used here, or not on such a loop
     */
    ConnectionManager openConnectionManager(IoEventLoop loop) throws RdmaException;
}
