package io.nvmf.target.backend.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.backend.TestBuffers;
import io.nvmf.transport.EventLoops;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole operations out of system calls that are short, fail or are unknown: the test plays the kernel. */
class FileBlockChannelTest {
    private static final int SIZE = 64 << 20;

    @TempDir
    Path directory;

    private EventLoops loops;
    private FileBlockDevice device;
    private ByteBuf buffer;
    private final List<BlockError> outcomes = new ArrayList<>();

    @BeforeEach
    void open() throws Exception {
        loops = EventLoops.open(EventLoops.Kind.NIO, 1, "test");
        device = FileBlockDevice.open(directory.resolve("image"), FileOptions.EXISTING.withSizeBytes(SIZE));
        buffer = TestBuffers.allocate(65_536);
    }

    @AfterEach
    void close() {
        buffer.release();
        loops.close();
    }

    @Test
    void shouldGoOnWhereAShortTransferEnded() throws Exception {
        onLoop(kernel -> {
            kernel.read(8192, buffer, 512, 4096, outcomes::add);
            kernel.expect(FileCall.READ, 8192, 4096, buffer.memoryAddress() + 512)
                    .answer(1000);
            kernel.expect(FileCall.READ, 9192, 3096, buffer.memoryAddress() + 1512)
                    .answer(3095);
            kernel.expect(FileCall.READ, 12_287, 1, buffer.memoryAddress() + 4607)
                    .answer(1);
            assertEquals(List.of(BlockError.NONE), outcomes);

            kernel.write(0, buffer, 0, 4096, false, outcomes::add);
            kernel.expect(FileCall.WRITE, 0, 4096, buffer.memoryAddress()).answer(4095);
            kernel.expect(FileCall.WRITE, 4095, 1, buffer.memoryAddress() + 4095)
                    .answer(1);
            assertEquals(List.of(BlockError.NONE, BlockError.NONE), outcomes);
        });
    }

    @Test
    void shouldRepeatPassingFailuresButNotForEver() throws Exception {
        onLoop(kernel -> {
            kernel.read(0, buffer, 0, 512, outcomes::add);
            for (int i = 0; i < FileBlockChannel.MAX_ATTEMPTS; i++) {
                kernel.next().answer(i % 2 == 0 ? -Errno.EAGAIN : -Errno.EINTR);
            }
            assertEquals(List.of(), outcomes);
            kernel.next().answer(-Errno.EAGAIN);
            assertEquals(List.of(BlockError.BUSY), outcomes);

            kernel.write(0, buffer, 0, 512, false, outcomes::add);
            for (int i = 0; i <= FileBlockChannel.MAX_ATTEMPTS; i++) {
                kernel.next().answer(0);
            }
            assertEquals(List.of(BlockError.BUSY, BlockError.BUSY), outcomes);
        });
    }

    @Test
    void shouldAnswerReadErrorWhenTheFileEndsEarly() throws Exception {
        onLoop(kernel -> {
            kernel.read(0, buffer, 0, 1024, outcomes::add);
            kernel.next().answer(512);
            kernel.next().answer(0);
            assertEquals(List.of(BlockError.READ_ERROR), outcomes);
        });
    }

    static Stream<Arguments> shouldTellWhatAFailureMeans() {
        return Stream.of(
                Arguments.of(Errno.ENOSPC, BlockError.NO_SPACE, BlockError.NO_SPACE),
                Arguments.of(Errno.EDQUOT, BlockError.NO_SPACE, BlockError.NO_SPACE),
                Arguments.of(Errno.EIO, BlockError.READ_ERROR, BlockError.WRITE_ERROR),
                Arguments.of(Errno.ENODATA, BlockError.READ_ERROR, BlockError.WRITE_ERROR),
                Arguments.of(Errno.EROFS, BlockError.READ_ONLY, BlockError.READ_ONLY),
                Arguments.of(Errno.EOPNOTSUPP, BlockError.UNSUPPORTED, BlockError.UNSUPPORTED),
                Arguments.of(Errno.ENOMEM, BlockError.BUSY, BlockError.BUSY),
                Arguments.of(Errno.ENODEV, BlockError.GONE, BlockError.GONE),
                Arguments.of(Errno.EINVAL, BlockError.INTERNAL, BlockError.INTERNAL));
    }

    @ParameterizedTest
    @MethodSource
    void shouldTellWhatAFailureMeans(int errno, BlockError whenReading, BlockError whenWriting) throws Exception {
        onLoop(kernel -> {
            kernel.read(0, buffer, 0, 512, outcomes::add);
            kernel.next().answer(-errno);
            kernel.write(0, buffer, 0, 512, false, outcomes::add);
            kernel.next().answer(-errno);
            kernel.flush(outcomes::add);
            kernel.next().answer(-errno);
            assertEquals(List.of(whenReading, whenWriting, whenWriting), outcomes);
        });
    }

