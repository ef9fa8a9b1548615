package io.nvmf.transport.rdma;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The poller over queues that give what a test says. */
class CompletionPollerTest {
    private final AtomicInteger ioRuns = new AtomicInteger();
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, countingFactory());
    private final IoEventLoop loop = group.next();
    private final AtomicLong nowNs = new AtomicLong(1_000_000);
    private final StubDevice device = new StubDevice();
    private final List<CompletionPoller.Polled> added = new CopyOnWriteArrayList<>();

    @AfterEach
    void shutDown() throws Exception {
        onLoop(() -> added.forEach(CompletionPoller.Polled::remove));
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void shouldHandBatchesInOrderAndSayOnceThatTheyAreDone() throws Exception {
        CompletionPoller poller = new CompletionPoller(loop, false, nowNs::get);
        Recorder recorder = new Recorder();
        CompletionPoller.Polled polled = add(poller, recorder);
        StubQueue queue = (StubQueue) polled.queue();
        queue.script(64, 64, 3);
        onLoop(polled::start);
        await().until(() -> recorder.calls.size() >= 4);
        assertEquals(List.of("64 from 0", "64 from 64", "3 from 128", "done"), recorder.calls);
    }

    @Test
    void shouldGiveEachQueueItsShareOfTurn() throws Exception {
        CompletionPoller poller = new CompletionPoller(loop, false, nowNs::get);
        List<String> calls = new CopyOnWriteArrayList<>();
        Recorder first = new Recorder("a", calls);
        Recorder second = new Recorder("b", calls);
        CompletionPoller.Polled one = add(poller, first);
        CompletionPoller.Polled two = add(poller, second);
        ((StubQueue) one.queue()).script(64, 64, 64, 64, 64, 1);
        ((StubQueue) two.queue()).script(2);
        onLoop(() -> {
            one.start();
            two.start();
        });
        await().until(() -> calls.size() >= 10);
        assertEquals(
                List.of(
                        "a 64 from 0",
                        "a 64 from 64",
                        "a 64 from 128",
                        "a 64 from 192",
                        "a done",
                        "b 2 from 0",
                        "b done"),
                calls.subList(0, 7));
        assertEquals(List.of("a 64 from 256", "a 1 from 320", "a done"), calls.subList(7, 10));
    }

    @Test
    void shouldArmOnlyWhenNothingHasComeForWhile() throws Exception {
        CompletionPoller poller = new CompletionPoller(loop, false, nowNs::get);
        CompletionPoller.Polled polled = add(poller, new Recorder());
        StubQueue queue = (StubQueue) polled.queue();
        onLoop(polled::start);
        await().until(() -> queue.polls.get() > 50);
        assertEquals(0, queue.arms.get(), "while time stands still it goes on polling");
        nowNs.addAndGet(20_000);
        await().until(() -> queue.arms.get() == 1);
        assertSleeps(queue, 1);

        queue.push(1);
        onLoop(queue.onEvent);
        await().until(() -> queue.polls.get() > 100);
        assertEquals(1, queue.arms.get());
        nowNs.addAndGet(20_000);
        await().until(() -> queue.arms.get() == 2);
        assertSleeps(queue, 2);
    }

    @Test
    void shouldSeeWhatComesBetweenPollAndArm() throws Exception {
        CompletionPoller poller = new CompletionPoller(loop, false, nowNs::get);
        Recorder recorder = new Recorder();
        CompletionPoller.Polled polled = add(poller, recorder);
        StubQueue queue = (StubQueue) polled.queue();
        queue.whenArmed = () -> queue.push(1);
        onLoop(polled::start);
        nowNs.addAndGet(20_000);
        await().until(() -> recorder.calls.size() == 2);
        assertEquals(List.of("1 from 0", "done"), recorder.calls);
        nowNs.addAndGet(20_000);
        assertSleeps(queue, 1);
    }

    @Test
    void shouldNeverArmWhenBusy() throws Exception {
        CompletionPoller poller = new CompletionPoller(loop, true, nowNs::get);
        CompletionPoller.Polled polled = add(poller, new Recorder());
        StubQueue queue = (StubQueue) polled.queue();
        onLoop(polled::start);
        nowNs.addAndGet(1_000_000);
        await().until(() -> queue.polls.get() > 100);
        assertEquals(0, queue.arms.get());
    }

    @Test
    void shouldLetLoopServeItsSocketsBetweenTurns() throws Exception {
        CompletionPoller poller = new CompletionPoller(loop, true, nowNs::get);
        CompletionPoller.Polled polled = add(poller, new Recorder());
        StubQueue queue = (StubQueue) polled.queue();
        List<Integer> runsSeen = new CopyOnWriteArrayList<>();
        queue.whenPolled = () -> runsSeen.add(ioRuns.get());
        onLoop(polled::start);
        await().until(() -> runsSeen.size() > 20);
        onLoop(polled::remove);
        for (int i = 1; i < runsSeen.size(); i++) {
            assertTrue(runsSeen.get(i) > runsSeen.get(i - 1), "no look at the sockets before turn " + i);
        }
    }

    @Test
    void shouldNotTouchQueueAfterItWasRemoved() throws Exception {
        for (boolean busy : new boolean[] {true, false}) {
            CompletionPoller poller = new CompletionPoller(loop, busy, nowNs::get);
            Recorder recorder = new Recorder();
            CompletionPoller.Polled polled = add(poller, recorder);
            StubQueue queue = (StubQueue) polled.queue();
            queue.script(64, 64);
            recorder.onBatch = polled::remove;
            onLoop(polled::start);
            await().until(() -> !recorder.calls.isEmpty());
            nowNs.addAndGet(1_000_000);
            onLoop(() -> {});
            onLoop(queue.onEvent);
            onLoop(() -> {});
            assertEquals(List.of("64 from 0"), recorder.calls);
            assertEquals(1, queue.polls.get());
            assertEquals(0, queue.arms.get());
        }
    }

    @Test
    void shouldServeQueueThatHandlerStarts() throws Exception {
        CompletionPoller poller = new CompletionPoller(loop, false, nowNs::get);
        Recorder first = new Recorder();
        Recorder second = new Recorder();
        CompletionPoller.Polled one = add(poller, first);
        CompletionPoller.Polled two = add(poller, second);
        ((StubQueue) one.queue()).script(1);
        ((StubQueue) two.queue()).script(2);
        first.onBatch = () -> {
            one.remove();
            two.start();
        };
        onLoop(one::start);
        await().until(() -> second.calls.size() == 2);
        assertEquals(List.of("1 from 0"), first.calls);
    }

    @Test
    void shouldTellOfBrokenQueueOnceAndServeOthers() throws Exception {
        CompletionPoller poller = new CompletionPoller(loop, false, nowNs::get);
        Recorder broken = new Recorder();
        Recorder other = new Recorder();
        CompletionPoller.Polled one = add(poller, broken);
        CompletionPoller.Polled two = add(poller, other);
        ((StubQueue) one.queue()).script(-1);
        onLoop(() -> {
            one.start();
            two.start();
        });
        ((StubQueue) two.queue()).push(5);
        await().until(() -> other.calls.size() == 2);
        nowNs.addAndGet(20_000);
        assertSleeps((StubQueue) two.queue(), 1);
        assertEquals(List.of("broken"), broken.calls);
        assertEquals(1, ((StubQueue) one.queue()).polls.get());
    }

    @Test
    void shouldTakeQueueForBrokenWhenItCannotBeArmed() throws Exception {
        CompletionPoller poller = new CompletionPoller(loop, false, nowNs::get);
        Recorder recorder = new Recorder();
        CompletionPoller.Polled polled = add(poller, recorder);
        ((StubQueue) polled.queue()).refusesToArm = true;
        onLoop(polled::start);
        nowNs.addAndGet(20_000);
        await().until(() -> !recorder.calls.isEmpty());
        assertEquals(List.of("broken"), recorder.calls);
    }

    @Test
    void shouldTakeQueueForBrokenWhenItsHandlerThrows() throws Exception {
        CompletionPoller poller = new CompletionPoller(loop, false, nowNs::get);
        Recorder throwing = new Recorder();
        Recorder other = new Recorder();
        throwing.onBatch = () -> {
            throw new OutOfMemoryError("thrown on purpose");
        };
        CompletionPoller.Polled one = add(poller, throwing);
        CompletionPoller.Polled two = add(poller, other);
        ((StubQueue) one.queue()).script(1, 1);
        ((StubQueue) two.queue()).script(1);
        onLoop(() -> {
            one.start();
            two.start();
        });
        await().until(() -> other.calls.size() == 2);
        assertEquals(List.of("1 from 0", "broken"), throwing.calls);
    }

    @Test
    void shouldOpenOneChannelForDeviceAndCloseItWithLastQueue() throws Exception {
        CompletionPoller poller = new CompletionPoller(loop, false, nowNs::get);
        CompletionPoller.Polled one = add(poller, new Recorder());
        CompletionPoller.Polled two = add(poller, new Recorder());
        assertEquals(1, device.channels.get());
        one.close();
        one.close();
        onLoop(() -> {});
        assertEquals(1, device.channels.get());
        two.close();
        await().until(() -> device.channels.get() == 0);

        CompletionPoller.Polled three = add(poller, new Recorder());
        assertEquals(1, device.channels.get());
        ((StubQueue) three.queue()).close();
        onLoop(poller::close);
        assertEquals(0, device.channels.get());
        assertEquals(0, device.queues.get());
    }

    @Test
    void shouldLeaveNoChannelBehindWhenQueueCannotBeMade() {
        CompletionPoller poller = new CompletionPoller(loop, false, nowNs::get);
        device.refusesQueues = true;
        assertThrows(RdmaException.class, () -> poller.add(device, 16, new Recorder()));
        await().until(() -> device.channels.get() == 0);
    }

    @Test
    void shouldAllocateNothingForEvent() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        CompletionPoller poller = new CompletionPoller(loop, true, System::nanoTime);
        int rounds = 20_000;
        Measured measured = new Measured(threads, rounds);
        CompletionPoller.Polled polled = add(poller, measured);
        StubQueue queue = (StubQueue) polled.queue();
        queue.isEndless = true;
        onLoop(polled::start);
        await().until(() -> measured.rounds >= 2 * rounds);
        onLoop(polled::remove);
        long perTurn = measured.allocatedBytes / rounds;
        assertEquals(0, perTurn, "bytes a turn, " + measured.allocatedBytes + " in all");
    }

    /** After a warm-up, how much the loop's thread allocates. */
    private static final class Measured implements CompletionPoller.Handler {
        private final ThreadMXBean threads;
        private final int warmUp;
        private long before;
        volatile int rounds;
        volatile long allocatedBytes;

        Measured(ThreadMXBean threads, int warmUp) {
            this.threads = threads;
            this.warmUp = warmUp;
        }

        @Override
        public void onCompletions(Completions batch, int count) {
            int now = rounds + 1;
            if (now == warmUp) {
                before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            } else if (now == 2 * warmUp) {
                allocatedBytes =
                        threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
            }
            rounds = now;
        }

        @Override
        public void onBroken() {
            throw new AssertionError("broken");
        }
    }

    /** Nothing more is done but by an event. */
    private void assertSleeps(StubQueue queue, int arms) throws Exception {
        await().until(() -> queue.arms.get() >= arms);
        for (int i = 0; i < 5; i++) {
            onLoop(() -> {});
        }
        int polls = queue.polls.get();
        for (int i = 0; i < 20; i++) {
            onLoop(() -> {});
        }
        assertEquals(polls, queue.polls.get(), "polls");
        assertEquals(arms, queue.arms.get(), "arms");
    }

    private CompletionPoller.Polled add(CompletionPoller poller, CompletionPoller.Handler handler)
            throws RdmaException {
        CompletionPoller.Polled polled = poller.add(device, 16, handler);
        added.add(polled);
        return polled;
    }

    private void onLoop(Runnable task) throws Exception {
        loop.submit(task).get(10, TimeUnit.SECONDS);
    }

    private IoHandlerFactory countingFactory() {
        IoHandlerFactory nio = NioIoHandler.newFactory();
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new CountingHandler(nio.newHandler(executor));
            }
        };
    }

    /** Counts how often the loop looks after its sockets. */
    private final class CountingHandler implements IoHandler {
        private final IoHandler handler;

        CountingHandler(IoHandler handler) {
            this.handler = handler;
        }

        @Override
        public void initialize() {
            handler.initialize();
        }

        @Override
        public int run(IoHandlerContext context) {
            ioRuns.incrementAndGet();
            return handler.run(context);
        }

        @Override
        public void prepareToDestroy() {
            handler.prepareToDestroy();
        }

        @Override
        public void destroy() {
            handler.destroy();
        }

        @Override
        public IoRegistration register(IoHandle handle) throws Exception {
            return handler.register(handle);
        }

        @Override
        public void wakeup() {
            handler.wakeup();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return handler.isCompatible(handleType);
        }
    }

    /** What a handler is told. */
    private static final class Recorder implements CompletionPoller.Handler {
        final List<String> calls;
        private final String prefix;
        Runnable onBatch = () -> {};

        Recorder() {
            this("", new CopyOnWriteArrayList<>());
        }

        Recorder(String name, List<String> calls) {
            this.prefix = name.isEmpty() ? "" : name + " ";
            this.calls = calls;
        }

        @Override
        public void onCompletions(Completions batch, int count) {
            calls.add(prefix + count + " from " + batch.workId(0));
            onBatch.run();
        }

        @Override
        public void onBatchesDone() {
            calls.add(prefix + "done");
        }

        @Override
        public void onBroken() {
            calls.add(prefix + "broken");
        }
    }

    private final class StubDevice implements RdmaDevice {
        final AtomicInteger channels = new AtomicInteger();
        final AtomicInteger queues = new AtomicInteger();
        volatile boolean refusesQueues;

        @Override
        public String name() {
            return "stub";
        }

        @Override
        public DeviceLimits limits() {
            return new DeviceLimits(1, 1, 1, 1);
        }

        @Override
        public MemoryRegion register(ByteBuffer memory, RemoteAccess access) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionChannel openCompletionChannel(IoEventLoop owner) {
            channels.incrementAndGet();
            return new CompletionChannel() {
                @Override
                public CompletionQueue createCompletionQueue(int entries, Runnable onEvent) throws RdmaException {
                    if (refusesQueues) {
                        throw new RdmaException("no more");
                    }
                    queues.incrementAndGet();
                    return new StubQueue(onEvent);
                }

                @Override
                public void close() {
                    assertTrue(loop.inEventLoop());
                    channels.decrementAndGet();
                }
            };
        }
    }

    /** Gives batches of the lengths it is told, with work ids that count up. */
    private final class StubQueue implements CompletionQueue {
        final AtomicInteger polls = new AtomicInteger();
        final AtomicInteger arms = new AtomicInteger();
        final Runnable onEvent;
        private final Queue<Integer> script = new ArrayDeque<>();
        private long nextWorkId;
        volatile boolean refusesToArm;
        volatile boolean isEndless;
        volatile Runnable whenArmed = () -> {};
        volatile Runnable whenPolled = () -> {};

        StubQueue(Runnable onEvent) {
            this.onEvent = onEvent;
        }

        void script(int... counts) {
            List<Integer> list = new ArrayList<>();
            for (int count : counts) {
                list.add(count);
            }
            synchronized (script) {
                script.addAll(list);
            }
        }

        void push(int count) {
            script(count);
        }

        @Override
        public int poll(Completions into) {
            polls.incrementAndGet();
            whenPolled.run();
            if (isEndless) {
                return 1;
            }
            Integer count;
            synchronized (script) {
                count = script.poll();
            }
            if (count == null) {
                return 0;
            }
            for (int i = 0; i < count; i++) {
                into.set(i, nextWorkId++, Completions.SUCCESS, 0, false, 0);
            }
            return count;
        }

        @Override
        public boolean arm() {
            arms.incrementAndGet();
            whenArmed.run();
            return !refusesToArm;
        }

        @Override
        public void close() {
            device.queues.decrementAndGet();
        }
    }
}
