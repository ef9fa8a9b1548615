package io.nvmf.target.backend.file;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import io.netty.util.concurrent.Future;

/**
 * Makes the calls through the event loop's own io_uring: they go to the kernel together with those of the sockets, and
 * their results come back the same way. Fields of a submission are those of {@code struct io_uring_sqe} in
 * linux/io_uring.h.
 */
final class IoUringFileChannel extends FileBlockChannel {
    private static final int FSYNC_DATASYNC = 1;
    private static final int RWF_DSYNC = 2;

    private final Future<IoRegistration> registering;

    /** The number that a submission carries is a place in here. */
    private final FileOperation[] submitted = new FileOperation[MAX_IN_FLIGHT];

    private final int[] freePlaces = new int[MAX_IN_FLIGHT];
    private int freeCount = MAX_IN_FLIGHT;

    IoUringFileChannel(FileBlockDevice device, IoEventLoop loop) {
        super(device, loop);
        for (int i = 0; i < MAX_IN_FLIGHT; i++) {
            freePlaces[i] = i;
        }
        registering = loop.register(new Handle());
    }

    /** Whether a loop of this kind can carry such a channel. */
    static boolean suits(IoEventLoop loop) {
        return loop.isCompatible(IoUringIoHandle.class);
    }

    /**
     * With O_DIRECT the disk can take such a write by itself (FUA). Through the page cache the kernel would do one such
     * write of a file after the other, each with a sync of its own; syncs that are shared were seven times as fast.
     */
    @Override
    boolean canWriteThrough() {
        return device.isDirect();
    }

    @Override
    void submit(FileOperation operation) {
        // The loop registers in the order it was asked to, hence before any task that uses this channel.
        IoRegistration registration = registering.getNow();
        if (registration == null || !registration.isValid()) {
            onResult(operation, -Errno.ENXIO);
            return;
        }
        int place = freePlaces[--freeCount];
        submitted[place] = operation;
        try {
            registration.submit(submission(operation, place));
        } catch (RuntimeException e) {
            // The ring is full and the kernel takes no more at the moment.
            takeBack(place);
            onResult(operation, -Errno.EBUSY);
        }
    }

    private IoUringIoOps submission(FileOperation operation, int place) {
        FileCall call = operation.call;
        long offset = operation.offsetBytes;
        return switch (call) {
            case READ, WRITE, WRITE_ZEROES ->
                submission(
                        call,
                        offset,
                        operation.callAddress(),
                        operation.callLengthBytes(),
                        operation.writesThrough ? RWF_DSYNC : 0,
                        place);
            case PUNCH_HOLE, ZERO_RANGE -> submission(call, offset, operation.lengthBytes, call.allocateMode, 0, place);
            case SYNC_DATA -> submission(call, 0, 0, 0, FSYNC_DATASYNC, place);
        };
    }

    private IoUringIoOps submission(FileCall call, long offset, long address, int length, int callFlags, int place) {
        return new IoUringIoOps(
                call.ringOpcode,
                (byte) 0,
                (short) 0,
                device.fd(),
                offset,
                address,
                length,
                callFlags,
                (long) place,
                (short) 0,
                (short) 0,
                0,
                0);
    }

    private FileOperation takeBack(int place) {
        FileOperation operation = submitted[place];
        submitted[place] = null;
        freePlaces[freeCount++] = place;
        return operation;
    }

    @Override
    void release() {
        IoRegistration registration = registering.getNow();
        if (registration != null) {
            registration.cancel();
        }
    }

    private final class Handle implements IoUringIoHandle {
        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            IoUringIoEvent result = (IoUringIoEvent) event;
            // The event object is the registration's only one: its result is read before anything else is submitted.
            int res = result.res();
            onResult(takeBack((int) result.userData()), res);
        }

        /** Called when the loop ends. */
        @Override
        public void close() {
            abandon();
        }
    }
}
