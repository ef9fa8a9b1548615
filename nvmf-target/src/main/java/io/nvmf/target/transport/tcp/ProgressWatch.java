package io.nvmf.target.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.nvmf.target.transport.Deadlines;
import io.nvmf.transport.tcp.QuietSocket;
import java.util.concurrent.TimeUnit;

/**
 * Finds hosts that hold a connection without keeping their part: no Connect, half a PDU, data that never comes, answers
 * that are never taken. Time is an argument, in ns. Owned by the connection's event loop.
 */
final class ProgressWatch {
    static final long TERMINATE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Channel channel;
    private final QuietSocket quiet;
    private final long openedNanos;
    private long lastReadNanos;
    private long lastWriteNanos;
    /** When the socket last took some of what waited. */
    private long lastTakenNanos;

    private long terminatingNanos;

    /** Reads whose data was handed to the socket, and those of them that it has taken; it takes them in order. */
    private long handed;

    private long sent;
    private long markedHanded;
    private long markedNanos;

    private Object lastWritten;
    private long lastProgress;

    ProgressWatch(Channel channel, long nowNanos) {
        this.channel = channel;
        this.quiet = new QuietSocket(channel, nowNanos);
        this.openedNanos = nowNanos;
        this.lastReadNanos = nowNanos;
        this.lastWriteNanos = nowNanos;
        this.lastTakenNanos = nowNanos;
    }

    void onRead(long nowNanos) {
        lastReadNanos = nowNanos;
    }

    void onTerminating(long nowNanos) {
        terminatingNanos = nowNanos;
    }

    void onDataHanded() {
        handed++;
    }

    void onDataSent() {
        sent++;
    }

    /**
     * What is wrong, or null.
     *
     * @param insidePdu whether the host has sent a part of a PDU and owes the rest
     * @param owesNanos for how long it has owed the data of a command, 0 when it owes none
     */
    String problem(long nowNanos, boolean notConnected, boolean insidePdu, long owesNanos) {
        observeWrites(nowNanos);
        boolean owesData = insidePdu || owesNanos > 0;
        if (notConnected && nowNanos - openedNanos > Deadlines.CONNECT_NANOS) {
            return Deadlines.NO_CONNECT;
        }
        // While answers are not taken nothing is read, and what asks for the data may wait behind them: then the host
        // is not to
        // blame for owing it.
        long idleNanos = nowNanos - Math.max(lastReadNanos, lastTakenNanos);
        if (owesData && channel.isWritable() && idleNanos > Deadlines.STALL_NANOS) {
            return "the host stopped in the middle of a PDU or of the data of a command";
        }
        if (owesNanos > Deadlines.TRANSFER_NANOS) {
            return "the host sends the data of a command too slowly";
        }
        if (nowNanos - lastWriteNanos > Deadlines.STALL_NANOS) {
            return "the host does not take its answers";
        }
        if (isTakingTooLong(nowNanos)) {
            return "the host takes its data too slowly";
        }
        return null;
    }

    /** Whether the host has reset the connection unnoticed. */
    boolean isReset(long nowNanos) {
        return quiet.isReset(nowNanos, lastReadNanos);
    }

    /** After a TermReq: whether the host had its time to close. */
    String terminating(long nowNanos) {
        return nowNanos - terminatingNanos > TERMINATE_NANOS ? "the host did not close" : null;
    }

    /** Whether data that had been handed over at the mark has not all been taken a whole transfer time later. */
    private boolean isTakingTooLong(long nowNanos) {
        if (sent >= markedHanded) {
            markedHanded = handed;
            markedNanos = nowNanos;
        }
        return sent < markedHanded && nowNanos - markedNanos > Deadlines.TRANSFER_NANOS;
    }

    private void observeWrites(long nowNanos) {
        ChannelOutboundBuffer outbound = channel.unsafe().outboundBuffer();
        Object current = outbound == null ? null : outbound.current();
        long progress = current == null ? 0 : outbound.currentProgress();
        boolean changed = current != lastWritten || progress != lastProgress;
        if (current == null || changed) {
            lastWriteNanos = nowNanos;
        }
        if (lastWritten != null && changed) {
            lastTakenNanos = nowNanos;
        }
        lastWritten = current;
        lastProgress = progress;
    }
}
