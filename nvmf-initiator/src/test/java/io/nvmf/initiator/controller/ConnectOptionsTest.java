package io.nvmf.initiator.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.TransportType;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class ConnectOptionsTest {
    private static final String NQN = "nqn.2024-01.com.example:disk1";
    private static final InetSocketAddress REMOTE = new InetSocketAddress("127.0.0.1", 4420);

    @Test
    void shouldKnowItsTransport() {
        assertEquals(
                TransportType.TCP, ConnectOptions.tcp("127.0.0.1", 4420, NQN).transport());
        assertEquals(
                TransportType.RDMA, ConnectOptions.rdma("127.0.0.1", 4420, NQN).transport());
        assertEquals(
                TransportType.RDMA,
                ConnectOptions.of(TransportType.RDMA, REMOTE, NQN).transport());
        assertEquals(TransportType.TCP, ConnectOptions.discovery(REMOTE).transport());
        ConnectOptions discovery = ConnectOptions.discovery(TransportType.RDMA, REMOTE);
        assertEquals(TransportType.RDMA, discovery.transport());
        assertEquals(Nqn.DISCOVERY, discovery.subsystemNqn());
        assertEquals(0, discovery.ioQueues());
        assertEquals(TransportType.RDMA, discovery.copy().transport());
    }

    @Test
    void shouldRefuseDigestsWithRdma() {
        ConnectOptions options = ConnectOptions.rdma("127.0.0.1", 4420, NQN);
        options.headerDigest(false).dataDigest(false);
        assertEquals(
                "NVMe/RDMA has no header and data digests: the network protects what it carries",
                assertThrows(IllegalArgumentException.class, () -> options.headerDigest(true))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> options.dataDigest(true));
    }

    @Test
    void shouldRefuseBuffersTooSmallForACommand() {
        ConnectOptions options = ConnectOptions.rdma("127.0.0.1", 4420, NQN);
        assertThrows(IllegalArgumentException.class, () -> options.bufferBytes(65535));
        options.bufferBytes(65536);
    }
}
