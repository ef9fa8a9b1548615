package io.nvmf.target.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.command.CommandTable;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.controller.ControllerTable;
import io.nvmf.target.discovery.DiscoveryService;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.namespace.BlockTraffic;
import io.nvmf.target.namespace.NamespaceChannels;
import io.nvmf.target.queue.BufferPool;
import io.nvmf.target.queue.EntryLimit;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.target.transport.tcp.TcpTransport;
import io.nvmf.transport.EventLoops;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {
    @Test
    void shouldCountConnectionsThatAreThere() {
        ConnectionLimit limit = new ConnectionLimit(2, "be content");
        assertTrue(limit.tryOpen("a"));
        assertTrue(limit.tryOpen("b"));
        assertFalse(limit.tryOpen("c"));
        assertFalse(limit.tryOpen("d"), "a refused one is not counted");
        limit.closed();
        assertTrue(limit.tryOpen("e"));
    }

    @Test
    void shouldAllowAsManyAsThereAreFilesAndMemoryFor() {
        assertEquals(1000, ConnectionLimit.of(1000, 300L << 20).most());
        assertEquals(2400, ConnectionLimit.of(1 << 20, 300L << 20).most());
        assertEquals(16, ConnectionLimit.of(1 << 20, 1).most(), "enough to say what is wrong");
        assertEquals(65_536, ConnectionLimit.of(Long.MAX_VALUE, Long.MAX_VALUE).most());
    }

    @Test
    void shouldLetNoMoreHostsInThanThereMayBe() throws IOException {
        DiscoveryService discovery = new DiscoveryService(Subsystem.discovery(Nqn.DISCOVERY, "1", "nvmf4j"));
        CommandTable commands = new CommandTable(discovery, new ControllerTable(), TargetLimits.DEFAULT, 0);
        List<Socket> sockets = new ArrayList<>();
        try (EventLoops eventLoops = EventLoops.open(1, "limit-test")) {
            BufferPool buffers = new BufferPool(1 << 20, 4096, 8192);
            TargetLoop loop = new TargetLoop(
                    eventLoops.next(),
                    buffers,
                    new NamespaceChannels(eventLoops.next()),
                    new BlockTraffic(eventLoops.next(), new ArrayList<>()),
                    System::nanoTime,
                    EntryLimit.ofThisProcess());
            TcpTransport transport =
                    new TcpTransport(eventLoops, List.of(loop), commands, new ConnectionLimit(3, "be content"));
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            Listener listener = transport.listen(
                    new ListenerConfig(1, TransportType.TCP, any, Set.of()), List.of(discovery.subsystem()));
            for (int i = 0; i < 3; i++) {
                sockets.add(connect(listener));
            }
            try (Socket fourth = connect(listener)) {
                assertEquals(-1, fourth.getInputStream().read(), "closed at once");
            }
            sockets.remove(0).close();
            Awaitility.await().until(() -> staysOpen(listener));
            for (Socket socket : sockets) {
                socket.close();
            }
            transport.close();
        }
    }

    private static Socket connect(Listener listener) throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout(5_000);
        socket.connect(listener.address());
        return socket;
    }

    private static boolean staysOpen(Listener listener) throws IOException {
        try (Socket socket = connect(listener)) {
            socket.setSoTimeout(300);
            socket.getInputStream().read();
            return false;
        } catch (java.net.SocketTimeoutException e) {
            return true;
        }
    }
}
