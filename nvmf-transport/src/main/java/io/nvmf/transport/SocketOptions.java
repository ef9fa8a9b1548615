package io.nvmf.transport;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.uring.IoUringChannelOption;
import jdk.net.ExtendedSocketOptions;

/**
 * The options of every NVMe/TCP socket. Small PDUs leave at once, and a peer that is gone is noticed in about 30
 * seconds: an idle one by keep-alive probes, one that owes acknowledgements by the user timeout (not on NIO, which has no
 * such option).
 */
final class SocketOptions {
    static final int KEEP_ALIVE_IDLE_S = 10;
    static final int KEEP_ALIVE_INTERVAL_S = 5;
    static final int KEEP_ALIVE_PROBES = 4;
    static final int USER_TIMEOUT_MS = 30_000;

    /** Hundreds of controllers with an I/O queue for each core may come at once when a target restarts. */
    static final int ACCEPT_BACKLOG = 1024;

    /** {@code option} or {@code childOption} of a bootstrap. */
    @FunctionalInterface
    interface Setter {
        <T> void set(ChannelOption<T> option, T value);
    }

    private SocketOptions() {}

    static void setListening(Setter setter) {
        setter.set(ChannelOption.SO_REUSEADDR, true);
        setter.set(ChannelOption.SO_BACKLOG, ACCEPT_BACKLOG);
    }

    static void setConnected(EventLoops.Kind kind, Setter setter) {
        setter.set(ChannelOption.TCP_NODELAY, true);
        setter.set(ChannelOption.SO_KEEPALIVE, true);
        // The adaptive allocator, Netty's default, makes objects for each access to a buffer.
        setter.set(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT);
        switch (kind) {
            case IO_URING -> {
                setter.set(IoUringChannelOption.TCP_KEEPIDLE, KEEP_ALIVE_IDLE_S);
                setter.set(IoUringChannelOption.TCP_KEEPINTVL, KEEP_ALIVE_INTERVAL_S);
                setter.set(IoUringChannelOption.TCP_KEEPCNT, KEEP_ALIVE_PROBES);
                setter.set(IoUringChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MS);
            }
            case EPOLL -> {
                setter.set(EpollChannelOption.TCP_KEEPIDLE, KEEP_ALIVE_IDLE_S);
                setter.set(EpollChannelOption.TCP_KEEPINTVL, KEEP_ALIVE_INTERVAL_S);
                setter.set(EpollChannelOption.TCP_KEEPCNT, KEEP_ALIVE_PROBES);
                setter.set(EpollChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MS);
            }
            case NIO -> {
                setter.set(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), KEEP_ALIVE_IDLE_S);
                setter.set(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), KEEP_ALIVE_INTERVAL_S);
                setter.set(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), KEEP_ALIVE_PROBES);
            }
        }
    }
}
