package io.nvmf.transport;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import io.netty.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task on an event loop whenever a file descriptor that is not Netty's has something to read, or an error to
 * tell, for as long as that is so (level-triggered). The descriptor stays the caller's: it closes the watch, then the
 * descriptor. Works on epoll and io_uring loops; {@code java.nio} knows no foreign descriptors.
 */
public final class FileWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FileWatch.class);

    private final IoEventLoop loop;
    private final Runnable onReadable;
    private final Runnable onLoopEnd;
    private final Watching watching;

    /** Written on the loop. */
    private IoRegistration registration;

    private volatile boolean closed;

    private FileWatch(IoEventLoop loop, int fd, Runnable onReadable, Runnable onLoopEnd) {
        this.loop = loop;
        this.onReadable = onReadable;
        this.onLoopEnd = onLoopEnd;
        watching = loop.isCompatible(EpollIoHandle.class) ? new EpollWatching(fd) : new IoUringWatching(fd);
    }

    /** Whether a loop of this kind can watch descriptors. */
    public static boolean suits(IoEventLoop loop) {
        return loop.isCompatible(EpollIoHandle.class) || loop.isCompatible(IoUringIoHandle.class);
    }

    /**
     * Begins to watch. May be called from any thread.
     *
     * @param onReadable run on the loop; it reads until there is nothing more, or some of it; what it throws, errors too, is
     *     logged
     * @param onLoopEnd run on the loop, at most once, if the loop ends before the watch is closed, or cannot begin it
     * @throws IllegalArgumentException if the loop is of another kind, see {@link #suits}
     * @throws RejectedExecutionException if the loop has ended
     */
    public static FileWatch open(IoEventLoop loop, int fd, Runnable onReadable, Runnable onLoopEnd) {
        if (!suits(loop)) {
            throw new IllegalArgumentException("this kind of event loop watches no foreign file descriptors: " + loop);
        }
        FileWatch watch = new FileWatch(loop, fd, onReadable, onLoopEnd);
        Future<IoRegistration> registering = loop.register(watch.watching);
        registering.addListener(done -> watch.onRegistered(registering));
        return watch;
    }

    private void onRegistered(Future<IoRegistration> registering) {
        if (!registering.isSuccess()) {
            if (!closed) {
                LOG.warn("{} cannot watch a file descriptor", loop, registering.cause());
                end();
            }
            return;
        }
        registration = registering.getNow();
        if (closed) {
            registration.cancel();
            return;
        }
        if (loop.isShuttingDown()) {
            // It may have told its handles already.
            end();
            return;
        }
        begin();
    }

    private void begin() {
        try {
            watching.begin();
        } catch (RuntimeException e) {
            LOG.warn("{} cannot watch a file descriptor", loop, e);
            end();
        }
    }

    private void onReadable() {
        try {
            onReadable.run();
        } catch (Throwable e) {
            // Out of here even an error would end the loop, for all that it serves.
            LOG.error("what a file descriptor had to tell was not taken well", e);
        }
    }

    /** The loop does not watch any more, and nobody asked for that. */
    private void end() {
        if (!closed) {
            close();
            onLoopEnd.run();
        }
    }

    /**
     * Ends the watch; called on the loop it is over at once, and the descriptor may be closed. On another thread, only
     * when the loop has ended. May be called again.
     */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (registration != null && registration.isValid()) {
                watching.cancel();
                registration.cancel();
            }
        }
    }

    /** How one kind of loop waits. */
    private interface Watching extends IoHandle {
        void begin();

        void cancel();

        /** Called when the loop ends. */
        @Override
        void close();
    }

    private final class EpollWatching implements Watching, EpollIoHandle {
        private final FileDescriptor fd;

        EpollWatching(int fd) {
            this.fd = new FileDescriptor(fd);
        }

        @Override
        public FileDescriptor fd() {
            return fd;
        }

        @Override
        public void begin() {
            registration.submit(EpollIoOps.EPOLLIN);
        }

        @Override
        public void cancel() {
            // Cancelling the registration removes it from the epoll set at once.
        }

        @Override
        public void handle(IoRegistration ignored, IoEvent event) {
            if (!closed) {
                onReadable();
            }
        }

        @Override
        public void close() {
            end();
        }
    }

    /** Asks again after each answer: that reports what is there already, too. */
    private final class IoUringWatching implements Watching, IoUringIoHandle {
        private static final byte POLL_ADD = 6;
        private static final byte ASYNC_CANCEL = 14;
        private static final int POLLIN = 1;

        private final IoUringIoOps poll;
        private long pollId;

        IoUringWatching(int fd) {
            poll = operation(POLL_ADD, fd, 0, POLLIN);
        }

        private IoUringIoOps operation(byte opcode, int fd, long address, int flags) {
            return new IoUringIoOps(
                    opcode, (byte) 0, (short) 0, fd, 0, address, 0, flags, (long) opcode, (short) 0, (short) 0, 0, 0);
        }

        @Override
        public void begin() {
            pollId = registration.submit(poll);
        }

        @Override
        public void cancel() {
            registration.submit(operation(ASYNC_CANCEL, -1, pollId, 0));
        }

        @Override
        public void handle(IoRegistration ignored, IoEvent event) {
            if (closed || ((IoUringIoEvent) event).userData() != POLL_ADD) {
                return;
            }
            onReadable();
            if (!closed) {
                FileWatch.this.begin();
            }
        }

        @Override
        public void close() {
            end();
        }
    }
}
