package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.netty.util.ResourceLeakDetector;
import io.nvmf.codec.Status;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.IoCallback;
import io.nvmf.initiator.transport.RegisteredMemory;
import io.nvmf.transport.memory.MemoryConnection;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * How connections over RDMA end: answers that no controller may give, losses of every kind, and whose the memory is
 * meanwhile.
 */
class RdmaEndTest extends RdmaTest {
    /** What a hostile target does with a read of 16 KiB; the queue has a flush outstanding too. */
    @FunctionalInterface
    private interface Answer {
        void give(RdmaEndTest test, RdmaTargetConnection target, ReceivedCapsule read);
    }

    /** @param reason a regular expression */
    private record Breach(String name, String reason, Answer answer) {}

    private static byte[] cqe(int commandId) {
        byte[] bytes = new byte[16];
        bytes[12] = (byte) commandId;
        bytes[13] = (byte) (commandId >> 8);
        return bytes;
    }

    private static final List<Breach> BREACHES = List.of(
            new Breach("unknown CID", "broke the protocol: response to unknown CID", (test, target, read) -> {
                target.send(cqe(read.commandId() ^ 0x1000));
            }),
            new Breach("CID FFFFh", "broke the protocol: response to unknown CID 65535", (test, target, read) -> {
                target.send(cqe(0xFFFF));
            }),
            new Breach("CID of a free slot", "broke the protocol: response to unknown CID 50", (test, target, read) -> {
                target.send(cqe(50));
            }),
            new Breach("response twice", "broke the protocol: response to unknown CID", (test, target, read) -> {
                target.send(cqe(read.commandId()));
                target.send(cqe(read.commandId()));
            }),
            new Breach(
                    "response twice at once", "broke the protocol: response to unknown CID", (test, target, read) -> {
                        test.rdma.holdSendCompletions();
                        target.send(cqe(read.commandId()));
                        target.send(cqe(read.commandId()));
                    }),
            new Breach("short response", "broke the protocol: it sent a response of 15 bytes", (test, target, read) -> {
                target.send(Arrays.copyOf(cqe(read.commandId()), 15));
            }),
            new Breach("empty response", "broke the protocol: it sent a response of 0 bytes", (test, target, read) -> {
                target.send(new byte[0]);
            }),
            new Breach("long response", "a receive failed: local length error", (test, target, read) -> {
                target.send(Arrays.copyOf(cqe(read.commandId()), 17));
            }),
            new Breach("invalidated key", "broke the protocol: it invalidated key", (test, target, read) -> {
                target.sendInvalidating(cqe(read.commandId()), read.keyed().key());
            }),
            new Breach("invalidation of a key never given", "closed", (test, target, read) -> {
                target.sendInvalidating(cqe(read.commandId()), 0x1234);
            }),
            new Breach("READ by a wrong key", "closed", (test, target, read) -> {
                ReceivedCapsule.Keyed right = read.keyed();
                target.read(new ReceivedCapsule.Keyed(right.address(), 512, right.key() + 1, 0x40), data -> {});
            }),
            new Breach("WRITE beyond the memory", "closed", (test, target, read) -> {
                ReceivedCapsule.Keyed right = read.keyed();
                target.write(
                        new ReceivedCapsule.Keyed(right.address() + (4 << 20), 512, right.key(), 0x40),
                        new byte[512],
                        0);
                target.post();
            }),
            new Breach("disconnect", "closed", (test, target, read) -> target.close()),
            new Breach("broken queue pairs", "closed", (test, target, read) -> {
                test.rdma.connections().get(1).breakQueuePairs();
            }),
            new Breach("device removed", "removed|closed", (test, target, read) -> test.rdma.removeDevice()));

    @TestFactory
    Stream<DynamicTest> shouldEndTheConnectionWhen() {
        return BREACHES.stream()
                .map(breach -> DynamicTest.dynamicTest(breach.name(), () -> {
                    stop();
                    start();
                    check(breach);
                    rdma.restoreDevice();
                    rdma.releaseSendCompletions();
                }));
    }

