package io.nvmf.it.linux;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.log.TransportType;
import io.nvmf.it.TransportContract;
import io.nvmf.transport.memory.MemoryRdma;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** The guest's script names each check of the contract, so a new one must be added there. */
class RdmaLoopScriptTest {
    @Test
    void shouldNameEveryCheckOfTheContract() throws IOException {
        String script = Files.readString(House.TOP.resolve("it-tests/guest/rdma-loop.sh"));
        TransportContract contract =
                new TransportContract(TransportType.RDMA, InetAddress.getLoopbackAddress(), new MemoryRdma());
        for (String name : contract.checks().keySet()) {
            String line = "\ncheck contract-" + name + " nvmf contract " + name + " $rdma_address\n";
            assertTrue(script.contains(line), name);
        }
    }
}
