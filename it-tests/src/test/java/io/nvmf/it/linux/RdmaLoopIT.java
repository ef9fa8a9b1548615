package io.nvmf.it.linux;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Both our ends over soft-RoCE in one process of the guest, and what the Linux host hears of. One boot for all checks. */
@GuestTest
class RdmaLoopIT {
    @TestFactory
    Stream<DynamicTest> shouldWorkTogetherOverRdma() throws Exception {
        return new Guest("rdma-loop")
                .withProcessors(2)
                .withJava()
                .run("rdma-loop.sh")
                .tests();
    }
}
