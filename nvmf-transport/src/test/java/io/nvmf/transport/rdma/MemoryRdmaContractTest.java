package io.nvmf.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nvmf.transport.EventLoops;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.memory.MemoryRdma.Counts;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class MemoryRdmaContractTest {
    /** The whole contract on the first kind of event loop that there is, and once more on plain NIO. */
    @TestFactory
    Stream<DynamicTest> shouldKeepContract() throws Exception {
        List<InetAddress> addresses = List.of(InetAddress.getByName("192.0.2.1"), InetAddress.getByName("2001:db8::1"));
        List<EventLoops.Kind> kinds = new ArrayList<>(List.of(EventLoops.Kind.NIO));
        if (EventLoops.Kind.EPOLL.isAvailable()) {
            kinds.add(EventLoops.Kind.EPOLL);
        }
        return kinds.stream().flatMap(kind -> tests(kind, addresses));
    }

    private static Stream<DynamicTest> tests(EventLoops.Kind kind, List<InetAddress> addresses) {
        MemoryRdma rdma = new MemoryRdma();
        return new RdmaContract(rdma, kind, addresses, true)
                .checks().entrySet().stream()
                        .map(check -> DynamicTest.dynamicTest(kind + ": " + check.getKey(), () -> {
                            check.getValue().run();
                            assertEquals(Counts.NONE, rdma.counts());
                        }));
    }
}