    @Test
    void shouldSyncAfterAForcedWriteThatCannotWriteThrough() throws Exception {
        onLoop(kernel -> {
            kernel.write(0, buffer, 0, 512, true, outcomes::add);
            FileOperation write = kernel.expect(FileCall.WRITE, 0, 512, buffer.memoryAddress())
                    .operation();
            assertEquals(false, write.writesThrough);
            kernel.answer(write, 512);
            assertEquals(List.of(), outcomes);
            assertEquals(FileCall.SYNC_DATA, kernel.next().operation().call);
            kernel.answer(write, -Errno.EIO);
            assertEquals(List.of(BlockError.WRITE_ERROR), outcomes);
        });
    }

    @Test
    void shouldShareASyncOnlyWithWhatEndedBeforeItBegan() throws Exception {
        onLoop(kernel -> {
            kernel.write(0, buffer, 0, 512, true, outcomes::add);
            kernel.next().answer(512);
            FileOperation first = kernel.next().operation();

            kernel.write(512, buffer, 0, 512, true, outcomes::add);
            kernel.next().answer(512);
            kernel.flush(outcomes::add);
            kernel.write(1024, buffer, 0, 512, true, outcomes::add);
            kernel.next().answer(512);
            assertTrue(kernel.calls.isEmpty(), "one sync at a time");

            kernel.answer(first, 0);
            assertEquals(List.of(BlockError.NONE), outcomes);
            assertEquals(1, kernel.calls.size());
            kernel.expect(FileCall.SYNC_DATA, 1024, 0, 0).answer(-Errno.EIO);
            assertEquals(
                    List.of(BlockError.NONE, BlockError.WRITE_ERROR, BlockError.WRITE_ERROR, BlockError.WRITE_ERROR),
                    outcomes);
            assertTrue(kernel.calls.isEmpty());

            kernel.flush(outcomes::add);
            kernel.next().answer(0);
            assertEquals(BlockError.NONE, outcomes.get(4));
        });
    }

    @Test
    void shouldLetAForcedWriteWriteThroughWhereItCan() throws Exception {
        onLoop(kernel -> {
            kernel.writesThrough = true;
            kernel.write(0, buffer, 0, 512, true, outcomes::add);
            FileOperation write = kernel.next().operation();
            assertTrue(write.writesThrough);
            kernel.answer(write, 512);
            assertEquals(List.of(BlockError.NONE), outcomes);

            kernel.writeZeroes(0, 512, true, true, outcomes::add);
            kernel.next().answer(0);
            assertEquals(FileCall.SYNC_DATA, kernel.next().operation().call);
        });
    }

    @Test
    void shouldZeroByHoleFirstThenByRangeThenByWriting() throws Exception {
        onLoop(kernel -> {
            kernel.deallocate(4096, 3 << 20, outcomes::add);
            kernel.expect(FileCall.PUNCH_HOLE, 4096, 3 << 20, 0).answer(-Errno.EOPNOTSUPP);
            kernel.expect(FileCall.ZERO_RANGE, 4096, 3 << 20, 0).answer(-Errno.EOPNOTSUPP);
            FileOperation zeros = kernel.next().operation();
            assertEquals(FileCall.WRITE_ZEROES, zeros.call);
            assertEquals(ZeroBuffer.LENGTH_BYTES, zeros.callLengthBytes());
            assertEquals(ZeroBuffer.ADDRESS, zeros.callAddress());
            kernel.answer(zeros, ZeroBuffer.LENGTH_BYTES);
            kernel.answer(kernel.next().operation(), ZeroBuffer.LENGTH_BYTES);
            FileOperation last = kernel.next().operation();
            assertEquals(4096 + (2 << 20), last.offsetBytes);
            assertEquals(ZeroBuffer.ADDRESS, last.callAddress());
            kernel.answer(last, ZeroBuffer.LENGTH_BYTES);
            assertEquals(List.of(BlockError.NONE), outcomes);

            kernel.writeZeroes(0, 512, true, false, outcomes::add);
            assertEquals(FileCall.WRITE_ZEROES, kernel.next().operation().call, "what was learnt is remembered");
        });
    }

    @Test
    void shouldZeroByRangeFirstWhenTheSpaceIsToStay() throws Exception {
        onLoop(kernel -> {
            kernel.writeZeroes(0, 4096, false, false, outcomes::add);
            kernel.expect(FileCall.ZERO_RANGE, 0, 4096, 0).answer(-Errno.EOPNOTSUPP);
            kernel.expect(FileCall.PUNCH_HOLE, 0, 4096, 0).answer(0);
            assertEquals(List.of(BlockError.NONE), outcomes);
        });
    }

