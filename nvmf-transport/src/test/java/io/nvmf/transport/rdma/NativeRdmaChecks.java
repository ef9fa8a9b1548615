package io.nvmf.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.RdmaContract.Check;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What the native provider must do beyond the contract: say what is wrong with a machine, and stand what happens to
 * hardware. Needs soft-RoCE as root without CAP_IPC_LOCK, and the tools {@code rdma} and {@code prlimit}.
 */
final class NativeRdmaChecks {
    private static final QueuePairSize SIZE = new QueuePairSize(8, 8);

    private final InetAddress address;
    private final String device;
    private final InetAddress elsewhere;

    /**
     * @param address of the soft-RoCE device
     * @param device its name
     * @param elsewhere an address of this machine that is not on an RDMA device
     */
    NativeRdmaChecks(InetAddress address, String device, InetAddress elsewhere) {
        this.address = address;
        this.device = device;
        this.elsewhere = elsewhere;
    }

    Map<String, Check> checks() {
        Map<String, Check> checks = new LinkedHashMap<>();
        checks.put("says that no device serves an address to listen at", this::saysThatNobodyServesListening);
        checks.put("says that no device serves an address to connect to", this::saysThatNobodyServesConnecting);
        checks.put("says that an address is in use", this::saysThatAddressIsInUse);
        checks.put("listens at all IPv4 and all IPv6 addresses of one port", this::listensAtBothFamilies);
        checks.put("refuses a loop that cannot watch", this::refusesLoopThatCannotWatch);
        checks.put("says which limit is too low", this::saysWhichLimitIsTooLow);
        checks.put("says what a device refuses", this::saysWhatDeviceRefuses);
        checks.put("allocates nothing to post and poll", this::allocatesNothing);
        checks.put("leaves nothing when loops end first", this::leavesNothingWhenLoopsEnd);
        checks.put("tells that a device was removed", this::tellsThatDeviceWasRemoved);
        return checks;
    }

    private static RdmaEnd end(String name) throws Exception {
        return new RdmaEnd(Rdma.provider(), EventLoops.Kind.EPOLL, name);
    }

    private static RdmaEnd[] ends() throws Exception {
        return new RdmaEnd[] {end("host"), end("target")};
    }

    private static String message(RdmaEnd end, InetSocketAddress listening) {
        return assertThrows(RdmaException.class, () -> end.listen(listening)).getMessage();
    }

    /** The two ends of a connection between two {@link RdmaEnd}s. */
    private RdmaLink[] connect(RdmaEnd[] ends) throws Exception {
        ConnectionManager.Listening listening = ends[1].listen(new InetSocketAddress(address, 0));
        RdmaLink host = ends[0].resolve(listening.address()).open(SIZE, 16);
        host.connect(ByteBuffer.allocate(32), 4, 4);
        RdmaLink target = ends[1].answer(ends[1].takeRequest()).open(SIZE, 16);
        target.accept(ByteBuffer.allocate(32), 4, 4);
        host.expect("established");
        target.expect("established");
        return new RdmaLink[] {host, target};
    }

    private void saysThatNobodyServesListening() throws Exception {
        try (RdmaEnd end = end("test")) {
            assertEquals("no RDMA device serves this address", message(end, new InetSocketAddress(elsewhere, 0)));
            // An address of nobody here.
            assertEquals("no RDMA device serves this address", message(end, new InetSocketAddress("192.0.2.1", 0)));
            assertEquals(
                    "the host name is not known",
                    message(end, InetSocketAddress.createUnresolved("no-such-host.invalid", 4420)));
        }
    }

    private void saysThatNobodyServesConnecting() throws Exception {
        try (RdmaEnd end = end("test")) {
            RdmaLink link = new RdmaLink(end);
            String said;
            try {
                link.id = end.resolveLater(new InetSocketAddress(elsewhere, 4420), link);
                RdmaLink.Event event = link.events.poll(RdmaEnd.PATIENCE_S, TimeUnit.SECONDS);
                assertNotNull(event);
                said = event.name();
                link.close();
            } catch (RdmaException e) {
                said = "failed: " + e.getMessage();
            }
            assertEquals("failed: no RDMA device serves this address", said);
        }
    }

    private void saysThatAddressIsInUse() throws Exception {
        try (RdmaEnd end = end("test")) {
            ConnectionManager.Listening first = end.listen(new InetSocketAddress(address, 0));
            assertEquals("the address is in use", message(end, first.address()));
            end.onControl(() -> {
                first.close();
                first.close();
                return null;
            });
            assertEquals(first.address(), end.listen(first.address()).address());
        }
    }

    private void listensAtBothFamilies() throws Exception {
        try (RdmaEnd end = end("test")) {
            ConnectionManager.Listening ipv6 = end.listen(new InetSocketAddress("::", 0));
            int port = ipv6.address().getPort();
            assertEquals(
                    port,
                    end.listen(new InetSocketAddress("0.0.0.0", port)).address().getPort());
        }
    }

    private void refusesLoopThatCannotWatch() {
        try (EventLoops nio = EventLoops.open(EventLoops.Kind.NIO, 1, "test")) {
            String said = assertThrows(
                            RdmaException.class, () -> Rdma.provider().openConnectionManager(nio.next()))
                    .getMessage();
            assertTrue(said.startsWith("RDMA needs event loops of kind epoll or io_uring"), said);
        }
    }

