package io.nvmf.transport;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoEventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.uring.IoUringChannelOption;
import io.nvmf.transport.EventLoops.Kind;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EventLoopsTest {
    private static final Map<Kind, ChannelOption<Integer>> USER_TIMEOUT = Map.of(
            Kind.IO_URING, IoUringChannelOption.TCP_USER_TIMEOUT, Kind.EPOLL, EpollChannelOption.TCP_USER_TIMEOUT);

    /** A loop that sleeps takes less than this while a test waits. */
    private static final long IDLE_CPU_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    @AfterEach
    void clearProperty() {
        System.clearProperty(EventLoops.KIND_PROPERTY);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldCarryBytesBothWaysWhenKindIsNamed(Kind kind) throws Exception {
        assertCarriesBytesBothWays(kind, false);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldCarryBytesBothWaysWhenPolling(Kind kind) throws Exception {
        assertCarriesBytesBothWays(kind, true);
    }

    private void assertCarriesBytesBothWays(Kind kind, boolean poll) throws Exception {
        Assumptions.assumeTrue(kind.isAvailable(), kind + " cannot run here");
        CompletableFuture<String> answer = new CompletableFuture<>();
        CompletableFuture<SocketChannel> accepted = new CompletableFuture<>();
        try (EventLoops loops = EventLoops.open(kind, 2, "test", poll)) {
            Channel server = loops.serverBootstrap()
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline().addLast(new Echo());
                            accepted.complete(channel);
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .sync()
                    .channel();
            Channel client = loops.clientBootstrap()
                    .handler(new Collector(answer))
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            client.writeAndFlush(Unpooled.copiedBuffer("nvme", StandardCharsets.US_ASCII));

            assertEquals("nvme", answer.get(10, TimeUnit.SECONDS));
            assertSame(kind, loops.kind());
            assertEquals(loops.channelClass(), client.getClass());
            assertEquals(loops.serverChannelClass(), server.getClass());
            assertUsualOptions(kind, client);
            assertUsualOptions(kind, accepted.get(10, TimeUnit.SECONDS));
            assertEquals(true, server.config().getOption(ChannelOption.SO_REUSEADDR));
        }
    }

    private static void assertUsualOptions(Kind kind, Channel channel) {
        assertEquals(true, channel.config().getOption(ChannelOption.TCP_NODELAY));
        assertEquals(true, channel.config().getOption(ChannelOption.SO_KEEPALIVE));
        if (USER_TIMEOUT.containsKey(kind)) {
            assertEquals(SocketOptions.USER_TIMEOUT_MS, channel.config().getOption(USER_TIMEOUT.get(kind)));
        }
    }

    @Test
    void shouldTakeTheKindThatThePropertyNames() {
        System.setProperty(EventLoops.KIND_PROPERTY, "nio");
        try (EventLoops loops = EventLoops.open(1, "test")) {
            assertSame(Kind.NIO, loops.kind());
            assertEquals("nio, 1 thread", loops.toString());
        }
    }

    @Test
    void shouldTakeAKindThatRunsHereWhenNoneIsNamed() {
        try (EventLoops loops = EventLoops.open(2, "test")) {
            assertTrue(loops.kind().isAvailable());
            assertEquals(loops.kind() + ", 2 threads", loops.toString());
        }
    }

    @Test
    void shouldTakeEpollForSocketsUnlessAnotherKindIsNamed() {
        Assumptions.assumeTrue(Kind.EPOLL.isAvailable());
        System.clearProperty(EventLoops.KIND_PROPERTY);
        try (EventLoops loops = EventLoops.openForSockets(1, "test")) {
            assertSame(Kind.EPOLL, loops.kind());
        }
        System.setProperty(EventLoops.KIND_PROPERTY, "nio");
        try (EventLoops loops = EventLoops.openForSockets(1, "test")) {
            assertSame(Kind.NIO, loops.kind());
        }
    }

    /** Nothing is to be done while it takes processor time; tasks, timers and the end come all the same. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldTurnWithoutWorkWhenPolling(Kind kind) throws Exception {
        Assumptions.assumeTrue(kind.isAvailable(), kind + " cannot run here");
        Thread[] thread = new Thread[1];
        try (EventLoops loops = EventLoops.open(kind, 1, "test", true)) {
            assertTrue(loops.isPolling());
            assertEquals(kind + ", 1 thread, polling", loops.toString());
            IoEventLoop loop = loops.next();
            thread[0] = loop.submit(Thread::currentThread).get(10, TimeUnit.SECONDS);
            loop.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).get(10, TimeUnit.SECONDS);
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long before = threads.getThreadCpuTime(thread[0].getId());
            await().until(() -> threads.getThreadCpuTime(thread[0].getId()) - before > IDLE_CPU_NANOS);
        }
        thread[0].join(TimeUnit.SECONDS.toMillis(10));
        assertFalse(thread[0].isAlive());
    }

    @Test
    void shouldNameItsThreads() throws Exception {
        try (EventLoops loops = EventLoops.open(Kind.NIO, 1, "nvmf-target")) {
            String name =
                    loops.next().submit(() -> Thread.currentThread().getName()).get(10, TimeUnit.SECONDS);
            assertEquals("nvmf-target-nio-1", name);
        }
    }

    @Test
    void shouldSayWhichKindsThereAreWhenThePropertyNamesNone() {
        System.setProperty(EventLoops.KIND_PROPERTY, "kqueue");
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> EventLoops.open(1, "test"));
        assertEquals("There is no event loop named 'kqueue': use io_uring, epoll, nio", e.getMessage());
    }

    @Test
    void shouldSayWhyWhenTheKindCannotRun() {
        IllegalStateException e = assertThrows(
                IllegalStateException.class,
                () -> EventLoops.requireAvailable(Kind.IO_URING, new RuntimeException("Operation not permitted")));
        assertEquals(
                "Event loops of kind io_uring cannot run on this machine: Operation not permitted", e.getMessage());
        assertNotNull(e.getCause());
    }

    @Test
    void shouldFallBackWhenTheBetterKindsCannotRun() throws Exception {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Dio.netty.transport.noNative=true",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ShowEventLoops.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim();
        assertEquals(0, process.waitFor());
        assertEquals("nio, 1 thread", output);
    }

    static final class ShowEventLoops {
        private ShowEventLoops() {}

        public static void main(String[] args) {
            try (EventLoops loops = EventLoops.open(1, "test")) {
                System.out.println(loops);
            }
        }
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ctx.writeAndFlush(message);
        }
    }

    private static final class Collector extends SimpleChannelInboundHandler<ByteBuf> {
        private final CompletableFuture<String> answer;
        private final StringBuilder received = new StringBuilder();

        Collector(CompletableFuture<String> answer) {
            this.answer = answer;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            received.append(message.toString(StandardCharsets.US_ASCII));
            if (received.length() == 4) {
                answer.complete(received.toString());
            }
        }
    }
}