    private void check(Breach breach) throws Exception {
        target.script = (connection, command) -> {
            boolean matches = connection.queueId == 1 && command.opcode() == READ;
            if (matches) {
                breach.answer().give(this, connection, command);
            }
            return matches || connection.queueId == 1 && command.opcode() == FLUSH;
        };
        Controller controller = connect();
        Namespace namespace = controller.namespace(1);
        CompletableFuture<Void> flush = namespace.flush();
        InitiatorTest.await(() -> target.commands(1, FLUSH).size() == 1);
        CompletableFuture<Void> read = namespace.read(0, ByteBuffer.allocateDirect(16384));
        String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
        assertTrue(reason.matches(".*(" + breach.reason() + ").*"), reason);
        assertEquals(Status.HOST_PATHING_ERROR, InitiatorTest.statusOf(flush));
        read.handle((nothing, failure) -> null).get(20, TimeUnit.SECONDS);
        InitiatorTest.await(() -> rdma.counts().ids() == 0);
        assertEquals(0, rdma.counts().queuePairs());
    }

    @Test
    void shouldEndTheConnectionWhenACommandIsAnsweredThatWasNotSent() throws Exception {
        target.script = (connection, command) -> {
            boolean matches = connection.queueId == 1 && command.opcode() == READ;
            if (matches) {
                // The slot after this one's holds a command that waits for memory.
                connection.send(cqe(command.commandId() + 1));
            }
            return matches;
        };
        Controller controller = host.connect(options().bufferBytes(1 << 16));
        Namespace namespace = controller.namespace(1);
        CountDownLatch failed = new CountDownLatch(2);
        IoCallback count = (status, result) -> failed.countDown();
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        namespace.submitFlush(0, (status, result) -> {
            namespace.submitRead(0, 0, buffer, count);
            namespace.submitRead(0, 0, buffer, count);
        });
        String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
        assertTrue(reason.contains("response to unknown CID"), reason);
        assertTrue(failed.await(20, TimeUnit.SECONDS));
        assertEquals(1, target.commands(1, READ).size());
    }

    /** Before the completions, or an event, have told of it. */
    @Test
    void shouldEndTheConnectionWhenTheQueuePairTakesNoMoreWork() throws Exception {
        Controller controller = connect();
        Namespace namespace = controller.namespace(1);
        CompletableFuture<Integer> second = new CompletableFuture<>();
        namespace.submitFlush(0, (status, result) -> {
            rdma.connections().get(1).breakQueuePairs();
            namespace.submitFlush(0, (secondStatus, secondResult) -> second.complete(secondStatus));
        });
        assertEquals(Status.HOST_PATHING_ERROR, second.get(20, TimeUnit.SECONDS));
        String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
        assertTrue(reason.endsWith("queue 1 was closed"), reason);
    }

    // ---- Losses that nobody tells of

    @Test
    void shouldNoticeByTheTimeoutWhenTheCableIsPulled() throws Exception {
        Controller controller = host.connect(options().ioTimeoutMs(200));
        Namespace namespace = controller.namespace(1);
        rdma.connections().forEach(MemoryConnection::cut);
        assertEquals(Status.HOST_PATHING_ERROR, InitiatorTest.statusOf(namespace.flush()));
        String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
        assertTrue(reason.contains("did not answer a command (opcode 00h) within 200 ms"), reason);
        target.dropConnections();
    }

    @Test
    void shouldConnectAgainWhenTheDeviceIsBack() throws Exception {
        ByteBuffer buffer = random(65536, 3);
        try (RegisteredMemory memory = host.register(buffer)) {
            Controller controller = connect();
            rdma.removeDevice();
            controller.ended().get(20, TimeUnit.SECONDS);
            InitiatorTest.await(() -> rdma.counts().ids() == 0 && rdma.counts().memoryRegions() == 0);
            rdma.restoreDevice();
            try (Controller again = connect()) {
                again.namespace(1).write(0, buffer).join();
                assertArrayEquals(InitiatorTest.bytes(buffer), medium(0, memory.lengthBytes()));
            }
        }
    }

