package io.nvmf.tools;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;

/** A machine without RDMA. */
final class MissingRdma implements RdmaProvider {
    static final String CAUSE = "librdmacm.so.1 is not there; install librdmacm1";

    @Override
    public String unavailabilityCause() {
        return CAUSE;
    }

    @Override
    public ConnectionManager openConnectionManager(IoEventLoop loop) throws RdmaException {
        throw new RdmaException(CAUSE);
    }
}
