package io.nvmf.target.backend.file;

import io.netty.channel.IoEventLoop;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the calls on the threads of the device's pool, for event loops without io_uring. Results gather in a list and
 * come back to the loop in one task.
 */
final class ThreadPoolFileChannel extends FileBlockChannel {
    private static final Logger LOG = LoggerFactory.getLogger(ThreadPoolFileChannel.class);

    private final LibC libC;
    private final Executor pool;
    private final AtomicReference<FileOperation> ended = new AtomicReference<>();
    private final Runnable deliver = this::deliver;

    ThreadPoolFileChannel(FileBlockDevice device, IoEventLoop loop, LibC libC, Executor pool) {
        super(device, loop);
        this.libC = libC;
        this.pool = pool;
    }

    @Override
    boolean canWriteThrough() {
        return false;
    }

    @Override
    void submit(FileOperation operation) {
        if (operation.task == null) {
            operation.task = () -> perform(operation);
        }
        try {
            pool.execute(operation.task);
        } catch (RejectedExecutionException e) {
            onResult(operation, -Errno.ENXIO);
        }
    }

    /** On a thread of the pool. */
    private void perform(FileOperation operation) {
        long result = call(operation);
        operation.result = result < 0 ? -LibC.errno() : result;
        FileOperation head;
        do {
            head = ended.get();
            operation.next = head;
        } while (!ended.compareAndSet(head, operation));
        if (head == null) {
            try {
                loop.execute(deliver);
            } catch (RejectedExecutionException e) {
                LOG.warn("{}: an event loop ended before its file operations", device.description());
            }
        }
    }

    private long call(FileOperation operation) {
        int fd = device.fd();
        long offset = operation.offsetBytes;
        return switch (operation.call) {
            case READ -> libC.pread(fd, operation.callAddress(), operation.callLengthBytes(), offset);
            case WRITE, WRITE_ZEROES -> libC.pwrite(fd, operation.callAddress(), operation.callLengthBytes(), offset);
            case PUNCH_HOLE, ZERO_RANGE ->
                libC.fallocate(fd, operation.call.allocateMode, offset, operation.lengthBytes);
            case SYNC_DATA -> libC.fdatasync(fd);
        };
    }

    private void deliver() {
        FileOperation operation = ended.getAndSet(null);
        while (operation != null) {
            FileOperation next = operation.next;
            operation.next = null;
            onResult(operation, operation.result);
            operation = next;
        }
    }

    @Override
    void release() {
        // The pool is the device's.
    }
}