    @Test
    void shouldEndEverythingWhenTheControlLoopDies() throws Exception {
        LoopRdma dying = new LoopRdma(rdma);
        target.script = (connection, command) -> connection.queueId == 1 && command.opcode() == READ;
        try (NvmfHost dyingHost = NvmfHost.builder().rdmaProvider(dying).build();
                RegisteredMemory memory = dyingHost.register(ByteBuffer.allocateDirect(65536))) {
            Controller controller = dyingHost.connect(options());
            CompletableFuture<Void> copied = controller.namespace(1).read(0, ByteBuffer.allocateDirect(16384));
            InitiatorTest.await(() -> target.commands(1, READ).size() == 1);
            dying.endLoop();
            String reason = controller.ended().get(20, TimeUnit.SECONDS).getMessage();
            assertTrue(reason.contains("the event loop that this host sets RDMA connections up with has died"), reason);
            assertEquals(Status.HOST_PATHING_ERROR, InitiatorTest.statusOf(copied));
            assertEquals(65536, memory.lengthBytes());
        }
        InitiatorTest.await(() -> rdma.counts().ids() == 0 && rdma.counts().memoryRegions() == 0);
    }

    // ---- Whose the memory is

    /** Requests end only when the queue pair is destroyed, whoever ends the connection. */
    @TestFactory
    Stream<DynamicTest> shouldKeepTheMemoryUntilTheQueuePairIsDestroyedWhen() {
        return Stream.of("late", "closed by the target", "disconnected by this host")
                .map(how -> DynamicTest.dynamicTest(how, () -> checkBarrier(how)));
    }

