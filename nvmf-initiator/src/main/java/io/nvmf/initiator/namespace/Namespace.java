package io.nvmf.initiator.namespace;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.StatusNames;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.IdentifyNamespace.Field;
import io.nvmf.codec.log.AnaLog;
import io.nvmf.codec.nvm.CopyCommand;
import io.nvmf.codec.nvm.CopyRange;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.DatasetRange;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.nvm.WriteZeroesCommand;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.queue.IoCallback;
import io.nvmf.initiator.queue.IoQueues;
import io.nvmf.initiator.queue.QueueFullException;
import io.nvmf.initiator.queue.Request;
import io.nvmf.initiator.queue.RequestOwner;
import io.nvmf.initiator.transport.DataDirection;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A namespace of a connected controller. Its size changes when the controller tells so; while it is gone, requests fail with
 * {@link Status#INVALID_NAMESPACE_OR_FORMAT}. Any thread may call any method; no method blocks.
 *
 * <p><b>Buffers</b> are direct. The bytes between position and limit are read or written; together they are whole blocks.
 * A buffer is lent from the call until the request is done, and sockets and RDMA devices use it where it lies: until then its
 * bytes must not be changed, or, when reading, not be looked at; nor may its position and limit be changed. Several
 * writes may share a buffer. Afterwards position and limit are as they were.
 *
 * <p><b>Size</b>: a request that is larger than one command may be is split, and done once, with the first failure. It is
 * not atomic then. Requests that are outstanding together have no order, except that nothing submitted after a request is
 * done can be carried out before it.
 *
 * <p><b>Changes</b> of its size are told to {@link #addChangeListener}.
 *
 * <p><b>Two ways</b>: the methods that return a future are for convenience; futures complete on an event loop, so what
 * depends on them must not block (or be {@code thenApplyAsync}). They fail with {@link
 * io.nvmf.initiator.queue.NvmeStatusException}, or {@link io.nvmf.initiator.queue.QueueFullException}. The {@code submit}
 * methods allocate nothing, call back on the event loop, and return false when the queue holds as many requests as it may.
 */
public final class Namespace implements RequestOwner {
    /** Lets the controller's {@link io.nvmf.initiator.queue.QueueSelection} choose. */
    public static final int ANY_QUEUE = -1;

    private final long nsid;
    private final IoQueues queues;
    private volatile Shape shape;
    /** What requests fail with while the namespace is gone. */
    private volatile int refusal = Status.SUCCESS;

    private volatile long changedNanos = System.nanoTime();
    private final List<Runnable> changeListeners = new CopyOnWriteArrayList<>();
    private volatile int anaState = AnaLog.STATE_OPTIMIZED;

    private final long timeoutMs;

    /**
     * @param timeoutMs how long a command may take before the connection counts as dead; 0 = for ever
     * @throws IllegalArgumentException if the namespace is inactive or its format is not supported
     */
    public Namespace(long nsid, IdentifyNamespace identify, IoQueues queues, NamespaceLimits limits, long timeoutMs) {
        this.nsid = nsid;
        this.queues = queues;
        this.timeoutMs = timeoutMs;
        shape = new Shape(nsid, identify, limits);
    }

    public long nsid() {
        return nsid;
    }

    public int blockSizeBytes() {
        return 1 << shape.blockShift;
    }

    /** Unsigned. */
    public long blockCount() {
        return shape.identify.get(Field.NSZE);
    }

    public long sizeBytes() {
        return blockCount() << shape.blockShift;
    }

    public IdentifyNamespace identify() {
        return shape.identify;
    }

    // ---- Changes, told by the controller

    /**
     * How this controller reaches the namespace (ANA), see {@link AnaLog}; {@link AnaLog#STATE_OPTIMIZED} when it does
     * not tell.
     */
    public int anaState() {
        return anaState;
    }

    public void anaState(int anaState) {
        this.anaState = anaState;
    }

    /**
     * Takes over what Identify says now; a namespace that was gone is there again.
     *
     * @return false if blocks have another format: this object cannot go on then
     */
    public boolean update(IdentifyNamespace identify, NamespaceLimits limits) {
        Shape next;
        try {
            next = new Shape(nsid, identify, limits);
        } catch (IllegalArgumentException e) {
            return false;
        }
        if (next.blockShift != shape.blockShift) {
            return false;
        }
        shape = next;
        refusal = Status.SUCCESS;
        changed();
        return true;
    }

    /** The namespace is gone: whatever was not sent fails with the status, until {@link #update}. */
    public void retire(int status) {
        refusal = status;
        changed();
    }

    private void changed() {
        changedNanos = System.nanoTime();
        changeListeners.forEach(Runnable::run);
    }

    /** When it was last told of, in {@link System#nanoTime}. */
    public long changedNanos() {
        return changedNanos;
    }

    /** Called after each change of the size and at the end of the namespace; must not block. */
    public void addChangeListener(Runnable listener) {
        changeListeners.add(listener);
    }

    /** How large one command may be. */
    public NamespaceLimits limits() {
        return shape.limits;
    }

    @Override
    public IoQueues queues() {
        return queues;
    }

    /** The same namespace, whose requests go another way. Changes of either do not reach the other. */
    public Namespace over(IoQueues other) {
        Shape now = shape;
        return new Namespace(nsid, now.identify, other, now.limits, timeoutMs);
    }

    @Override
    public int refusal() {
        return refusal;
    }

    // ---- Futures

    /**
     * Reads blocks from {@code startBlock} on into the buffers. Over RDMA it is the controller that writes the data, and no
     * host can see that one which answers with success has written none of it, or only some: the rest reads as zeros then,
     * or stays what it was in memory that is registered. Over TCP such a read fails.
     */
    public CompletableFuture<Void> read(long startBlock, ByteBuffer... buffers) {
        return execute("Read", request -> fillTransfer(request, Opcode.Nvm.READ, startBlock, null, buffers));
    }

    /** Writes the buffers to blocks from {@code startBlock} on. A later {@link #flush} makes sure of them. */
    public CompletableFuture<Void> write(long startBlock, ByteBuffer... buffers) {
        return execute("Write", request -> fillTransfer(request, Opcode.Nvm.WRITE, startBlock, null, buffers));
    }

    /** As {@link #write}, and the data is on the medium when it is done (FUA). */
    public CompletableFuture<Void> writeThrough(long startBlock, ByteBuffer... buffers) {
        return execute("Write", request -> {
            fillTransfer(request, Opcode.Nvm.WRITE, startBlock, null, buffers);
            ReadWriteCommand.forceUnitAccess(request.sqe(), true);
        });
    }

    /** Brings every write that was done before to the medium. */
    public CompletableFuture<Void> flush() {
        return execute("Flush", this::fillFlush);
    }

    /**
     * Makes blocks read as zeros.
     *
     * @param deallocate whether the controller may give their space back
     */
    public CompletableFuture<Void> writeZeroes(long startBlock, long blockCount, boolean deallocate) {
        BlockRange range = new BlockRange(startBlock, blockCount);
        return execute("Write Zeroes", request -> {
            fillRange(request, Opcode.Nvm.WRITE_ZEROES, range, shape.maxWriteZeroesBlocks);
            WriteZeroesCommand.deallocate(request.sqe(), deallocate);
        });
    }

    /**
     * Compares blocks from {@code startBlock} on with the buffers; fails with {@link
     * io.nvmf.codec.Status#COMPARE_FAILURE} when they differ.
     */
    public CompletableFuture<Void> compare(long startBlock, ByteBuffer... buffers) {
        return execute("Compare", request -> fillTransfer(request, Opcode.Nvm.COMPARE, startBlock, null, buffers));
    }

    /**
     * Writes blocks if they hold what is expected, as one fused pair of commands: no other command comes in between where
     * the controller can do it (FUSES). It is not split; the controller takes no more than ACWU, or NACWU, blocks.
     *
     * @param expected whole blocks, lent as all buffers are
     * @param replacement as long; at most half of what one command may transfer
     * @return whether they did and were written; fails with {@link FusedCommandException} for any other reason
     */
    public CompletableFuture<Boolean> compareAndWrite(long startBlock, ByteBuffer expected, ByteBuffer replacement) {
        int lengthBytes = expected.remaining();
        long maxBytes = Math.min(shape.limits.transferBytes() / 2, (long) shape.maxTransferBlocks << shape.blockShift);
        if (lengthBytes != replacement.remaining() || lengthBytes > maxBytes) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("Compare and Write takes twice the same"
                    + " length, at most " + maxBytes + " bytes, not " + lengthBytes + " and "
                    + replacement.remaining()));
        }
        CompareAndWrite pair = new CompareAndWrite("Compare and Write of namespace " + nsid);
        try {
            queues.select()
                    .submitFused(
                            request -> {
                                fillTransfer(request, Opcode.Nvm.COMPARE, startBlock, expected, null);
                                request.callback((status, result) -> pair.onCompared(status));
                            },
                            request -> {
                                fillTransfer(request, Opcode.Nvm.WRITE, startBlock, replacement, null);
                                request.callback((status, result) -> pair.onWritten(status));
                            });
        } catch (IllegalArgumentException | QueueFullException e) {
            return CompletableFuture.failedFuture(e);
        }
        return pair.future();
    }

    /** Reads blocks within the controller and checks that it can; no data is transferred. */
    public CompletableFuture<Void> verify(long startBlock, long blockCount) {
        BlockRange range = new BlockRange(startBlock, blockCount);
        return execute("Verify", request -> fillRange(request, Opcode.Nvm.VERIFY, range, shape.maxVerifyBlocks));
    }

    /** Makes blocks fail to be read until they are written again. */
    public CompletableFuture<Void> writeUncorrectable(long startBlock, long blockCount) {
        BlockRange range = new BlockRange(startBlock, blockCount);
        return execute(
                "Write Uncorrectable",
                request ->
                        fillRange(request, Opcode.Nvm.WRITE_UNCORRECTABLE, range, shape.maxWriteUncorrectableBlocks));
    }

    /**
     * Copies blocks within the namespace, one source after the other, to where {@code targetBlock} begins. More than one
     * command may copy (MSSRL, MCL, MSRC) is copied by several, one after the other; where the target overlaps sources
     * the outcome is for the controller to say.
     */
    public CompletableFuture<Void> copy(List<BlockRange> sources, long targetBlock) {
        IdentifyNamespace identify = shape.identify;
        return copyNext(
                new CopyPlan(
                        sources,
                        (int) identify.get(Field.MSRC) + 1,
                        (int) identify.get(Field.MSSRL),
                        identify.get(Field.MCL)),
                targetBlock);
    }

    private CompletableFuture<Void> copyNext(CopyPlan plan, long targetBlock) {
        if (!plan.hasNext()) {
            return CompletableFuture.completedFuture(null);
        }
        long at = targetBlock + plan.copiedBlocks();
        ByteBuffer data = plan.next();
        return execute("Copy", request -> {
                    CopyCommand.encode(request.sqe(), nsid, at, data.remaining() / CopyRange.BYTES);
                    prepare(request).direction(DataDirection.HOST_TO_CONTROLLER).add(data);
                })
                .thenCompose(done -> copyNext(plan, targetBlock));
    }

    /** Tells that the blocks' data is no longer needed. What they read afterwards is for the controller to say. */
    public CompletableFuture<Void> deallocate(List<BlockRange> ranges) {
        return deallocateNext(new Deallocation(ranges, shape.limits));
    }

    private CompletableFuture<Void> deallocateNext(Deallocation deallocation) {
        if (!deallocation.hasNext()) {
            return CompletableFuture.completedFuture(null);
        }
        ByteBuffer data = deallocation.next();
        return execute("Dataset Management", request -> {
                    DatasetManagementCommand.encode(
                            request.sqe(),
                            nsid,
                            data.remaining() / DatasetRange.BYTES,
                            DatasetManagementCommand.DEALLOCATE);
                    prepare(request)
                            .repeatable(true)
                            .direction(DataDirection.HOST_TO_CONTROLLER)
                            .add(data);
                })
                .thenCompose(done -> deallocateNext(deallocation));
    }

    /** The reservations of this namespace. */
    public Reservations reservations() {
        return new Reservations(this, shape.limits.transferBytes());
    }

    /** The namespace as a file. */
    public NamespaceChannel channel(boolean writable) {
        return new NamespaceChannel(this, writable);
    }

    /** Sends one command, never twice. */
    CompletableFuture<Long> command(String what, Consumer<Sqe> fill, DataDirection direction, ByteBuffer data) {
        return queues.select().execute(what + " of namespace " + nsid, StatusNames.Kind.IO_NVM, request -> {
            fill.accept(request.sqe());
            prepare(request).direction(direction).add(data);
        });
    }

    private CompletableFuture<Void> execute(String what, Consumer<Request> fill) {
        return queues.select()
                .execute(what + " of namespace " + nsid, StatusNames.Kind.IO_NVM, fill)
                .thenAccept(result -> {});
    }

    // ---- Callbacks

    /**
     * Reads blocks from {@code startBlock} on into the buffer.
     *
     * @param queue an I/O queue, from 0, or {@link #ANY_QUEUE}
     * @return false if the queue is full: nothing happens then
     */
    public boolean submitRead(int queue, long startBlock, ByteBuffer buffer, IoCallback callback) {
        return submit(queue, Opcode.Nvm.READ, startBlock, buffer, null, false, callback);
    }

    /** As the method above, into several buffers; the array is not kept. */
    public boolean submitRead(int queue, long startBlock, ByteBuffer[] buffers, IoCallback callback) {
        return submit(queue, Opcode.Nvm.READ, startBlock, null, buffers, false, callback);
    }

    /**
     * Writes the buffer to blocks from {@code startBlock} on.
     *
     * @param queue an I/O queue, from 0, or {@link #ANY_QUEUE}
     * @param forceUnitAccess whether the data must be on the medium when the request is done
     * @return false if the queue is full: nothing happens then
     */
    public boolean submitWrite(
            int queue, long startBlock, ByteBuffer buffer, boolean forceUnitAccess, IoCallback callback) {
        return submit(queue, Opcode.Nvm.WRITE, startBlock, buffer, null, forceUnitAccess, callback);
    }

    /** As the method above, from several buffers; the array is not kept. */
    public boolean submitWrite(
            int queue, long startBlock, ByteBuffer[] buffers, boolean forceUnitAccess, IoCallback callback) {
        return submit(queue, Opcode.Nvm.WRITE, startBlock, null, buffers, forceUnitAccess, callback);
    }

    /** As {@link #flush}; false if the queue is full. */
    public boolean submitFlush(int queue, IoCallback callback) {
        HostQueue hostQueue = queue(queue);
        Request request = hostQueue.acquire();
        if (request == null) {
            return false;
        }
        fillFlush(request);
        hostQueue.submit(request.callback(callback));
        return true;
    }

    private HostQueue queue(int queue) {
        return queue == ANY_QUEUE ? queues.select() : queues.get(queue);
    }

    private boolean submit(
            int queue,
            int opcode,
            long startBlock,
            ByteBuffer buffer,
            ByteBuffer[] buffers,
            boolean forceUnitAccess,
            IoCallback callback) {
        HostQueue hostQueue = queue(queue);
        Request request = hostQueue.acquire();
        if (request == null) {
            return false;
        }
        boolean filled = false;
        try {
            fillTransfer(request, opcode, startBlock, buffer, buffers);
            ReadWriteCommand.forceUnitAccess(request.sqe(), forceUnitAccess);
            filled = true;
        } finally {
            if (!filled) {
                hostQueue.release(request);
            }
        }
        hostQueue.submit(request.callback(callback));
        return true;
    }

    // ---- Filling in

    private void fillTransfer(Request request, int opcode, long startBlock, ByteBuffer buffer, ByteBuffer[] buffers) {
        request.direction(
                opcode == Opcode.Nvm.READ ? DataDirection.CONTROLLER_TO_HOST : DataDirection.HOST_TO_CONTROLLER);
        if (buffer != null) {
            request.add(buffer);
        } else {
            for (ByteBuffer one : buffers) {
                request.add(one);
            }
        }
        long lengthBytes = request.dataBytes();
        Shape now = shape;
        if (startBlock < 0 || lengthBytes == 0 || (lengthBytes & (1L << now.blockShift) - 1) != 0) {
            throw new IllegalArgumentException(lengthBytes + " bytes at block " + startBlock
                    + " are not whole blocks of " + (1 << now.blockShift) + " bytes");
        }
        startCommand(request, opcode);
        request.blocks(startBlock, lengthBytes >> now.blockShift, now.maxTransferBlocks, now.blockShift);
    }

    private void fillRange(Request request, int opcode, BlockRange range, int maxBlocks) {
        startCommand(request, opcode);
        request.blocks(range.startBlock(), range.blockCount(), maxBlocks, shape.blockShift);
    }

    private void fillFlush(Request request) {
        startCommand(request, Opcode.Nvm.FLUSH);
    }

    private void startCommand(Request request, int opcode) {
        prepare(request).sqe().clear(opcode).nsid(nsid);
        request.repeatable(true);
    }

    private Request prepare(Request request) {
        return request.owner(this).timeoutMs(timeoutMs);
    }
}
