package io.nvmf.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nvmf.codec.log.TransportType;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.net.InetAddress;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Our host against our target: over loopback, and over RDMA inside this process. */
class TransportContractTest {
    @TestFactory
    Stream<DynamicTest> shouldHoldOverTcp() {
        return tests(TransportType.TCP, null, () -> {});
    }

    @TestFactory
    Stream<DynamicTest> shouldHoldOverRdmaInsideAProcess() {
        MemoryRdma rdma = new MemoryRdma();
        return tests(TransportType.RDMA, rdma, () -> assertEquals(MemoryRdma.Counts.NONE, rdma.counts()));
    }

    /** @param afterwards what must hold when both ends are closed */
    private static Stream<DynamicTest> tests(TransportType transport, RdmaProvider rdma, Runnable afterwards) {
        return new TransportContract(transport, InetAddress.getLoopbackAddress(), rdma)
                .checks().entrySet().stream()
                        .map(check -> DynamicTest.dynamicTest(check.getKey(), () -> {
                            check.getValue().run();
                            afterwards.run();
                        }));
    }
}
