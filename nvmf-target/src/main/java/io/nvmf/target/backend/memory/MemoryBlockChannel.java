package io.nvmf.target.backend.memory;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.Future;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One loop's way to a {@link MemoryBlockDevice}. Completes before the call returns, except for zeros: making them may
 * take long, so between two turns of a timer the channel spends a bounded effort on them, and what is left waits, in
 * order.
 */
final class MemoryBlockChannel implements BlockChannel {
    /** Keeps the loop from its sockets for well under a millisecond. */
    static final int TURN_EFFORT = 1 << 16;

    /** A task given to the loop for at once might run before the loop has looked at its sockets; a timer does not. */
    private static final long TURN_DELAY_MS = 1;

    private static final Logger LOG = LoggerFactory.getLogger(MemoryBlockChannel.class);

    private final MemoryBlockDevice device;
    private final IoEventLoop loop;
    private final MemoryBlockDevice.Effort effort = new MemoryBlockDevice.Effort(TURN_EFFORT);
    private final ArrayDeque<ZeroRange> waiting = new ArrayDeque<>();
    private final Runnable takeTurn = this::takeTurn;
    private Future<?> nextTurn;
    private boolean closed;

    /** What is left to be made zero. */
    private record ZeroRange(long offsetBytes, long endBytes, BlockCompletion completion) {}

    MemoryBlockChannel(MemoryBlockDevice device, IoEventLoop loop) {
        this.device = device;
        this.loop = loop;
    }

    @Override
    public void read(long offsetBytes, ByteBuf buffer, int index, int lengthBytes, BlockCompletion completion) {
        if (isRefused(offsetBytes, lengthBytes, completion)) {
            return;
        }
        device.read(offsetBytes, buffer, index, lengthBytes);
        completion.onComplete(BlockError.NONE);
    }

    @Override
    public boolean readNow(long offsetBytes, ByteBuf buffer, int index, int lengthBytes) {
        if (!reaches(offsetBytes, lengthBytes)) {
            return false;
        }
        device.read(offsetBytes, buffer, index, lengthBytes);
        return true;
    }

    private boolean reaches(long offsetBytes, long lengthBytes) {
        assert loop.inEventLoop();
        return !closed && device.contains(offsetBytes, lengthBytes);
    }

    @Override
    public void write(
            long offsetBytes,
            ByteBuf buffer,
            int index,
            int lengthBytes,
            boolean forceUnitAccess,
            BlockCompletion completion) {
        if (isRefused(offsetBytes, lengthBytes, completion)) {
            return;
        }
        boolean stored = device.write(offsetBytes, buffer, index, lengthBytes);
        completion.onComplete(stored ? BlockError.NONE : BlockError.NO_SPACE);
    }

    @Override
    public boolean writeNow(long offsetBytes, ByteBuf buffer, int index, int lengthBytes, boolean forceUnitAccess) {
        return reaches(offsetBytes, lengthBytes) && device.write(offsetBytes, buffer, index, lengthBytes);
    }

    @Override
    public void flush(BlockCompletion completion) {
        completion.onComplete(closed ? BlockError.GONE : BlockError.NONE);
    }

    @Override
    public void writeZeroes(
            long offsetBytes,
            long lengthBytes,
            boolean mayDeallocate,
            boolean forceUnitAccess,
            BlockCompletion completion) {
        deallocate(offsetBytes, lengthBytes, completion);
    }

    @Override
    public void deallocate(long offsetBytes, long lengthBytes, BlockCompletion completion) {
        if (isRefused(offsetBytes, lengthBytes, completion)) {
            return;
        }
        long endBytes = offsetBytes + lengthBytes;
        long rest = waiting.isEmpty() ? device.zero(offsetBytes, endBytes, effort) : offsetBytes;
        if (rest == endBytes) {
            completion.onComplete(BlockError.NONE);
        } else {
            waiting.add(new ZeroRange(rest, endBytes, completion));
            scheduleTurn();
        }
    }

    private void scheduleTurn() {
        if (nextTurn == null && !waiting.isEmpty()) {
            nextTurn = loop.schedule(takeTurn, TURN_DELAY_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void takeTurn() {
        nextTurn = null;
        effort.left = TURN_EFFORT;
        while (effort.left > 0 && !waiting.isEmpty()) {
            ZeroRange range = waiting.remove();
            long rest = device.zero(range.offsetBytes, range.endBytes, effort);
            if (rest == range.endBytes) {
                end(range, BlockError.NONE);
            } else {
                waiting.addFirst(new ZeroRange(rest, range.endBytes, range.completion));
            }
        }
        scheduleTurn();
    }

    /** Whatever the completion throws, those behind it must still have their turn. */
    private void end(ZeroRange range, BlockError error) {
        try {
            range.completion.onComplete(error);
        } catch (Throwable e) {
            LOG.error("A completion for {} failed", device.description(), e);
        }
    }

    private boolean isRefused(long offsetBytes, long lengthBytes, BlockCompletion completion) {
        assert loop.inEventLoop();
        if (closed) {
            completion.onComplete(BlockError.GONE);
            return true;
        }
        if (!device.contains(offsetBytes, lengthBytes)) {
            completion.onComplete(BlockError.OUT_OF_RANGE);
            return true;
        }
        return false;
    }

    @Override
    public void close() {
        closed = true;
        if (nextTurn != null) {
            nextTurn.cancel(false);
            nextTurn = null;
        }
        while (!waiting.isEmpty()) {
            end(waiting.remove(), BlockError.GONE);
        }
    }
}
