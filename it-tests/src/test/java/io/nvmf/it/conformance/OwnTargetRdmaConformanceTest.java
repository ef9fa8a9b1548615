package io.nvmf.it.conformance;

import io.nvmf.codec.log.TransportType;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.rdma.RdmaProvider;

/** The same checks over RDMA inside this process. */
class OwnTargetRdmaConformanceTest extends OwnTargetConformanceTest {
    private final RdmaProvider rdma = new MemoryRdma();

    @Override
    TransportType transport() {
        return TransportType.RDMA;
    }

    @Override
    RdmaProvider rdma() {
        return rdma;
    }
}
