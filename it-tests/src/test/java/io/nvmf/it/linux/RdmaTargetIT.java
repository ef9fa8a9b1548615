package io.nvmf.it.linux;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Our commands against the Linux kernel's own target over soft-RoCE, both in the guest. One boot for all checks. */
@GuestTest
class RdmaTargetIT {
    @TestFactory
    Stream<DynamicTest> shouldUseTheLinuxTargetOverRdma() throws Exception {
        return new Guest("rdma-target")
                .withProcessors(2)
                .withJava()
                .run("rdma-target.sh")
                .tests();
    }
}