    @Test
    void shouldKeepABoundedNumberUnderWayAndTheRestInOrder() throws Exception {
        onLoop(kernel -> {
            int more = 3;
            for (int i = 0; i < FileBlockChannel.MAX_IN_FLIGHT + more; i++) {
                kernel.read(i * 512L, buffer, 0, 512, outcomes::add);
            }
            assertEquals(FileBlockChannel.MAX_IN_FLIGHT, kernel.calls.size());
            for (int i = 0; i < more; i++) {
                kernel.next().answer(512);
            }
            assertEquals(FileBlockChannel.MAX_IN_FLIGHT, kernel.calls.size());
            for (int i = more; i < FileBlockChannel.MAX_IN_FLIGHT + more; i++) {
                kernel.expect(FileCall.READ, i * 512L, 512, buffer.memoryAddress())
                        .answer(512);
            }
            assertEquals(FileBlockChannel.MAX_IN_FLIGHT + more, outcomes.size());
        });
    }

    @Test
    void shouldBlameNoMediumWhenTheDeviceHasShrunkUnderARead() throws Exception {
        onLoop(kernel -> {
            kernel.read(SIZE - 1024, buffer, 0, 1024, outcomes::add);
            resize(SIZE - 512);
            kernel.next().answer(512);
            assertEquals(List.of(BlockError.OUT_OF_RANGE), outcomes);

            kernel.read(SIZE - 1024, buffer, 0, 512, outcomes::add);
            resize(SIZE - 1024);
            kernel.next().answer(0);
            assertEquals(List.of(BlockError.OUT_OF_RANGE, BlockError.OUT_OF_RANGE), outcomes);
            assertEquals(0, kernel.calls.size());
        });
    }

    @Test
    void shouldNotWriteWhereTheDeviceHasShrunkMeanwhile() throws Exception {
        onLoop(kernel -> {
            for (int i = 0; i < FileBlockChannel.MAX_IN_FLIGHT; i++) {
                kernel.read(0, buffer, 0, 512, outcomes::add);
            }
            kernel.write(SIZE - 512, buffer, 0, 512, false, outcomes::add);
            kernel.read(512, buffer, 0, 512, outcomes::add);
            resize(SIZE - 512);
            kernel.next().answer(512);
            assertEquals(List.of(BlockError.NONE, BlockError.OUT_OF_RANGE), outcomes);
            for (int i = 1; i < FileBlockChannel.MAX_IN_FLIGHT; i++) {
                kernel.next().answer(512);
            }
            kernel.expect(FileCall.READ, 512, 512, buffer.memoryAddress()).answer(512);
        });
    }

