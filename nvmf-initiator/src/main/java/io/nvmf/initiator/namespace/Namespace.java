package io.nvmf.initiator.namespace;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.StatusNames;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.IdentifyNamespace.Field;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.DatasetRange;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.nvm.WriteZeroesCommand;
import io.nvmf.initiator.queue.HostQueue;
import io.nvmf.initiator.queue.IoCallback;
import io.nvmf.initiator.queue.QueueSet;
import io.nvmf.initiator.queue.Request;
import io.nvmf.initiator.transport.DataDirection;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A namespace of a connected controller, with the sizes it had when it was identified. Any thread may call any method; no
 * method blocks.
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
 * <p><b>Two ways</b>: the methods that return a future are for convenience; futures complete on an event loop, so what
 * depends on them must not block (or be {@code thenApplyAsync}). They fail with {@link
 * io.nvmf.initiator.queue.NvmeStatusException}, or {@link io.nvmf.initiator.queue.QueueFullException}. The {@code submit}
 * methods allocate nothing, call back on the event loop, and return false when the queue holds as many requests as it may.
 */
public final class Namespace {
    /** Lets the controller's {@link io.nvmf.initiator.queue.QueueSelection} choose. */
    public static final int ANY_QUEUE = -1;

    private static final int MIN_BLOCK_SHIFT = 9;
    private static final int MAX_BLOCK_SHIFT = 24;

    private final long nsid;
    private final IdentifyNamespace identify;
    private final QueueSet queues;
    private final NamespaceLimits limits;
    private final long timeoutMs;
    private final int blockShift;
    private final int maxTransferBlocks;
    private final int maxWriteZeroesBlocks;

    /**
     * @param timeoutMs how long a command may take before the connection counts as dead; 0 = for ever
     * @throws IllegalArgumentException if the namespace is inactive or its format is not supported
     */
    public Namespace(long nsid, IdentifyNamespace identify, QueueSet queues, NamespaceLimits limits, long timeoutMs) {
        if (identify.get(Field.NSZE) == 0) {
            throw new IllegalArgumentException("Namespace " + nsid + " is not active");
        }
        IdentifyNamespace.LbaFormat format = identify.currentLbaFormat();
        if (format.blockShift() < MIN_BLOCK_SHIFT || format.blockShift() > MAX_BLOCK_SHIFT) {
            throw new IllegalArgumentException(
                    "Namespace " + nsid + " has blocks of 2^" + format.blockShift() + " bytes, which is not supported");
        }
        if (format.metadataBytes() != 0) {
            throw new IllegalArgumentException("Namespace " + nsid + " has metadata, which is not supported");
        }
        this.nsid = nsid;
        this.identify = identify;
        this.queues = queues;
        this.limits = limits;
        this.timeoutMs = timeoutMs;
        blockShift = format.blockShift();
        maxTransferBlocks = maxBlocks(limits.transferBytes());
        maxWriteZeroesBlocks =
                limits.writeZeroesBytes() == 0 ? ReadWriteCommand.MAX_BLOCKS : maxBlocks(limits.writeZeroesBytes());
    }

    private int maxBlocks(long bytes) {
        return (int) Math.max(1, Math.min(bytes >> blockShift, ReadWriteCommand.MAX_BLOCKS));
    }

    public long nsid() {
        return nsid;
    }

    public int blockSizeBytes() {
        return 1 << blockShift;
    }

    /** Unsigned. */
    public long blockCount() {
        return identify.get(Field.NSZE);
    }

    public long sizeBytes() {
        return blockCount() << blockShift;
    }

    public IdentifyNamespace identify() {
        return identify;
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
            startCommand(request, Opcode.Nvm.WRITE_ZEROES);
            WriteZeroesCommand.deallocate(request.sqe(), deallocate);
            request.blocks(range.startBlock(), range.blockCount(), maxWriteZeroesBlocks, blockShift);
        });
    }

    /** Tells that the blocks' data is no longer needed. What they read afterwards is for the controller to say. */
    public CompletableFuture<Void> deallocate(List<BlockRange> ranges) {
        return deallocateNext(new Deallocation(ranges, limits));
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
                    request.timeoutMs(timeoutMs)
                            .direction(DataDirection.HOST_TO_CONTROLLER)
                            .add(data);
                })
                .thenCompose(done -> deallocateNext(deallocation));
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
        if (startBlock < 0 || lengthBytes == 0 || (lengthBytes & (1L << blockShift) - 1) != 0) {
            throw new IllegalArgumentException(lengthBytes + " bytes at block " + startBlock
                    + " are not whole blocks of " + blockSizeBytes() + " bytes");
        }
        startCommand(request, opcode);
        request.blocks(startBlock, lengthBytes >> blockShift, maxTransferBlocks, blockShift);
    }

    private void fillFlush(Request request) {
        startCommand(request, Opcode.Nvm.FLUSH);
    }

    private void startCommand(Request request, int opcode) {
        request.timeoutMs(timeoutMs).sqe().clear(opcode).nsid(nsid);
    }
}
