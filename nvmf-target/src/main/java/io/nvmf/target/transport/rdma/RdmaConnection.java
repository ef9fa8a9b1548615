package io.nvmf.target.transport.rdma;

import io.netty.buffer.ByteBuf;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.target.command.CommandTable;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.controller.TransportTraits;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.queue.QueueTransport;
import io.nvmf.target.queue.Request;
import io.nvmf.target.queue.TargetLoop;
import io.nvmf.target.queue.TargetQueue;
import io.nvmf.target.transport.Deadlines;
import io.nvmf.target.transport.HostConnection;
import io.nvmf.transport.MemoryBlock;
import io.nvmf.transport.rdma.CompletionPoller;
import io.nvmf.transport.rdma.Completions;
import io.nvmf.transport.rdma.QueuePair;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One RDMA connection, which is one queue: capsules come as SENDs of the host, data moves by RDMA READ and WRITE, responses
 * go as SENDs. All that one turn of the loop brings about is posted together. Owned by its event loop.
 */
final class RdmaConnection implements QueueTransport, HostConnection, CompletionPoller.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaConnection.class);

    // The kinds of work, in the high half of a work id; the number of the receive or operation is in the low half.
    private static final long KIND = 0xFFFF_FFFF_0000_0000L;
    static final long RECEIVE = 0;
    private static final long SEND = 1L << 32;
    private static final long READ = 2L << 32;
    private static final long WRITE = 3L << 32;

    private enum State {
        /** Commands and data flow. */
        OPEN,
        /** The control loop is destroying the queue pair; until then the device may touch all memory it was given. */
        CLOSING,
        CLOSED
    }

    private final RdmaLink link;
    private final TargetLoop loop;
    private final TargetQueue queue;
    private final QueueRequest requested;
    private final QueueMemory memory;
    private final RegisteredSlab pool;
    private final QueueSize size;
    private final SglReader sgls;
    private final TransportTraits traits;
    private final long openedNanos;
    private final Runnable flushTask = this::flushScheduled;

    private final Operation[] operations;
    private final Operation[] operationOfSlot;
    private final int[] freeOperations;
    private int freeCount;

    /** Capsules for which no operation is free: the receive's number, and the length in its high half. */
    private final long[] heldBack;

    private int firstHeldBack;
    private int heldBackCount;

    /** Whose data is to be fetched, and who has a response to be sent. */
    private final ArrayDeque<Operation> fetches;

    private final ArrayDeque<Operation> answers;

    private State state = State.OPEN;
    private QueuePair pair;
    private CompletionPoller.Polled completions;
    private SendQueue sends;
    private boolean flushScheduled;
    private boolean inBatch;

    /** Made on the control loop. */
    RdmaConnection(RdmaLink link, QueueSetup setup, CommandTable commands, Listener listener) {
        this.link = link;
        this.loop = link.loop().target();
        this.queue = new TargetQueue(this, loop, commands, listener);
        this.requested = setup.request();
        this.memory = setup.memory();
        this.pool = setup.pool();
        this.size = setup.size();
        this.sgls = new SglReader(queue);
        this.traits = setup.traits();
        this.openedNanos = loop.clock().getAsLong();
        int count = size.operations();
        operations = new Operation[count];
        operationOfSlot = new Operation[requested.depth()];
        freeOperations = new int[count];
        for (int i = count - 1; i >= 0; i--) {
            freeOperations[freeCount++] = i;
        }
        heldBack = new long[size.receives()];
        fetches = new ArrayDeque<>(count);
        answers = new ArrayDeque<>(count);
    }

    /** Serves the queue from now on; the first call on its loop. The queue pair and its completions stay the link's. */
    void start(QueuePair newPair, CompletionPoller.Polled newCompletions) {
        pair = newPair;
        completions = newCompletions;
        sends = new SendQueue(pair, size);
        link.loop().group().add(this);
        completions.start();
    }

    // ---- completions come in

    @Override
    public void onCompletions(Completions batch, int count) {
        inBatch = true;
        try {
            for (int i = 0; i < count && state == State.OPEN; i++) {
                if (batch.status(i) == Completions.SUCCESS) {
                    completed(batch.workId(i), batch.lengthBytes(i));
                } else {
                    failed(batch.workId(i), batch.status(i));
                }
            }
        } catch (RuntimeException e) {
            LOG.error("{}: closing the connection after an error of our own", peer(), e);
            close("internal error");
        } finally {
            inBatch = false;
        }
    }

    @Override
    public void onBatchesDone() {
        flush();
    }

    @Override
    public void onBroken() {
        fail("its completion queue is broken");
    }

    private void completed(long workId, int lengthBytes) {
        int number = (int) workId;
        long kind = workId & KIND;
        if (kind == RECEIVE) {
            received(number, lengthBytes);
        } else if (kind == SEND) {
            sends.completed();
            answered(operations[number]);
        } else if (kind == READ) {
            sends.completed();
            fetched(operations[number]);
        }
    }

    /** Work was flushed because the connection has ended, or it is what ends it. */
    private void failed(long workId, int status) {
        if (status == Completions.FLUSHED) {
            LOG.debug("{}: work was flushed", peer());
            close("the connection broke");
            return;
        }
        long kind = workId & KIND;
        String what = kind == RECEIVE ? "receiving a capsule" : kind == SEND ? "sending a response" : "moving data";
        fail(what + " failed: " + Completions.statusName(status));
    }

    private void fail(String reason) {
        if (state == State.OPEN) {
            LOG.warn("{}: ending the connection: {}", peer(), reason);
            close(reason);
        }
    }

    // ---- capsules come in

    private void received(int receive, int lengthBytes) {
        if (lengthBytes < Sqe.BYTES) {
            fail("a capsule of " + lengthBytes + " bytes is too short");
        } else if (freeCount == 0) {
            // One more than there are receives is not possible.
            heldBack[(firstHeldBack + heldBackCount++) % heldBack.length] = (long) lengthBytes << 32 | receive;
        } else {
            command(receive, lengthBytes - Sqe.BYTES);
        }
    }

    private void command(int receive, int dataBytes) {
        Request request = queue.acquire();
        if (request == null) {
            fail("more commands outstanding than the queue has entries");
            return;
        }
        Operation operation = takeOperation();
        operation.begin(request, receive);
        operationOfSlot[request.slot()] = operation;
        request.entry(memory.entries(receive), memory.entryOffset(receive));
        queue.capsuleReceived(request, dataBytes);
        queue.capsuleBuffer(request);
        queue.capsuleComplete(request, true);
    }

    private Operation takeOperation() {
        int number = freeOperations[--freeCount];
        if (operations[number] == null) {
            operations[number] = new Operation(number);
        }
        return operations[number];
    }

    /** The host has the response, and the device has read what it was to send. */
    private void answered(Operation operation) {
        if (operation.sending != null) {
            queue.releaseBuffer(operation.sending);
            operation.sending = null;
        }
        freeOperations[freeCount++] = operation.number;
        if (heldBackCount > 0) {
            long held = heldBack[firstHeldBack];
            firstHeldBack = (firstHeldBack + 1) % heldBack.length;
            heldBackCount--;
            command((int) held, (int) (held >> 32) - Sqe.BYTES);
        }
    }

    private void fetched(Operation operation) {
        if (++operation.piecesFetched == operation.pieces) {
            queue.dataFetched(operation.request, true);
        }
    }

    // ---- what the queue asks for

    @Override
    public TransportTraits traits() {
        return traits;
    }

    @Override
    public String peer() {
        return link.peer();
    }

    @Override
    public InetSocketAddress localAddress() {
        return link.localAddress();
    }

    @Override
    public int unfitConnectField(int queueId, int sqSizeZeroBased) {
        if (queueId != requested.queueId()) {
            return ConnectCommand.QUEUE_ID_OFFSET;
        }
        return sqSizeZeroBased > requested.sendQueueSizeZeroBased() ? ConnectCommand.SQ_SIZE_OFFSET : 0;
    }

    @Override
    public void connected() {
        link.connected();
    }

    @Override
    public int describeData(Request described, SglDescriptor sgl, int capsuleDataBytes) {
        Operation operation = operationOfSlot[described.slot()];
        ByteBuffer capsuleData = capsuleDataBytes == 0 ? null : memory.dataView(operation.receive);
        return sgls.read(operation, sgl, capsuleData, capsuleDataBytes);
    }

    /** The data is where it came in, unless the host has put it behind something: a device wants it on a page. */
    @Override
    public ByteBuf takeCapsuleBuffer(Request described) {
        MemoryBlock data = memory.data(operationOfSlot[described.slot()].receive);
        if (described.capsuleSkip() > 0) {
            data.setBytes(0, data, described.capsuleSkip(), described.dataLength());
        }
        return data;
    }

    /** It belongs to its receive, which is posted again with the response. */
    @Override
    public void giveBackCapsuleBuffer(ByteBuf buffer) {}

    @Override
    public void fetchData(Request waiting) {
        if (state == State.OPEN) {
            fetches.add(operationOfSlot[waiting.slot()]);
            flushSoon();
        }
    }

    @Override
    public void complete(Request done, int sqhd) {
        if (state != State.OPEN) {
            return;
        }
        Operation operation = operationOfSlot[done.slot()];
        operationOfSlot[done.slot()] = null;
        operation.request = null;
        memory.response(operation.number, done.result(), sqhd, done.sqe().commandId(), done.status());
        if (done.sendsData()) {
            operation.sending = done.takeBuffer();
        }
        answers.add(operation);
        // Before the response, which lets the host send the next command.
        if (!memory.postReceive(pair, RECEIVE | operation.receive, operation.receive)) {
            close("the queue pair is broken");
            return;
        }
        flushSoon();
    }

    // ---- work goes out

    /** What one batch of completions brings about is posted when it is done; other work at the end of the loop's turn. */
    private void flushSoon() {
        if (!inBatch && !flushScheduled) {
            flushScheduled = true;
            loop.loop().execute(flushTask);
        }
    }

    private void flushScheduled() {
        flushScheduled = false;
        flush();
    }

    private void flush() {
        if (state != State.OPEN || fetches.isEmpty() && answers.isEmpty()) {
            return;
        }
        long nowNanos = loop.clock().getAsLong();
        while (!answers.isEmpty() && sends.hasPlacesForAnswer(writesOf(answers.peek()))) {
            answer(answers.poll(), nowNanos);
        }
        while (!fetches.isEmpty() && sends.hasPlaceForRead()) {
            Operation operation = fetches.peek();
            fetchNext(operation, nowNanos);
            if (operation.piecesAsked == operation.pieces) {
                fetches.poll();
            }
        }
        if (!sends.post()) {
            close("the queue pair is broken");
        }
    }

    private static int writesOf(Operation operation) {
        return operation.sending == null ? 0 : operation.pieces;
    }

    private void answer(Operation operation, long nowNanos) {
        if (operation.sending != null) {
            writeData(operation);
        }
        long workId = SEND | operation.number;
        long address = memory.responseAddress(operation.number);
        int key = memory.responseKey(operation.number);
        if (operation.invalidates) {
            pair.addSendWithInvalidate(workId, address, Cqe.BYTES, key, operation.invalidatedKey);
        } else {
            pair.addSend(workId, address, Cqe.BYTES, key, 0, 0, 0);
        }
        sends.sendAdded(nowNanos);
    }

    private void writeData(Operation operation) {
        long from = pool.address(operation.sending);
        int key = pool.key(operation.sending);
        for (int i = 0; i < operation.pieces; i++) {
            int length = operation.lengths[i];
            pair.addWrite(WRITE | operation.number, from, length, key, operation.addresses[i], operation.keys[i]);
            sends.writeAdded();
            queue.counters().onSendRequest();
            from += length;
        }
    }

    private void fetchNext(Operation operation, long nowNanos) {
        MemoryBlock buffer = operation.request.buffer();
        int piece = operation.piecesAsked++;
        int length = operation.lengths[piece];
        pair.addRead(
                READ | operation.number,
                pool.address(buffer) + operation.bytesAsked,
                length,
                pool.key(buffer),
                operation.addresses[piece],
                operation.keys[piece]);
        operation.bytesAsked += length;
        sends.readAdded(nowNanos);
        queue.counters().onFetchRequest();
    }

    // ---- the end

    @Override
    public void tick(long nowNanos) {
        Controller controller = queue.controller();
        if (controller == null && nowNanos - openedNanos > Deadlines.CONNECT_NANOS) {
            fail(Deadlines.NO_CONNECT);
        } else if (sends.underWayNanos(nowNanos) > Deadlines.STALL_NANOS) {
            fail("the host takes no responses, or gives no data");
        } else if (queue.owesDataSinceNanos(nowNanos) > Deadlines.TRANSFER_NANOS) {
            fail("the host gives the data of a command too slowly");
        } else if (controller != null && queue.queueId() == 0) {
            controller.checkKeepAlive(nowNanos);
        }
    }

    @Override
    public void close(String reason) {
        if (state == State.OPEN) {
            LOG.debug("{}: connection closed: {}", peer(), reason);
            state = State.CLOSING;
            completions.remove();
            link.loop().group().remove(this);
            link.end();
        }
    }

    /** The queue pair is no more: nothing but backends touches the memory of commands now. */
    void ended() {
        state = State.CLOSED;
        for (Operation operation : operations) {
            if (operation != null && operation.sending != null) {
                queue.releaseBuffer(operation.sending);
                operation.sending = null;
            }
        }
        queue.closed();
    }

    @Override
    public void drained() {
        link.release();
    }
}