    private void saysWhichLimitIsTooLow() throws Exception {
        RdmaEnd[] ends = ends();
        RdmaLink[] links = connect(ends);
        try {
            limitLockedMemory("65536");
            String said = assertThrows(
                            RdmaException.class,
                            () -> ends[0].register(links[0].id.device(), 1 << 20, RemoteAccess.NONE))
                    .getMessage();
            assertTrue(said.startsWith("registering 1048576 bytes of memory with " + device + " failed: "), said);
            assertTrue(
                    said.endsWith("raise the limit of locked memory (ulimit -l, or LimitMEMLOCK= of the service)"),
                    said);
        } finally {
            limitLockedMemory("unlimited");
            close(links, ends);
        }
    }

    private static void limitLockedMemory(String bytes) throws IOException, InterruptedException {
        run("prlimit", "--pid", "" + ProcessHandle.current().pid(), "--memlock=" + bytes + ":" + bytes);
    }

    private void saysWhatDeviceRefuses() throws Exception {
        RdmaEnd[] ends = ends();
        RdmaLink[] links = connect(ends);
        RdmaDevice known = links[0].id.device();
        CompletionChannel channel = ends[0].channel(known);
        int tooMany = known.limits().maxCompletions() + 1;
        String said = assertThrows(RdmaException.class, () -> channel.createCompletionQueue(tooMany, () -> {}))
                .getMessage();
        assertEquals(
                "making a completion queue of " + tooMany + " entries with " + device + " failed: Invalid argument",
                said);
        RdmaLink third = ends[0].resolve(new InetSocketAddress(address, 4420));
        String queuePair = assertThrows(
                        RdmaException.class,
                        () -> third.open(new QueuePairSize(known.limits().maxWork() + 1, 1), 8))
                .getMessage();
        assertTrue(queuePair.startsWith("making a queue pair of "), queuePair);
        ends[0].onControl(() -> {
            third.id.close();
            third.completionQueue.close();
            return null;
        });
        close(links, ends);
    }

    private void allocatesNothing() throws Exception {
        RdmaEnd[] ends = ends();
        RdmaLink[] links = connect(ends);
        RdmaEnd.Memory memory = ends[0].register(links[0].id.device(), 4096, RemoteAccess.NONE);
        RdmaEnd.Memory peers = ends[1].register(links[1].id.device(), 4096, RemoteAccess.READ_WRITE);
        long allocatedBytes = ends[0].onData(() -> {
            Completions batch = new Completions(8);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = 0;
            for (int i = 0; i < 200; i++) {
                // The first rounds load classes and grow the memory for completions.
                before = i == 20 ? threads.getCurrentThreadAllocatedBytes() : before;
                writeAndRead(links[0], memory, peers, batch);
            }
            return threads.getCurrentThreadAllocatedBytes() - before;
        });
        memory.region().close();
        peers.region().close();
        close(links, ends);
        assertTrue(allocatedBytes < 180, "bytes in 180 rounds: " + allocatedBytes);
    }

    private static void writeAndRead(RdmaLink link, RdmaEnd.Memory memory, RdmaEnd.Memory peers, Completions batch) {
        QueuePair queuePair = link.queuePair;
        queuePair.addWrite(
                1, memory.address(0), 64, memory.localKey(), peers.region().address(), peers.remoteKey());
        queuePair.addRead(
                2, memory.address(64), 64, memory.localKey(), peers.region().address(), peers.remoteKey());
        queuePair.post();
        link.completionQueue.arm();
        int count = 0;
        while (count == 0) {
            count = link.completionQueue.poll(batch);
        }
        if (count != 1 || batch.workId(0) != 2 || batch.status(0) != Completions.SUCCESS) {
            throw new AssertionError("count " + count + ", status " + batch.status(0));
        }
    }

    private void leavesNothingWhenLoopsEnd() throws Exception {
        RdmaEnd[] ends = ends();
        RdmaLink[] links = connect(ends);
        RdmaEnd.Memory memory = ends[0].register(links[0].id.device(), 4096, RemoteAccess.NONE);
        for (RdmaEnd end : ends) {
            // The data loops' channels first: they have queues, which have queue pairs.
            end.data().parent().shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
            end.control().parent().shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
        for (RdmaLink link : links) {
            link.queuePair.close();
            link.completionQueue.close();
            link.id.close();
        }
        memory.region().close();
    }

    /** The kernel goes on with it when this process, whose libraries keep the device open, has ended: the last check. */
    private void tellsThatDeviceWasRemoved() throws Exception {
        RdmaEnd[] ends = ends();
        RdmaLink[] links = connect(ends);
        RdmaEnd.Memory memory = ends[0].register(links[0].id.device(), 4096, RemoteAccess.NONE);
        new ProcessBuilder("rdma", "link", "delete", device).inheritIO().start();
        for (RdmaLink link : links) {
            RdmaLink.Event event;
            do {
                event = link.events.poll(RdmaEnd.PATIENCE_S, TimeUnit.SECONDS);
                assertNotNull(event, "no event came");
            } while (!event.name().equals("device removed"));
        }
        memory.region().close();
        close(links, ends);
    }

    private static void close(RdmaLink[] links, RdmaEnd[] ends) {
        for (RdmaLink link : links) {
            link.close();
        }
        for (RdmaEnd end : ends) {
            end.close();
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor(), String.join(" ", command));
    }
}
