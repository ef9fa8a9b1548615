package io.nvmf.target.backend.memory;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import java.util.Objects;

/** One loop's way to a {@link MemoryBlockDevice}. Completes before the call returns, except for long ranges of zeros. */
final class MemoryBlockChannel implements BlockChannel {
    /** Bytes made zero in one turn of the loop: 1024 chunks take it less than a millisecond or two. */
    private static final long ZERO_TURN_BYTES = 1024L * MemoryBlockDevice.CHUNK_BYTES;

    private final MemoryBlockDevice device;
    private final IoEventLoop loop;
    private boolean closed;

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
        zeroSome(offsetBytes, offsetBytes + lengthBytes, completion);
    }

    private void zeroSome(long offsetBytes, long endBytes, BlockCompletion completion) {
        long turnEnd = Math.min(endBytes, offsetBytes + ZERO_TURN_BYTES);
        long offset = offsetBytes;
        while (offset < turnEnd) {
            offset += device.zeroInChunk(offset, endBytes - offset);
        }
        if (offset == endBytes) {
            completion.onComplete(BlockError.NONE);
            return;
        }
        long rest = offset;
        loop.execute(() -> zeroSome(rest, endBytes, completion));
    }

    private boolean isRefused(long offsetBytes, long lengthBytes, BlockCompletion completion) {
        assert loop.inEventLoop();
        Objects.checkFromIndexSize(offsetBytes, lengthBytes, device.sizeBytes());
        if (closed) {
            completion.onComplete(BlockError.GONE);
        }
        return closed;
    }

    @Override
    public void close() {
        closed = true;
    }
}
