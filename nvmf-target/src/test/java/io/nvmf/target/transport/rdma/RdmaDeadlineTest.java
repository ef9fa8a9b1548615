package io.nvmf.target.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.command.CommandTable;
import io.nvmf.target.config.ListenerConfig;
import io.nvmf.target.config.RdmaConfig;
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
import io.nvmf.target.transport.ConnectionLimit;
import io.nvmf.target.transport.Deadlines;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.memory.MemoryRdma;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long a host may take; the test's clock decides. */
class RdmaDeadlineTest {
    private static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";

    private final MemoryRdma rdma = new MemoryRdma();
    private final AtomicLong clock = new AtomicLong(1);
    private final EventLoops loops = EventLoops.open(EventLoops.Kind.NIO, 2, "deadline-test");
    private RdmaTransport transport;
    private Listener listener;
    private RawRdmaHost host;

    @BeforeEach
    void start() throws IOException {
        DiscoveryService discovery = new DiscoveryService(Subsystem.discovery(Nqn.DISCOVERY, "1", "nvmf4j"));
        CommandTable commands = new CommandTable(discovery, new ControllerTable(), TargetLimits.DEFAULT, 0);
        TargetLoop loop = new TargetLoop(
                loops.next(),
                new BufferPool(1 << 20, 4096, 8192),
                new NamespaceChannels(loops.next()),
                new BlockTraffic(loops.next(), new ArrayList<>()),
                clock::get,
                EntryLimit.ofThisProcess());
        transport = new RdmaTransport(
                rdma, RdmaConfig.DEFAULT, List.of(loop), commands, new ConnectionLimit(1, "be content"));
        InetSocketAddress any = new InetSocketAddress("127.0.0.1", 0);
        listener = transport.listen(
                new ListenerConfig(1, TransportType.RDMA, any, Set.of()), List.of(discovery.subsystem()));
        host = new RawRdmaHost(rdma, loops.next());
    }

    @AfterEach
    void stop() throws IOException {
        host.close();
        transport.endConnections();
        transport.close();
        loops.close();
        assertEquals(MemoryRdma.Counts.NONE, rdma.counts());
    }

    private void passes(long nanos) {
        clock.addAndGet(nanos);
    }

    /** Whatever the target looks at twice a second, it has looked at. */
    private void awaitTicks() throws IOException {
        long from = System.nanoTime();
        Awaitility.await().until(() -> System.nanoTime() - from > 1_200_000_000L);
    }

    @Test
    void shouldGiveAHostItsTimeToConnectAndNoMore() throws IOException {
        host.ask(listener.address(), RawRdmaHost.request(0, 0, 32, 31), 16);
        passes(Deadlines.CONNECT_NANOS - 1);
        awaitTicks();
        assertFalse(host.hasEnded());
        passes(2);
        host.awaitEnd();
    }

    @Test
    void shouldLetAConnectedHostBeIdle() throws IOException {
        host.connectAdmin(listener.address(), DISCOVERY, 1000_000);
        passes(10 * Deadlines.TRANSFER_NANOS);
        awaitTicks();
        assertFalse(host.hasEnded());
    }

    @Test
    void shouldEndAHostThatDoesNotTakeItsResponse() throws IOException {
        host.connectAdmin(listener.address(), DISCOVERY, 1000_000);
        host.enable();
        rdma.holdSendCompletions();
        // Answered, but whether the response went the device does not say.
        host.execute(Sqe.allocate().clear(0x18));
        passes(Deadlines.STALL_NANOS);
        awaitTicks();
        assertFalse(host.hasEnded());
        passes(1_000_000);
        host.awaitEnd();
    }

    @Test
    void shouldLetNoMoreHostsInThanThereMayBe() throws IOException {
        host.ask(listener.address(), RawRdmaHost.request(0, 0, 32, 31), 16);
        try (RawRdmaHost second = new RawRdmaHost(rdma, loops.next())) {
            assertEquals(
                    6,
                    second.ask(listener.address(), RawRdmaHost.request(0, 0, 32, 31), 16)
                            .reject()
                            .status());
        }
        host.close();
        Awaitility.await().until(() -> transport.connections() == 0);
        try (RawRdmaHost third = new RawRdmaHost(rdma, loops.next())) {
            third.connectAdmin(listener.address(), DISCOVERY, 0);
        }
    }
}
