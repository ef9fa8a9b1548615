package io.nvmf.target.namespace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.buffer.ByteBuf;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GuardedChannelTest {
    private static final RuntimeException OF_DEVICE = new IllegalStateException("thrown by the device on purpose");
    private static final RuntimeException OF_COMPLETION = new IllegalStateException("thrown by the completion");

    /** What the device does with a completion. */
    private Consumer<BlockCompletion> device = completion -> {
        throw OF_DEVICE;
    };

    private final List<BlockError> errors = new ArrayList<>();
    private final BlockChannel channel = new GuardedChannel(new Channel());

    private final class Channel implements BlockChannel {
        @Override
        public void read(long offset, ByteBuf buffer, int index, int length, BlockCompletion completion) {
            device.accept(completion);
        }

        @Override
        public void write(long offset, ByteBuf buffer, int index, int length, boolean fua, BlockCompletion completion) {
            device.accept(completion);
        }

        @Override
        public void flush(BlockCompletion completion) {
            device.accept(completion);
        }

        @Override
        public void writeZeroes(long offset, long length, boolean deallocate, boolean fua, BlockCompletion completion) {
            device.accept(completion);
        }

        @Override
        public void deallocate(long offset, long length, BlockCompletion completion) {
            device.accept(completion);
        }

        @Override
        public void close() {
            throw OF_DEVICE;
        }
    }

    private interface Call {
        void on(BlockChannel channel, BlockCompletion completion);
    }

    static Stream<Call> calls() {
        return Stream.of(
                (channel, completion) -> channel.read(0, null, 0, 512, completion),
                (channel, completion) -> channel.write(0, null, 0, 512, false, completion),
                BlockChannel::flush,
                (channel, completion) -> channel.writeZeroes(0, 512, false, false, completion),
                (channel, completion) -> channel.deallocate(0, 512, completion));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void shouldFailTheOperationWhenTheDeviceThrows(Call call) {
        call.on(channel, errors::add);
        assertEquals(List.of(BlockError.INTERNAL), errors);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void shouldCompleteOnceWhenTheDeviceThrowsAfterwards(Call call) {
        device = completion -> {
            completion.onComplete(BlockError.NONE);
            throw OF_DEVICE;
        };
        call.on(channel, errors::add);
        assertEquals(List.of(BlockError.NONE), errors);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void shouldNotBlameTheDeviceForWhatACompletionThrows(Call call) {
        device = completion -> completion.onComplete(BlockError.NONE);
        BlockCompletion throwing = error -> {
            errors.add(error);
            throw OF_COMPLETION;
        };
        assertSame(OF_COMPLETION, assertThrows(IllegalStateException.class, () -> call.on(channel, throwing)));
        assertEquals(List.of(BlockError.NONE), errors);
    }

    @Test
    void shouldPassOnEveryMethod() throws Exception {
        for (Method method : BlockChannel.class.getDeclaredMethods()) {
            Method own = GuardedChannel.class.getMethod(method.getName(), method.getParameterTypes());
            assertSame(
                    GuardedChannel.class, own.getDeclaringClass(), "a default would be the guard's, not the device's");
        }
    }

    @Test
    void shouldUseOneCompletionForManyOperations() {
        GuardedCompletion completion = new GuardedCompletion() {
            @Override
            protected void completed(BlockError error) {
                errors.add(error);
            }
        };
        channel.flush(completion);
        device = done -> {
            assertSame(completion, done, "no other is made");
            done.onComplete(BlockError.NONE);
        };
        channel.flush(completion);
        device = done -> {
            throw OF_DEVICE;
        };
        channel.flush(completion);
        assertEquals(List.of(BlockError.INTERNAL, BlockError.NONE, BlockError.INTERNAL), errors);
    }

    @Test
    void shouldCloseWithoutAWordOfTheDevice() {
        channel.close();
    }
}
