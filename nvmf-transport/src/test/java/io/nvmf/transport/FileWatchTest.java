package io.nvmf.transport;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoEventLoop;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.internal.PlatformDependent;
import io.nvmf.transport.EventLoops.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FileWatchTest {
    private final AtomicInteger bytesRead = new AtomicInteger();
    private final AtomicInteger strangers = new AtomicInteger();
    private final AtomicInteger loopEnds = new AtomicInteger();
    private volatile Throwable thrown;
    private EventLoops loops;
    private IoEventLoop loop;
    private FileDescriptor readEnd;
    private FileDescriptor writeEnd;

    private FileWatch watchAPipe(Kind kind) throws Exception {
        Assumptions.assumeTrue(kind.isAvailable(), kind + " cannot run here");
        loops = EventLoops.open(kind, 1, "test");
        loop = loops.next();
        FileDescriptor[] pipe = FileDescriptor.pipe();
        readEnd = pipe[0];
        writeEnd = pipe[1];
        return FileWatch.open(loop, readEnd.intValue(), this::readOne, loopEnds::incrementAndGet);
    }

    private void readOne() {
        if (!loop.inEventLoop()) {
            strangers.incrementAndGet();
        }
        try {
            bytesRead.addAndGet(readEnd.read(ByteBuffer.allocateDirect(1), 0, 1));
        } catch (IOException e) {
            strangers.incrementAndGet();
        }
        if (thrown != null) {
            PlatformDependent.throwException(thrown);
        }
    }

    private void write(int bytes) throws IOException {
        assertEquals(bytes, writeEnd.write(ByteBuffer.allocateDirect(bytes), 0, bytes));
    }

    @AfterEach
    void close() throws Exception {
        if (loops != null) {
            loops.close();
        }
        for (FileDescriptor end : new FileDescriptor[] {readEnd, writeEnd}) {
            if (end != null && end.isOpen()) {
                end.close();
            }
        }
        assertEquals(0, strangers.get(), "runs on other threads, or failed reads");
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"EPOLL", "IO_URING"})
    void shouldRunTheTaskWheneverThereIsSomethingToRead(Kind kind) throws Exception {
        watchAPipe(kind);
        for (int total = 1; total <= 3; total++) {
            write(1);
            int expected = total;
            await().until(() -> bytesRead.get() == expected);
        }
        assertEquals(0, loopEnds.get());
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"EPOLL", "IO_URING"})
    void shouldRunTheTaskAgainWhenItDidNotReadAll(Kind kind) throws Exception {
        watchAPipe(kind);
        write(5);
        await().until(() -> bytesRead.get() == 5);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"EPOLL", "IO_URING"})
    void shouldGoOnWhenTheTaskThrows(Kind kind) throws Exception {
        thrown = new IllegalStateException("thrown on purpose");
        watchAPipe(kind);
        write(2);
        await().until(() -> bytesRead.get() == 2);
        thrown = new OutOfMemoryError("thrown on purpose");
        write(1);
        await().until(() -> bytesRead.get() == 3);
        loop.submit(() -> {}).sync();
        assertFalse(loop.isShuttingDown());
        assertEquals(0, loopEnds.get());
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"EPOLL", "IO_URING"})
    void shouldNotRunTheTaskWhenTheWatchIsClosed(Kind kind) throws Exception {
        FileWatch watch = watchAPipe(kind);
        write(1);
        await().until(() -> bytesRead.get() == 1);
        loop.submit(watch::close).sync();
        write(1);
        loop.submit(() -> {}).sync();
        loops.close();
        assertEquals(1, bytesRead.get());
        assertEquals(0, loopEnds.get());
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"EPOLL", "IO_URING"})
    void shouldNotHoldTheFileWhenTheWatchIsClosed(Kind kind) throws Exception {
        FileWatch watch = watchAPipe(kind);
        loop.submit(watch::close).sync();
        readEnd.close();
        // A pipe that nobody can read any more refuses to be written.
        await().until(() -> {
            loop.submit(() -> {}).sync();
            try {
                write(1);
                return false;
            } catch (IOException e) {
                return true;
            }
        });
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"EPOLL", "IO_URING"})
    void shouldTellWhenTheLoopEnds(Kind kind) throws Exception {
        FileWatch watch = watchAPipe(kind);
        loops.close();
        assertEquals(1, loopEnds.get());
        watch.close();
        assertEquals(1, loopEnds.get());
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"EPOLL", "IO_URING"})
    void shouldRefuseALoopThatHasEnded(Kind kind) throws Exception {
        watchAPipe(kind);
        loops.close();
        assertThrows(
                RejectedExecutionException.class,
                () -> FileWatch.open(loop, readEnd.intValue(), this::readOne, strangers::incrementAndGet));
    }

    @Test
    void shouldRefuseALoopThatWatchesNoForeignDescriptors() {
        try (EventLoops nio = EventLoops.open(Kind.NIO, 1, "test")) {
            assertFalse(FileWatch.suits(nio.next()));
            assertThrows(IllegalArgumentException.class, () -> FileWatch.open(nio.next(), 0, () -> {}, () -> {}));
        }
    }

    @Test
    void shouldKnowTheLoopsThatWatchDescriptors() {
        Assumptions.assumeTrue(Kind.EPOLL.isAvailable());
        try (EventLoops epoll = EventLoops.open(Kind.EPOLL, 1, "test")) {
            assertTrue(FileWatch.suits(epoll.next()));
        }
    }
}
