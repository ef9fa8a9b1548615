package io.nvmf.target.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.concurrent.TimeUnit;

/**
 * Finds hosts that hold a connection without keeping their part: no Connect, half a PDU, data that never comes, answers
 * that are never taken. Time is an argument, in ns. Owned by the connection's event loop.
 */
final class ProgressWatch {
    static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(15);
    static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(30);
    static final long TERMINATE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Channel channel;
    private final long openedNanos;
    private long lastReadNanos;
    private long lastWriteNanos;
    private long terminatingNanos;

    private Object lastWritten;
    private long lastProgress;

    ProgressWatch(Channel channel, long nowNanos) {
        this.channel = channel;
        this.openedNanos = nowNanos;
        this.lastReadNanos = nowNanos;
        this.lastWriteNanos = nowNanos;
    }

    void onRead(long nowNanos) {
        lastReadNanos = nowNanos;
    }

    void onTerminating(long nowNanos) {
        terminatingNanos = nowNanos;
    }

    /** What is wrong, or null. */
    String problem(long nowNanos, boolean notConnected, boolean owesData) {
        observeWrites(nowNanos);
        if (notConnected && nowNanos - openedNanos > CONNECT_NANOS) {
            return "no Connect within " + TimeUnit.NANOSECONDS.toSeconds(CONNECT_NANOS) + " s";
        }
        // While answers are not taken nothing is read: then the host is not to blame for owing data.
        if (owesData && channel.isWritable() && nowNanos - lastReadNanos > STALL_NANOS) {
            return "the host stopped in the middle of a PDU or of the data of a command";
        }
        if (nowNanos - lastWriteNanos > STALL_NANOS) {
            return "the host does not take its answers";
        }
        return null;
    }

    /** After a TermReq: whether the host had its time to close. */
    String terminating(long nowNanos) {
        return nowNanos - terminatingNanos > TERMINATE_NANOS ? "the host did not close" : null;
    }

    private void observeWrites(long nowNanos) {
        ChannelOutboundBuffer outbound = channel.unsafe().outboundBuffer();
        Object current = outbound == null ? null : outbound.current();
        long progress = current == null ? 0 : outbound.currentProgress();
        if (current == null || current != lastWritten || progress != lastProgress) {
            lastWriteNanos = nowNanos;
        }
        lastWritten = current;
        lastProgress = progress;
    }
}