    private void checkBarrier(String how) throws Exception {
        target.script = (connection, command) -> connection.queueId == 1 && command.opcode() == READ;
        GatedRdma gated = new GatedRdma(rdma);
        target.received.clear();
        try (NvmfHost gatedHost =
                        NvmfHost.builder().ioThreads(2).rdmaProvider(gated).build();
                Controller controller = gatedHost.connect(
                        options().ioTimeoutMs(how.equals("late") ? 200 : 0).shutdownTimeoutMs(200));
                RegisteredMemory memory = gatedHost.register(ByteBuffer.allocateDirect(65536))) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(16384);
            CompletableFuture<Void> copied = controller.namespace(1).read(0, buffer);
            CompletableFuture<Void> waits = controller.namespace(1).read(0, buffer);
            InitiatorTest.await(() -> target.commands(1, READ).size() == 2);
            CompletableFuture<Void> disconnected = new CompletableFuture<>();
            if (how.startsWith("closed")) {
                target.onLoop(() -> target.connection(1).close());
            } else if (how.startsWith("disconnected")) {
                controller.disconnectAsync().thenRun(() -> disconnected.complete(null));
            }
            gated.awaitDestruction();
            Thread.onSpinWait();
            assertFalse(copied.isDone());
            assertFalse(waits.isDone());
            assertFalse(disconnected.isDone());
            assertFalse(controller.ended().isDone());
            gated.open();
            int status = how.startsWith("disconnected") ? Status.ABORTED_BY_HOST : Status.HOST_PATHING_ERROR;
            assertEquals(status, InitiatorTest.statusOf(copied));
            assertEquals(status, InitiatorTest.statusOf(waits));
            controller.ended().get(20, TimeUnit.SECONDS);
            assertEquals(65536, memory.lengthBytes());
        }
    }

    @Test
    void shouldNotLetATargetWriteAfterARequestHasFailed() throws Exception {
        target.script = (connection, command) -> connection.queueId == 1 && command.opcode() == READ;
        ByteBuffer buffer = ByteBuffer.allocateDirect(65536);
        try (RegisteredMemory memory = host.register(buffer)) {
            Controller controller = host.connect(options().ioTimeoutMs(200));
            CompletableFuture<Void> read = controller.namespace(1).read(0, buffer);
            InitiatorTest.await(() -> target.commands(1, READ).size() == 1);
            RdmaTargetConnection connection = target.connection(1);
            rdma.connections().forEach(MemoryConnection::cut);
            assertEquals(Status.HOST_PATHING_ERROR, InitiatorTest.statusOf(read));
            byte[] sevens = new byte[65536];
            Arrays.fill(sevens, (byte) 7);
            target.onLoop(() -> {
                connection.write(target.commands(1, READ).get(0).keyed(), sevens, 0);
                connection.post();
            });
            assertArrayEquals(new byte[memory.lengthBytes()], InitiatorTest.bytes(buffer));
            controller.ended().get(20, TimeUnit.SECONDS);
            target.dropConnections();
        }
    }

    @Test
    void shouldCompleteOnlyWhenTheSendIsDoneToo() throws Exception {
        try (Controller controller = connect()) {
            Namespace namespace = controller.namespace(1);
            rdma.holdSendCompletions();
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                writes.add(namespace.write(i, random(512, i)));
            }
            InitiatorTest.await(() -> target.commands(1, WRITE).size() == 3);
            target.onLoop(() -> {});
            assertTrue(writes.stream().noneMatch(CompletableFuture::isDone));
            rdma.releaseSendCompletions();
            for (CompletableFuture<Void> write : writes) {
                write.get(20, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void shouldKeepTheAnswerAndTheDataThatCameBeforeTheEnd() throws Exception {
        target.onLoop(() -> target.medium.put(0, InitiatorTest.bytes(random(16384, 8))));
        Controller controller = connect();
        Namespace namespace = controller.namespace(1);
        rdma.holdSendCompletions();
        ByteBuffer buffer = ByteBuffer.allocateDirect(16384);
        CompletableFuture<Void> read = namespace.read(0, buffer);
        InitiatorTest.await(() -> target.commands(1, READ).size() == 1);
        target.onLoop(() -> {});
        // The host has the response, but not yet the end of its own SEND.
        CompletableFuture<Void> gone = controller.ended().thenAccept(reason -> {});
        controller.disconnectAsync();
        gone.get(20, TimeUnit.SECONDS);
        read.handle((nothing, failure) -> {
                    if (failure == null) {
                        assertEquals(-1, random(16384, 8).mismatch(buffer));
                    }
                    return null;
                })
                .get(20, TimeUnit.SECONDS);
        rdma.releaseSendCompletions();
    }

    // ---- Cost

    /** In-process RDMA allocates nothing for work itself; what the loop allocates is the initiator's. */
    @Test
    void shouldAllocateNothingForARequest() throws Exception {
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        ByteBuffer registered = ByteBuffer.allocateDirect(65536);
        try (Controller controller = host.connect(options());
                RegisteredMemory memory = host.register(registered)) {
            target.script = (connection, command) -> {
                if (connection.queueId == 1) {
                    connection.response(command.commandId(), 0, 0);
                    target.received.clear();
                }
                return connection.queueId == 1;
            };
            Namespace namespace = controller.namespace(1);
            checkAllocation(namespace, ByteBuffer.allocateDirect(4096));
            checkAllocation(namespace, ByteBuffer.allocateDirect(65536));
            checkAllocation(namespace, registered);
            assertEquals(65536, memory.lengthBytes());
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }

    /** Writes and reads in turn, one at a time; in the end most requests must have cost the loop no byte. */
    private static void checkAllocation(Namespace namespace, ByteBuffer data) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int warmUp = 3000;
        int measured = 1000;
        long[] bytes = new long[2];
        CountDownLatch done = new CountDownLatch(1);
        IoCallback[] next = new IoCallback[1];
        int[] requests = new int[1];
        next[0] = (status, result) -> {
            int n = requests[0]++;
            if (n == warmUp) {
                bytes[0] =
                        threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            } else if (n == warmUp + measured) {
                bytes[1] =
                        threads.getThreadAllocatedBytes(Thread.currentThread().getId());
                done.countDown();
                return;
            }
            if (n % 2 == 0) {
                namespace.submitWrite(0, 0, data, false, next[0]);
            } else {
                namespace.submitRead(0, 0, data, next[0]);
            }
        };
        namespace.submitRead(0, 0, data, next[0]);
        assertTrue(done.await(60, TimeUnit.SECONDS));
        long perRequest = (bytes[1] - bytes[0]) / measured;
        assertTrue(perRequest < 16, perRequest + " bytes allocated for each request of " + data.capacity() + " bytes");
    }
}
