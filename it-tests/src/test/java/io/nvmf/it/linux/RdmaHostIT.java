package io.nvmf.it.linux;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The Linux kernel's own host against our target over soft-RoCE, both in the guest. One boot for all checks. */
@GuestTest
class RdmaHostIT {
    @TestFactory
    Stream<DynamicTest> shouldServeTheLinuxHostOverRdma() throws Exception {
        return new Guest("rdma-host")
                .withProcessors(2)
                .withJava()
                .run("rdma-host.sh", House.TOP + "/nvmf-target/src")
                .tests();
    }
}
