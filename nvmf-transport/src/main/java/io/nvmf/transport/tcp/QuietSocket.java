package io.nvmf.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.channel.uring.IoUringTcpInfo;
import java.util.concurrent.TimeUnit;

/**
 * Whether a socket from which nothing comes is there at all. Netty's io_uring channels (4.2.18) miss a reset that arrives
 * together with data: they are told of it while they read the data, take the socket for empty after that, and wait for an
 * edge that has been. So a channel that has been quiet is asked for the state of its connection, by one system call every few
 * seconds. Owned by the channel's event loop.
 */
public final class QuietSocket {
    static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(3);
    /** TCP_CLOSE of the kernel's states: there is no connection any more. */
    private static final int CLOSED = 7;

    private final IoUringSocketChannel channel;
    private IoUringTcpInfo info;
    private long askedNanos;

    public QuietSocket(Channel channel, long nowNanos) {
        this.channel = channel instanceof IoUringSocketChannel uring ? uring : null;
        askedNanos = nowNanos;
    }

    /**
     * Whether the other end has reset the connection and the channel does not know.
     *
     * @param lastReadNanos when something came last
     */
    public boolean isReset(long nowNanos, long lastReadNanos) {
        if (channel == null || nowNanos - Math.max(lastReadNanos, askedNanos) < QUIET_NANOS || !channel.isActive()) {
            return false;
        }
        askedNanos = nowNanos;
        if (info == null) {
            info = new IoUringTcpInfo();
        }
        return channel.tcpInfo(info).state() == CLOSED;
    }
}
