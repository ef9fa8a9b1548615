package io.nvmf.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A group of event loops and the socket classes that run on them. This is the one place where the kind of event loop is
 * chosen: io_uring where the machine lets it run, else epoll, else NIO, unless {@code -Dnvmf.transport=} or the caller
 * names one. Loops for sockets alone try epoll first.
 *
 * <p>io_uring comes first because files then share the loop's ring with the sockets, which costs less processor time a file
 * operation than epoll, which hands them to other threads. With sockets alone epoll costs less. docs/PERFORMANCE.md has the figures.
 *
 * <p>The threads are daemons named {@code PREFIX-KIND-N}. May be used from any thread.
 */
public final class EventLoops implements AutoCloseable {
    /** The system property that forces a kind: {@code io_uring}, {@code epoll} or {@code nio}. */
    public static final String KIND_PROPERTY = "nvmf.transport";

    private static final Logger LOG = LoggerFactory.getLogger(EventLoops.class);
    private static final List<Kind> PREFERENCE = List.of(Kind.IO_URING, Kind.EPOLL, Kind.NIO);
    private static final List<Kind> SOCKET_PREFERENCE = List.of(Kind.EPOLL, Kind.IO_URING, Kind.NIO);
    private static final long CLOSE_TIMEOUT_S = 10;

    /** What a loop waits with. */
    public enum Kind {
        IO_URING(
                IoUringServerSocketChannel.class,
                IoUringSocketChannel.class,
                IoUringServerDomainSocketChannel.class,
                IoUring::unavailabilityCause,
                IoUringIoHandler::newFactory),
        EPOLL(
                EpollServerSocketChannel.class,
                EpollSocketChannel.class,
                EpollServerDomainSocketChannel.class,
                Epoll::unavailabilityCause,
                EpollIoHandler::newFactory),
        NIO(
                NioServerSocketChannel.class,
                NioSocketChannel.class,
                NioServerDomainSocketChannel.class,
                () -> null,
                NioIoHandler::newFactory);

        private final Class<? extends ServerSocketChannel> serverChannelClass;
        private final Class<? extends SocketChannel> channelClass;
        private final Class<? extends ServerChannel> localServerChannelClass;
        private final Supplier<Throwable> unavailabilityCause;
        private final Supplier<IoHandlerFactory> handlerFactory;

        Kind(
                Class<? extends ServerSocketChannel> serverChannelClass,
                Class<? extends SocketChannel> channelClass,
                Class<? extends ServerChannel> localServerChannelClass,
                Supplier<Throwable> unavailabilityCause,
                Supplier<IoHandlerFactory> handlerFactory) {
            this.serverChannelClass = serverChannelClass;
            this.channelClass = channelClass;
            this.localServerChannelClass = localServerChannelClass;
            this.unavailabilityCause = unavailabilityCause;
            this.handlerFactory = handlerFactory;
        }

        /** Whether this machine can run it; the kernel, its settings and the native library decide. */
        public boolean isAvailable() {
            return unavailabilityCause.get() == null;
        }

