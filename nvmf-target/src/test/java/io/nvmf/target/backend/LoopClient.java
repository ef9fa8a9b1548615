package io.nvmf.target.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/** A channel and its loop, used from the thread of a test: every call is made on the loop and waited for. */
public final class LoopClient implements AutoCloseable {
    private static final long TIMEOUT_S = 60;

    public final IoEventLoop loop;
    public final BlockChannel channel;

    public LoopClient(BlockDevice device, IoEventLoop loop) throws Exception {
        this.loop = loop;
        this.channel = device.openChannel(loop);
    }

    public CompletableFuture<BlockError> begin(BiConsumer<BlockChannel, BlockCompletion> call) {
        CompletableFuture<BlockError> outcome = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                call.accept(channel, error -> complete(outcome, error));
            } catch (Throwable e) {
                outcome.completeExceptionally(e);
            }
        });
        return outcome;
    }

    private void complete(CompletableFuture<BlockError> outcome, BlockError error) {
        if (!loop.inEventLoop()) {
            outcome.completeExceptionally(new AssertionError("completed on " + Thread.currentThread()));
        } else if (!outcome.complete(error)) {
            throw new AssertionError("completed twice");
        }
    }

    public BlockError call(BiConsumer<BlockChannel, BlockCompletion> call) {
        return await(begin(call));
    }

    public static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(TIMEOUT_S, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    public byte[] read(long offset, int length) {
        ByteBuf buffer = TestBuffers.allocate(length);
        try {
            assertEquals(BlockError.NONE, call((c, done) -> c.read(offset, buffer, 0, length, done)));
            byte[] bytes = new byte[length];
            buffer.getBytes(0, bytes);
            return bytes;
        } finally {
            buffer.release();
        }
    }

    public BlockError write(long offset, byte[] bytes, boolean forceUnitAccess) {
        ByteBuf buffer = TestBuffers.allocate(bytes.length);
        try {
            buffer.setBytes(0, bytes);
            return call((c, done) -> c.write(offset, buffer, 0, bytes.length, forceUnitAccess, done));
        } finally {
            buffer.release();
        }
    }

    public void write(long offset, byte[] bytes) {
        assertEquals(BlockError.NONE, write(offset, bytes, false));
    }

    public void writeZeroes(long offset, long length, boolean mayDeallocate, boolean forceUnitAccess) {
        assertEquals(
                BlockError.NONE,
                call((c, done) -> c.writeZeroes(offset, length, mayDeallocate, forceUnitAccess, done)));
    }

    public void deallocate(long offset, long length) {
        assertEquals(BlockError.NONE, call((c, done) -> c.deallocate(offset, length, done)));
    }

    public void flush() {
        assertEquals(BlockError.NONE, call(BlockChannel::flush));
    }

    @Override
    public void close() {
        await(CompletableFuture.runAsync(channel::close, loop));
    }
}
