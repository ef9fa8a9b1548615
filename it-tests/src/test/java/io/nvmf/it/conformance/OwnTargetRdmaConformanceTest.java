package io.nvmf.it.conformance;

import io.nvmf.codec.log.TransportType;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.util.Map;

/** The same checks over RDMA inside this process. */
class OwnTargetRdmaConformanceTest extends OwnTargetConformanceTest {
    private static final Map<String, String> SKIPPED = Map.of(
            "IO.CMD.CommandsNotOffered", "ONCS offers Compare, Write Uncorrectable and Verify",
            "IO.FUSED.NotOffered", "FUSES offers Compare and Write");

    private final RdmaProvider rdma = new MemoryRdma();

    @Override
    TransportType transport() {
        return TransportType.RDMA;
    }

    @Override
    RdmaProvider rdma() {
        return rdma;
    }

    @Override
    Map<String, String> skipped() {
        return SKIPPED;
    }
}