        /**
         * The kind of that name, in either case.
         *
         * @throws IllegalArgumentException if there is none
         */
        public static Kind named(String name) {
            for (Kind kind : values()) {
                if (kind.name().equalsIgnoreCase(name)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("There is no event loop named '" + name + "': use "
                    + Arrays.stream(values()).map(Kind::toString).collect(Collectors.joining(", ")));
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        /**
         * Whether nothing is done for a loop while it looks for it; threads of the kernel that read a file for a ring may
         * need the loop's own processor.
         */
        private boolean hasProcessorForItself() {
            return this != IO_URING;
        }

        /** Whether a socket fills its buffer as soon as it has chosen it; the ring of io_uring fills it when bytes arrive. */
        public boolean fillsBuffersAtOnce() {
            return this != IO_URING;
        }
    }

    private final Kind kind;
    private final MultiThreadIoEventLoopGroup group;
    private final boolean polling;

    private EventLoops(Kind kind, boolean polling, MultiThreadIoEventLoopGroup group) {
        this.kind = kind;
        this.polling = polling;
        this.group = group;
    }

    /**
     * Opens loops of the kind that {@link #KIND_PROPERTY} names or, without it, the first that this machine can run.
     *
     * @param threads number of loops, each with one thread
     * @param threadNamePrefix begins the threads' names
     * @throws IllegalStateException if the named kind cannot run here
     * @throws IllegalArgumentException if the property names no kind
     */
    public static EventLoops open(int threads, String threadNamePrefix) {
        return open(threads, threadNamePrefix, false);
    }

    /**
     * As {@link #open(int, String)}.
     *
     * @param poll whether loops look for work all the time and never sleep: each then takes a whole processor, and what
     *     comes waits for nobody to wake up
     */
    public static EventLoops open(int threads, String threadNamePrefix, boolean poll) {
        return openPreferred(PREFERENCE, threads, threadNamePrefix, poll);
    }

    /**
     * As {@link #open(int, String)} for loops that will serve nothing but sockets: epoll then comes before io_uring,
     * because it costs a little less for each PDU and allocates nothing.
     */
    public static EventLoops openForSockets(int threads, String threadNamePrefix) {
        return openForSockets(threads, threadNamePrefix, false);
    }

    /** As {@link #openForSockets(int, String)}; {@code poll} as with {@link #open(int, String, boolean)}. */
    public static EventLoops openForSockets(int threads, String threadNamePrefix, boolean poll) {
        return openPreferred(SOCKET_PREFERENCE, threads, threadNamePrefix, poll);
    }

    private static EventLoops openPreferred(List<Kind> preference, int threads, String threadNamePrefix, boolean poll) {
        String forced = System.getProperty(KIND_PROPERTY);
        if (forced != null && !forced.isEmpty()) {
            return open(Kind.named(forced), threads, threadNamePrefix, poll);
        }
        return openFirst(preference, threads, threadNamePrefix, poll);
    }

    /**
     * Opens loops of one kind.
     *
     * @throws IllegalStateException if it cannot run here
     */
    public static EventLoops open(Kind kind, int threads, String threadNamePrefix) {
        return open(kind, threads, threadNamePrefix, false);
    }

    /** As {@link #open(Kind, int, String)}; {@code poll} as with {@link #open(int, String, boolean)}. */
    public static EventLoops open(Kind kind, int threads, String threadNamePrefix, boolean poll) {
        if (threads <= 0) {
            throw new IllegalArgumentException("threads must be positive: " + threads);
        }
        requireAvailable(kind, kind.unavailabilityCause.get());
        IoHandlerFactory usual = kind.handlerFactory.get();
        IoHandlerFactory factory = poll || kind.hasProcessorForItself()
                ? executor -> new PollingIoHandler(usual.newHandler(executor), poll)
                : usual;
        try {
            return new EventLoops(
                    kind,
                    poll,
                    new MultiThreadIoEventLoopGroup(threads, threadFactory(threadNamePrefix + "-" + kind), factory));
        } catch (IllegalStateException | UnsupportedOperationException e) {
            throw unavailable(kind, e);
        }
    }

    private static EventLoops openFirst(List<Kind> kinds, int threads, String threadNamePrefix, boolean poll) {
        IllegalStateException last = null;
        for (Kind kind : kinds) {
            try {
                return open(kind, threads, threadNamePrefix, poll);
            } catch (IllegalStateException e) {
                LOG.debug("{}", e.getMessage());
                last = e;
            }
        }
        throw last;
    }

    static void requireAvailable(Kind kind, Throwable unavailabilityCause) {
        if (unavailabilityCause != null) {
            throw unavailable(kind, unavailabilityCause);
        }
    }

    /** A kind can be refused late, by a limit on locked memory or open files, when the loops themselves are made. */
    private static IllegalStateException unavailable(Kind kind, Throwable cause) {
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String reason = root.getMessage() != null ? root.getMessage() : root.toString();
        return new IllegalStateException(
                "Event loops of kind " + kind + " cannot run on this machine: " + reason, cause);
    }

    private static ThreadFactory threadFactory(String namePrefix) {
        AtomicInteger next = new AtomicInteger(1);
        return new DefaultThreadFactory(namePrefix, true) {
            @Override
            protected Thread newThread(Runnable runnable, String ignoredName) {
                return super.newThread(runnable, namePrefix + "-" + next.getAndIncrement());
            }
        };
    }

    public Kind kind() {
        return kind;
    }

    public MultiThreadIoEventLoopGroup group() {
        return group;
    }

    /** The next loop, in turn. */
    public IoEventLoop next() {
        return group.next();
    }

    /** Number of loops. */
    public int threads() {
        return group.executorCount();
    }

    /** Whether the loops never sleep. */
    public boolean isPolling() {
        return polling;
    }

    public Class<? extends ServerSocketChannel> serverChannelClass() {
        return kind.serverChannelClass;
    }

    public Class<? extends SocketChannel> channelClass() {
        return kind.channelClass;
    }

    /** A client bootstrap on these loops with the usual socket options; the caller adds its handler. */
    public Bootstrap clientBootstrap() {
        Bootstrap bootstrap = new Bootstrap().group(group).channel(kind.channelClass);
        SocketOptions.setConnected(kind, bootstrap::option);
        return bootstrap;
    }

    /** A server bootstrap on these loops with the usual socket options; the caller adds its child handler. */
    public ServerBootstrap serverBootstrap() {
        ServerBootstrap bootstrap = new ServerBootstrap().group(group).channel(kind.serverChannelClass);
        SocketOptions.setListening(bootstrap::option);
        SocketOptions.setConnected(kind, bootstrap::childOption);
        return bootstrap;
    }

    /** A server bootstrap on these loops for a UNIX socket; the caller adds its child handler. */
    public ServerBootstrap localServerBootstrap() {
        return new ServerBootstrap().group(group).channel(kind.localServerChannelClass);
    }

    /** The address of a UNIX socket as {@link #localServerBootstrap} takes it. */
    public SocketAddress localAddress(Path path) {
        return kind == Kind.NIO ? UnixDomainSocketAddress.of(path) : new DomainSocketAddress(path.toFile());
    }

    /** Ends the loops, letting them run what they were already given. */
    public Future<?> shutdown() {
        return group.shutdownGracefully(0, CLOSE_TIMEOUT_S, TimeUnit.SECONDS);
    }

    /** Ends the loops and waits for it, in bounded time. Must not be called on one of them. */
    @Override
    public void close() {
        if (!shutdown().awaitUninterruptibly(CLOSE_TIMEOUT_S, TimeUnit.SECONDS)) {
            LOG.warn("{} did not end within {} s", this, CLOSE_TIMEOUT_S);
        }
    }

    /** For a log line: {@code io_uring, 4 threads}, and {@code polling} where they do. */
    @Override
    public String toString() {
        return kind + ", " + threads() + (threads() == 1 ? " thread" : " threads") + (polling ? ", polling" : "");
    }
}
