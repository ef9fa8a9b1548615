package io.nvmf.target.backend.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.backend.TestBuffers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long making zeros keeps its event loop from all else: counted in work and in looks at the sockets, not in time. */
class MemoryBlockChannelTest {
    private static final int CHUNK = MemoryBlockDevice.CHUNK_BYTES;

    /** Each zeroes most of one chunk; so many are several turns of work. */
    private static final int RANGES = 300;

    private final CountingHandler sockets = new CountingHandler(NioIoHandler.newFactory());
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, sockets);
    private final IoEventLoop loop = group.next();
    private final MemoryBlockDevice device = new MemoryBlockDevice(MemoryBlockDevice.MAX_SIZE_BYTES);
    private final BlockChannel channel = device.openChannel(loop);
    private final List<BlockError> outcomes = new ArrayList<>();
    private final ByteBuf buffer = TestBuffers.allocate(512);

    @AfterEach
    void close() throws Exception {
        onLoop(BlockChannel::close);
        buffer.release();
        device.close();
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }

    @Test
    void shouldPassOverAbsentChunksWithinTheCall() throws Exception {
        onLoop(c -> {
            writeTo(c, 0);
            writeTo(c, device.sizeBytes() / 2);
            c.deallocate(0, device.sizeBytes(), outcomes::add);
            assertEquals(List.of(BlockError.NONE, BlockError.NONE, BlockError.NONE), outcomes);
        });
        assertEquals(0, device.allocatedBytes());
    }

    @Test
    void shouldLetTheLoopLookAtItsSocketsBetweenTurnsOfZeroing() throws Exception {
        List<Integer> looksBefore = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch ended = new CountDownLatch(RANGES);
        onLoop(c -> {
            writeTo(c, 0);
            zeroOften(c, error -> {
                looksBefore.add(sockets.looks);
                ended.countDown();
            });
        });
        assertTrue(ended.await(60, TimeUnit.SECONDS));
        int effortEach = (CHUNK - 512) / 64;
        int mostInATurn = MemoryBlockChannel.TURN_EFFORT / effortEach + 1;
        for (int looks : looksBefore) {
            int between = Collections.frequency(looksBefore, looks);
            assertTrue(between <= mostInATurn, between + " ranges without a look at the sockets");
        }
    }

    @Test
    void shouldAnswerGoneOnceToWhatWaitsWhenClosed() throws Exception {
        onLoop(c -> {
            writeTo(c, 0);
            zeroOften(c, outcomes::add);
            int done = outcomes.size();
            assertTrue(done > 0 && done < RANGES, "ended at once: " + done);
            c.close();
            assertEquals(1 + RANGES, outcomes.size());
            assertEquals(1 + RANGES - done, Collections.frequency(outcomes, BlockError.GONE));
        });
        // A turn that was still to come would have come by then.
        loop.schedule(() -> {}, 10, TimeUnit.MILLISECONDS).sync();
        assertEquals(1 + RANGES, outcomes.size());
    }

    @Test
    void shouldEndWhatWaitsWhenACompletionThrowsAnError() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        onLoop(c -> {
            writeTo(c, 0);
            zeroOften(c, error -> {});
            c.deallocate(0, 512, error -> {
                throw new AssertionError("thrown by the test");
            });
            zeroOften(c, error -> {});
            c.deallocate(0, 512, error -> ended.countDown());
        });
        assertTrue(ended.await(60, TimeUnit.SECONDS));
    }

    private void writeTo(BlockChannel c, long offset) {
        c.write(offset, buffer, 0, 512, false, outcomes::add);
    }

    private static void zeroOften(BlockChannel c, BlockCompletion completion) {
        for (int i = 0; i < RANGES; i++) {
            c.deallocate(512, CHUNK - 512, completion);
        }
    }

    private void onLoop(Consumer<BlockChannel> body) throws Exception {
        loop.submit(() -> body.accept(channel)).get(60, TimeUnit.SECONDS);
    }

    /** Counts how often the loop looks at its sockets. */
    private static final class CountingHandler implements IoHandlerFactory {
        private final IoHandlerFactory factory;
        volatile int looks;

        CountingHandler(IoHandlerFactory factory) {
            this.factory = factory;
        }

        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
            IoHandler handler = factory.newHandler(executor);
            return new IoHandler() {
                @Override
                public void initialize() {
                    handler.initialize();
                }

                @Override
                public int run(IoHandlerContext context) {
                    looks = looks + 1;
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
                public boolean isCompatible(Class<? extends IoHandle> type) {
                    return handler.isCompatible(type);
                }
            };
        }
    }
}
