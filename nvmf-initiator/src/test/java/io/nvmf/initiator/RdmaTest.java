package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.transport.memory.MemoryRdma;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A host and a scripted target for each test, with RDMA inside this process; nothing of it may be left afterwards. */
abstract class RdmaTest {
    static final int FLUSH = 0x00;
    static final int WRITE = 0x01;
    static final int READ = 0x02;
    static final int KEYED = 0x40;
    static final int IN_CAPSULE = 0x01;

    final MemoryRdma rdma = new MemoryRdma();
    ScriptedRdmaTarget target;
    NvmfHost host;

    @BeforeEach
    void start() {
        target = new ScriptedRdmaTarget(rdma);
        host = NvmfHost.builder()
                .hostNqn(InitiatorTest.HOST_NQN)
                .hostId(InitiatorTest.HOST_ID)
                .ioThreads(2)
                .rdmaProvider(rdma)
                .build();
    }

    @AfterEach
    void stop() {
        host.close();
        target.close();
        assertEquals(List.of(), target.faults);
        assertEquals(MemoryRdma.Counts.NONE, rdma.counts());
    }

    ConnectOptions options() {
        return ConnectOptions.of(TransportType.RDMA, target.address(), ScriptedDisk.NQN);
    }

    Controller connect() {
        return host.connect(options());
    }

    static ByteBuffer random(int lengthBytes, long seed) {
        return InitiatorTest.random(lengthBytes, seed);
    }

    byte[] medium(int offset, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        target.onLoop(() -> target.medium.get(offset, bytes));
        return bytes;
    }
}
