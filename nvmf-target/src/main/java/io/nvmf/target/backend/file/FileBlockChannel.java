package io.nvmf.target.backend.file;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import java.util.Objects;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One event loop's way to a file. Takes each operation apart into system calls, one at a time, until all of it is done;
 * how the calls are made without blocking the loop is left to its two children.
 *
 * <p>At most {@link #MAX_IN_FLIGHT} operations are under way, further ones wait in order. The objects of operations are
 * used again, so that nothing is allocated here once the busiest moment has passed.
 */
abstract class FileBlockChannel implements BlockChannel {
    static final int MAX_IN_FLIGHT = 256;

    /** Far more than the queues that share a loop hold; what comes on top is answered BUSY. */
    static final int MAX_WAITING = 1 << 16;

    /** Repeats of a call that makes no progress. */
    static final int MAX_ATTEMPTS = 16;

    private static final Logger LOG = LoggerFactory.getLogger(FileBlockChannel.class);

    final FileBlockDevice device;
    final IoEventLoop loop;

    private final OperationQueue waiting = new OperationQueue();
    private final OperationQueue unused = new OperationQueue();
    private OperationQueue awaitingSync = new OperationQueue();
    private OperationQueue sharingSync = new OperationQueue();
    private boolean syncing;
    private int inFlight;
    private boolean starting;
    private boolean closed;
    private boolean released;

    FileBlockChannel(FileBlockDevice device, IoEventLoop loop) {
        this.device = device;
        this.loop = loop;
    }

    /**
     * Begins the operation's call. Its result is handed to {@link #onResult} on the loop, from within this method only if
     * the call cannot even begin.
     */
    abstract void submit(FileOperation operation);

    /** Whether a write call can itself wait for the medium. */
    abstract boolean canWriteThrough();

    /** Closed and idle: no call will come any more. */
    abstract void release();

    @Override
    public final void read(long offsetBytes, ByteBuf buffer, int index, int lengthBytes, BlockCompletion completion) {
        if (isRefused(offsetBytes, lengthBytes, completion)) {
            return;
        }
        FileOperation operation = newOperation(FileCall.READ, offsetBytes, lengthBytes, completion);
        operation.address = address(buffer, index, lengthBytes);
        start(operation);
    }

    @Override
    public final void write(
            long offsetBytes,
            ByteBuf buffer,
            int index,
            int lengthBytes,
            boolean forceUnitAccess,
            BlockCompletion completion) {
        if (isRefused(offsetBytes, lengthBytes, completion) || isReadOnly(completion)) {
            return;
        }
        FileOperation operation = newOperation(FileCall.WRITE, offsetBytes, lengthBytes, completion);
        operation.address = address(buffer, index, lengthBytes);
        operation.writesThrough = forceUnitAccess && canWriteThrough();
        operation.needsSync = forceUnitAccess && !operation.writesThrough;
        start(operation);
    }

    @Override
    public final void flush(BlockCompletion completion) {
        if (isRefused(0, 0, completion)) {
            return;
        }
        start(newOperation(FileCall.SYNC_DATA, 0, 0, completion));
    }

    @Override
    public final void writeZeroes(
            long offsetBytes,
            long lengthBytes,
            boolean mayDeallocate,
            boolean forceUnitAccess,
            BlockCompletion completion) {
        if (isRefused(offsetBytes, lengthBytes, completion) || isReadOnly(completion)) {
            return;
        }
        FileOperation operation = newOperation(device.zeroCall(mayDeallocate), offsetBytes, lengthBytes, completion);
        operation.prefersHole = mayDeallocate;
        operation.needsSync = forceUnitAccess;
        start(operation);
    }

    @Override
    public final void deallocate(long offsetBytes, long lengthBytes, BlockCompletion completion) {
        writeZeroes(offsetBytes, lengthBytes, true, false, completion);
    }

    @Override
    public final void close() {
        assert loop.inEventLoop();
        abandon();
    }

    /** Nothing is started any more: the channel was closed, or the loop is ending. */
    final void abandon() {
        closed = true;
        while (!waiting.isEmpty()) {
            end(waiting.poll(), BlockError.GONE);
        }
        releaseWhenIdle();
    }

    /**
     * The operation's call has ended.
     *
     * @param result bytes moved, or 0, or a negative errno
     */
    final void onResult(FileOperation operation, long result) {
        if (result < 0) {
            onFailure(operation, (int) -result);
            return;
        }
        if (operation.call.isTransfer()) {
            if (result == 0 && isInside(operation)) {
                // A read of nothing is the end of the file, which was cut under us; a write of nothing may be repeated.
                onFailure(operation, operation.call == FileCall.READ ? Errno.ENODATA : Errno.EAGAIN);
                return;
            }
            operation.advance(result);
            if (operation.lengthBytes > 0 && closed) {
                finish(operation, BlockError.GONE);
                return;
            }
            if (operation.lengthBytes > 0) {
                begin(operation);
                return;
            }
        }
        if (operation.call == FileCall.SYNC_DATA) {
            finishSync(operation, BlockError.NONE);
        } else if (operation.needsSync) {
            sync(operation);
        } else {
            finish(operation, BlockError.NONE);
        }
    }

    private void onFailure(FileOperation operation, int errno) {
        if (Errno.isPassing(errno) && operation.attempts < MAX_ATTEMPTS) {
            operation.attempts++;
            submit(operation);
        } else if (Errno.isUnsupported(errno) && operation.call.isAllocate()) {
            device.doWithout(operation.call);
            operation.call = device.zeroCall(operation.prefersHole);
            submit(operation);
        } else {
            device.logFailure(operation, errno);
            BlockError error = Errno.toBlockError(errno, operation.call == FileCall.READ);
            if (operation.call == FileCall.SYNC_DATA) {
                finishSync(operation, error);
            } else {
                finish(operation, error);
            }
        }
    }

    /**
     * One sync at a time makes durable whatever ended before it began; operations that come meanwhile share the next.
     */
    private void sync(FileOperation operation) {
        operation.call = FileCall.SYNC_DATA;
        operation.attempts = 0;
        awaitingSync.add(operation);
        startSync();
    }

    private void startSync() {
        if (syncing || awaitingSync.isEmpty()) {
            return;
        }
        syncing = true;
        OperationQueue none = sharingSync;
        sharingSync = awaitingSync;
        awaitingSync = none;
        submit(sharingSync.poll());
    }

    private void finishSync(FileOperation operation, BlockError error) {
        finish(operation, error);
        while (!sharingSync.isEmpty()) {
            finish(sharingSync.poll(), error);
        }
        syncing = false;
        startSync();
    }

    private FileOperation newOperation(FileCall call, long offsetBytes, long lengthBytes, BlockCompletion completion) {
        FileOperation operation = unused.isEmpty() ? new FileOperation() : unused.poll();
        operation.call = call;
        operation.offsetBytes = offsetBytes;
        operation.lengthBytes = lengthBytes;
        operation.address = 0;
        operation.writesThrough = false;
        operation.needsSync = false;
        operation.prefersHole = false;
        operation.attempts = 0;
        operation.completion = completion;
        return operation;
    }

    private void start(FileOperation operation) {
        if (operation.lengthBytes == 0 && operation.call != FileCall.SYNC_DATA) {
            end(operation, BlockError.NONE);
            return;
        }
        if (waiting.size() == MAX_WAITING) {
            end(operation, BlockError.BUSY);
            return;
        }
        waiting.add(operation);
        startWaiting();
    }

    /** Not entered again from within, or a run of calls that cannot begin would grow the stack. */
    private void startWaiting() {
        if (starting) {
            return;
        }
        starting = true;
        while (inFlight < MAX_IN_FLIGHT && !waiting.isEmpty()) {
            inFlight++;
            FileOperation operation = waiting.poll();
            if (operation.call == FileCall.SYNC_DATA) {
                sync(operation);
            } else {
                begin(operation);
            }
        }
        starting = false;
    }

    /** Begins a call, unless the device has become shorter since it was asked: a write would make it longer again. */
    private void begin(FileOperation operation) {
        if (isInside(operation)) {
            submit(operation);
        } else {
            finish(operation, BlockError.OUT_OF_RANGE);
        }
    }

    private boolean isInside(FileOperation operation) {
        return device.contains(operation.offsetBytes, operation.lengthBytes);
    }

    private void finish(FileOperation operation, BlockError error) {
        inFlight--;
        end(operation, error);
        startWaiting();
        releaseWhenIdle();
    }

    /** Whatever the completion throws, what the callers still have to do for others must be done. */
    private void end(FileOperation operation, BlockError error) {
        BlockCompletion completion = operation.completion;
        operation.completion = null;
        unused.add(operation);
        try {
            completion.onComplete(error);
        } catch (Throwable e) {
            LOG.error("A completion for {} failed", device.description(), e);
        }
    }

    private void releaseWhenIdle() {
        if (closed && !released && inFlight == 0 && waiting.isEmpty()) {
            released = true;
            release();
            device.onChannelReleased();
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

    private boolean isReadOnly(BlockCompletion completion) {
        if (device.isReadOnly()) {
            completion.onComplete(BlockError.READ_ONLY);
        }
        return device.isReadOnly();
    }

    /** The kernel is given bare addresses, so the bounds are checked here. */
    private static long address(ByteBuf buffer, int index, int lengthBytes) {
        Objects.checkFromIndexSize(index, lengthBytes, buffer.capacity());
        if (buffer.hasMemoryAddress()) {
            return buffer.memoryAddress() + index;
        }
        if (!buffer.isDirect() || buffer.nioBufferCount() != 1) {
            throw new IllegalArgumentException("The buffer must be direct and in one piece: " + buffer);
        }
        return Pointer.wrap(Runtime.getSystemRuntime(), buffer.nioBuffer(index, lengthBytes))
                .address();
    }
}