    private void resize(long sizeBytes) {
        try {
            device.resize(sizeBytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldAnswerBusyWhenTooManyWait() throws Exception {
        onLoop(kernel -> {
            for (int i = 0; i < FileBlockChannel.MAX_IN_FLIGHT + FileBlockChannel.MAX_WAITING; i++) {
                kernel.read(0, buffer, 0, 512, outcomes::add);
            }
            assertEquals(List.of(), outcomes);
            kernel.read(0, buffer, 0, 512, outcomes::add);
            assertEquals(List.of(BlockError.BUSY), outcomes);
        });
    }

    @Test
    void shouldNotGrowTheStackWhenNoCallCanBegin() throws Exception {
        onLoop(kernel -> {
            int waiting = 20_000;
            for (int i = 0; i < FileBlockChannel.MAX_IN_FLIGHT + waiting; i++) {
                kernel.read(0, buffer, 0, 512, outcomes::add);
            }
            kernel.refusal = -Errno.ENXIO;
            kernel.next().answer(512);
            assertEquals(1 + waiting, outcomes.size());
            assertEquals(BlockError.GONE, outcomes.get(waiting));
        });
    }

    @Test
    void shouldAnswerGoneToWhatWaitsWhenTheLoopEnds() throws Exception {
        onLoop(kernel -> {
            for (int i = 0; i < FileBlockChannel.MAX_IN_FLIGHT + 2; i++) {
                kernel.read(0, buffer, 0, 512, outcomes::add);
            }
            kernel.abandon();
            assertEquals(List.of(BlockError.GONE, BlockError.GONE), outcomes);
            for (int i = 0; i < FileBlockChannel.MAX_IN_FLIGHT; i++) {
                assertEquals(0, kernel.released);
                kernel.next().answer(512);
            }
            assertEquals(1, kernel.released);
            kernel.close();
            assertEquals(1, kernel.released);
        });
    }

    @Test
    void shouldOutliveACompletionThatThrows() throws Exception {
        onLoop(kernel -> {
            kernel.read(0, buffer, 0, 512, error -> {
                throw new IllegalStateException("thrown by the test");
            });
            kernel.next().answer(512);
            kernel.read(0, buffer, 0, 512, outcomes::add);
            kernel.next().answer(512);
            assertEquals(List.of(BlockError.NONE), outcomes);
        });
    }

    @Test
    void shouldSyncAgainWhenACompletionOfASyncThrowsAnError() throws Exception {
        onLoop(kernel -> {
            kernel.flush(error -> {
                throw new AssertionError("thrown by the test");
            });
            kernel.flush(outcomes::add);
            kernel.next().answer(0);
            kernel.next().answer(0);
            assertEquals(List.of(BlockError.NONE), outcomes);

            kernel.write(0, buffer, 0, 512, true, outcomes::add);
            kernel.next().answer(512);
            kernel.expect(FileCall.SYNC_DATA, 512, 0, 0).answer(0);
            assertEquals(List.of(BlockError.NONE, BlockError.NONE), outcomes);
        });
    }

    @Test
    void shouldStillStartWhatWaitsWhenACompletionThrowsAnError() throws Exception {
        onLoop(kernel -> {
            kernel.read(0, buffer, 0, 512, error -> {
                throw new AssertionError("thrown by the test");
            });
            for (int i = 0; i < FileBlockChannel.MAX_IN_FLIGHT; i++) {
                kernel.read(0, buffer, 0, 512, outcomes::add);
            }
            for (int i = 0; i <= FileBlockChannel.MAX_IN_FLIGHT; i++) {
                kernel.next().answer(512);
            }
            assertEquals(FileBlockChannel.MAX_IN_FLIGHT, outcomes.size());
            kernel.close();
            assertEquals(1, kernel.released);
        });
    }

    @Test
    void shouldAnswerGoneToWhatWaitsWhenClosed() throws Exception {
        onLoop(kernel -> {
            for (int i = 0; i < FileBlockChannel.MAX_IN_FLIGHT + 2; i++) {
                kernel.read(0, buffer, 0, 512, outcomes::add);
            }
            kernel.close();
            assertEquals(List.of(BlockError.GONE, BlockError.GONE), outcomes);
            for (int i = 0; i < FileBlockChannel.MAX_IN_FLIGHT; i++) {
                kernel.next().answer(512);
            }
            assertTrue(kernel.calls.isEmpty());
            assertEquals(FileBlockChannel.MAX_IN_FLIGHT, Collections.frequency(outcomes, BlockError.NONE));
            assertEquals(FileBlockChannel.MAX_IN_FLIGHT + 2, outcomes.size());
            assertEquals(1, kernel.released);
        });
    }

    @Test
    void shouldGiveUpTheRestOfALongOperationWhenClosed() throws Exception {
        onLoop(kernel -> {
            device.doWithout(FileCall.PUNCH_HOLE);
            device.doWithout(FileCall.ZERO_RANGE);
            kernel.deallocate(0, SIZE, outcomes::add);
            kernel.next().answer(ZeroBuffer.LENGTH_BYTES);
            kernel.close();
            assertEquals(List.of(), outcomes);
            kernel.next().answer(ZeroBuffer.LENGTH_BYTES);
            assertEquals(List.of(BlockError.GONE), outcomes);
            assertTrue(kernel.calls.isEmpty());
            assertEquals(1, kernel.released);
        });
    }

    private interface Body {
        void run(Kernel kernel);
    }

    private void onLoop(Body body) throws Exception {
        IoEventLoop loop = loops.next();
        loop.submit(() -> body.run(new Kernel(device, loop))).get(60, TimeUnit.SECONDS);
    }

    /** Takes the calls and answers what the test says. */
    private static final class Kernel extends FileBlockChannel {
        final Queue<FileOperation> calls = new ArrayDeque<>();
        boolean writesThrough;
        long refusal;
        int released;
        private FileOperation current;

        Kernel(FileBlockDevice device, IoEventLoop loop) {
            super(device, loop);
        }

        @Override
        void submit(FileOperation operation) {
            if (refusal != 0) {
                onResult(operation, refusal);
            } else {
                calls.add(operation);
            }
        }

        @Override
        boolean canWriteThrough() {
            return writesThrough;
        }

        @Override
        void release() {
            released++;
        }

        Kernel next() {
            current = calls.remove();
            return this;
        }

        Kernel expect(FileCall call, long offset, long length, long address) {
            next();
            assertEquals(call, current.call);
            assertEquals(offset, current.offsetBytes);
            assertEquals(length, current.lengthBytes);
            if (call.isTransfer()) {
                assertEquals(address, current.callAddress());
            }
            return this;
        }

        FileOperation operation() {
            return current;
        }

        void answer(long result) {
            onResult(current, result);
        }

        void answer(FileOperation operation, long result) {
            calls.remove(operation);
            onResult(operation, result);
        }
    }
}
