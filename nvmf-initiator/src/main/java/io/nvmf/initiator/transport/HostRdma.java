package io.nvmf.initiator.transport;

import io.nvmf.transport.rdma.RdmaProvider;
import java.nio.ByteBuffer;

/**
 * What all NVMe/RDMA connections of a host share. Nothing of RDMA is touched before the first connection is opened. Any
 * thread may call any method.
 */
public final class HostRdma implements AutoCloseable {
    private final RdmaProvider provider;

    /** @param provider null for the one of this machine */
    public HostRdma(RdmaProvider provider) {
        this.provider = provider;
    }

    /** See {@link io.nvmf.initiator.NvmfHost#register}. */
    public RegisteredMemory register(ByteBuffer memory) {
        return new RegisteredMemory(memory);
    }

    /** Ends what is still there; its connections are closed already. */
    @Override
    public void close() {}
}
