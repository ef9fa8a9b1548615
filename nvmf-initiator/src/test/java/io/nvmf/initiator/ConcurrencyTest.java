package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.netty.util.ResourceLeakDetector;
import io.nvmf.codec.Status;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.IoCallback;
import io.nvmf.initiator.queue.QueueFullException;
import io.nvmf.initiator.queue.QueueSelection;
import io.nvmf.transport.EventLoops;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many threads, many requests, few slots. */
class ConcurrencyTest extends InitiatorTest {
    @Test
    void shouldKeepEveryRequestApartWhenManyThreadsSubmit() throws Exception {
        long seed = System.nanoTime();
        System.out.println("ConcurrencyTest seed " + seed);
        target.mdts = 2;
        try (Controller controller = host.connect(options().ioQueues(3).queueDepth(5))) {
            Namespace namespace = controller.namespace(1);
            List<Thread> threads = new ArrayList<>();
            List<String> wrong = Collections.synchronizedList(new ArrayList<>());
            for (int t = 0; t < 4; t++) {
                int region = t * 4096;
                Random random = new Random(seed + t);
                threads.add(new Thread(() -> writeAndRead(namespace, region, random, wrong)));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(List.of(), wrong);
        }
    }

    private static void writeAndRead(Namespace namespace, int region, Random random, List<String> wrong) {
        for (int round = 0; round < 5; round++) {
            List<ByteBuffer> written = new ArrayList<>();
            List<ByteBuffer> read = new ArrayList<>();
            List<CompletableFuture<?>> done = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                ByteBuffer data = random(512 * (1 + random.nextInt(100)), random.nextLong());
                written.add(data);
                done.add(namespace.write(region + i * 128, data));
            }
            CompletableFuture.allOf(done.toArray(new CompletableFuture<?>[0])).join();
            done.clear();
            for (int i = 0; i < 32; i++) {
                ByteBuffer data = ByteBuffer.allocateDirect(written.get(i).remaining());
                read.add(data);
                done.add(namespace.read(region + i * 128, data));
            }
            CompletableFuture.allOf(done.toArray(new CompletableFuture<?>[0])).join();
            for (int i = 0; i < 32; i++) {
                if (written.get(i).mismatch(read.get(i)) >= 0) {
                    wrong.add("region " + region + ", request " + i);
                }
            }
        }
    }

    @Test
    void shouldHoldNoMoreRequestsThanItMay() {
        target.script = (connection, command) -> connection.queueId == 1 && command.opcode() == 0x00;
        Controller controller = host.connect(options().queueDepth(3).waitingRequests(5));
        Namespace namespace = controller.namespace(1);
        AtomicInteger aborted = new AtomicInteger();
        IoCallback count = (status, result) -> aborted.addAndGet(status == Status.ABORTED_BY_HOST ? 1 : 1000);
        for (int i = 0; i < 7; i++) {
            assertTrue(namespace.submitFlush(0, count));
        }
        assertFalse(namespace.submitFlush(0, count));
        assertFalse(namespace.submitRead(0, 0, ByteBuffer.allocateDirect(512), count));
        CompletionException full =
                assertThrows(CompletionException.class, () -> namespace.flush().join());
        assertEquals(QueueFullException.class, full.getCause().getClass());
        await(() -> target.commands(1, 0x00).size() == 2);
        controller.close();
        assertEquals(7, aborted.get());
        assertEquals(2, target.commands(1, 0x00).size());
    }

    @Test
    void shouldCallBackOnTheLoopAndLetItSubmitAgain() throws Exception {
        try (Controller controller = connect()) {
            Namespace namespace = controller.namespace(1);
            ByteBuffer data = ByteBuffer.allocateDirect(512);
            CountDownLatch rounds = new CountDownLatch(500);
            IoCallback[] again = new IoCallback[1];
            again[0] = (status, result) -> {
                assertEquals(Status.SUCCESS, status);
                rounds.countDown();
                if (rounds.getCount() > 0) {
                    namespace.submitRead(Namespace.ANY_QUEUE, 0, data, again[0]);
                }
            };
            namespace.submitRead(0, 0, data, again[0]);
            assertTrue(rounds.await(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldOutliveCallbacksThatThrow() {
        try (Controller controller = connect()) {
            Namespace namespace = controller.namespace(1);
            namespace.submitFlush(0, (status, result) -> {
                throw new IllegalStateException("a callback of this test");
            });
            namespace.flush().join();
        }
    }

    @Test
    void shouldSpreadRequestsOverTheQueues() {
        try (Controller controller = host.connect(options().ioQueues(3).queueSelection(QueueSelection.ROUND_ROBIN))) {
            Namespace namespace = controller.namespace(1);
            for (int i = 0; i < 9; i++) {
                namespace.flush().join();
            }
            for (int queue = 1; queue <= 3; queue++) {
                assertEquals(3, target.commands(queue, 0x00).size());
            }
        }
    }

    @Test
    void shouldKeepAThreadOnOneQueue() throws Exception {
        try (Controller controller = host.connect(options().ioQueues(2))) {
            Namespace namespace = controller.namespace(1);
            for (int t = 0; t < 4; t++) {
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < 5; i++) {
                        namespace.flush().join();
                    }
                });
                thread.start();
                thread.join();
            }
            assertEquals(10, target.commands(1, 0x00).size());
            assertEquals(10, target.commands(2, 0x00).size());
        }
    }

    /** On epoll: io_uring's loop allocates an object of its own for each operation. */
    @Test
    void shouldAllocateNothingForARequest() throws Exception {
        assumeTrue(EventLoops.Kind.EPOLL.isAvailable());
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        try (NvmfHost epollHost = newHost(EventLoops.Kind.EPOLL);
                Controller controller = epollHost.connect(options())) {
            Namespace namespace = controller.namespace(1);
            checkAllocation(namespace, 4096);
            checkAllocation(namespace, 65536);
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }

    /** Writes and reads in turn, one at a time; in the end most requests must have cost the loop no byte. */
    private static void checkAllocation(Namespace namespace, int lengthBytes) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuffer data = ByteBuffer.allocateDirect(lengthBytes);
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
        assertTrue(perRequest < 16, perRequest + " bytes allocated for each request of " + lengthBytes + " bytes");
    }
}
