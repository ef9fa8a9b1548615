package io.nvmf.target.queue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.FabricsType;
import io.nvmf.codec.log.ErrorLogEntry;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.command.CommandQueue;
import io.nvmf.target.command.CommandTable;
import io.nvmf.target.command.ScratchBuffers;
import io.nvmf.target.controller.Controller;
import io.nvmf.target.controller.ErrorLog;
import io.nvmf.target.controller.QueueCounters;
import io.nvmf.target.controller.TransportTraits;
import io.nvmf.target.discovery.Listener;
import io.nvmf.target.namespace.BlockTraffic;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.transport.MemoryBlock;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue pair: takes commands from its transport, sees that their data is where it must be, has handlers execute them and
 * the transport complete them. Before Connect it takes one command at a time. Owned by its connection's event loop.
 */
public final class TargetQueue implements CommandQueue {
    /** Fabrics commands, and all of the admin queue, may carry so much in the capsule (NVMe/TCP 1.0 s3.3.1). */
    public static final int FABRICS_CAPSULE_DATA_BYTES = 8192;

    private static final Logger LOG = LoggerFactory.getLogger(TargetQueue.class);
    private static final int PSDT_SGL_METADATA_SEGMENT = 2;
    private static final int MAX_REFUSED_BEFORE_CONNECT = 8;

    private final QueueTransport transport;
    private final TargetLoop loop;
    private final CommandTable commands;
    private final Listener listener;
    private final BufferPool.Share buffers;
    private final QueueCounters counters = new QueueCounters();
    private final AtomicInteger errorsUnderWay = new AtomicInteger();

    private final FusedPairs fusedPairs = new FusedPairs(this);
    private final CommandAborts aborts;

    private Request[] slots = new Request[1];
    private int[] freeSlots = {0};
    private int freeCount = 1;

    private volatile Controller controller;
    private int queueId;
    private boolean flowControl = true;
    private int sqHead;
    private int refusedBeforeConnect;
    private int entriesTaken;
    private volatile boolean closed;
    private boolean drained;

    public TargetQueue(QueueTransport transport, TargetLoop loop, CommandTable commands, Listener listener) {
        this.transport = transport;
        this.loop = loop;
        this.buffers = loop.buffers().share();
        this.aborts = new CommandAborts(buffers, fusedPairs);
        this.commands = commands;
        this.listener = listener;
    }

    // ---- commands come in

    /** A free slot for a command that arrives, or null when the host exceeds the queue's depth. */
    public Request acquire() {
        if (closed) {
            throw new IllegalStateException("a command on a queue that has ended");
        }
        if (freeCount == 0) {
            return null;
        }
        int slot = freeSlots[--freeCount];
        Request request = slots[slot];
        if (request == null) {
            request = new Request(this, slot);
            slots[slot] = request;
        }
        request.begin();
        counters.onCommand();
        return request;
    }

    /** How many commands may be outstanding. */
    public int entries() {
        return slots.length;
    }

    /** The request that holds a slot, or null: for a transfer tag from the wire. */
    public Request request(int slot) {
        return slot < slots.length ? slots[slot] : null;
    }

    /** How much data a capsule may carry. */
    public int maxCapsuleDataBytes(Sqe sqe) {
        return controller == null || queueId == 0 || sqe.opcode() == Opcode.FABRICS
                ? FABRICS_CAPSULE_DATA_BYTES
                : transport.traits().inCapsuleDataBytes();
    }

    /**
     * A command's entry has arrived: checks it. Data of the capsule may follow, into {@link #capsuleBuffer} unless it is taken
     * by {@link #writeInPlace}; then comes {@link #capsuleComplete}.
     */
    public void capsuleReceived(Request request, int capsuleDataBytes) {
        int status = check(request, capsuleDataBytes);
        if (status != Status.SUCCESS) {
            request.refuse(status);
        }
    }

    /** Where data that comes in the capsule belongs; null when the command is refused, for want of memory too, or wants none. */
    public ByteBuf capsuleBuffer(Request request) {
        if (!request.hasDataInCapsule() || request.refusal() != 0) {
            return null;
        }
        if (request.capsuleBuffer() == null) {
            ByteBuf buffer = transport.takeCapsuleBuffer(request);
            if (buffer == null) {
                request.refuse(Status.COMMAND_INTERRUPTED);
            }
            request.capsuleBuffer(buffer);
        }
        return request.capsuleBuffer();
    }

    /**
     * Has the data that came in the capsule stored from where it lies, if that can be done at once.
     *
     * @param source has all of it, as the host sent it; what the capsule carries begins at {@code index}; not kept
     * @return whether it is stored; {@link #capsuleComplete} then completes the command
     */
    public boolean writeInPlace(Request request, ByteBuf source, int index) {
        return request.hasDataInCapsule()
                && request.refusal() == 0
                && !fusedPairs.concerns(request)
                && request.writeNow(source, index + request.capsuleSkip());
    }

    private int check(Request request, int capsuleDataBytes) {
        Sqe sqe = request.sqe();
        boolean sgl = sqe.psdt() == Sqe.PSDT_SGL || sqe.psdt() == PSDT_SGL_METADATA_SEGMENT;
        if (!sgl || sqe.fuse() != 0 && !mayBeFused(sqe)) {
            return Status.INVALID_FIELD | Status.DNR;
        }
        int status = checkState(sqe);
        if (status != Status.SUCCESS) {
            return status;
        }
        CommandHandler handler = commands.find(sqe, controller, queueId);
        if (handler == null) {
            return Status.INVALID_OPCODE | Status.DNR;
        }
        long data = handler.check(request);
        if (data < 0) {
            return CommandHandler.refusal(data);
        }
        request.handler(handler);
        request.dataLength((int) data);
        return data == 0 ? Status.SUCCESS : transport.describeData(request, sqe.sgl1(), capsuleDataBytes);
    }

    private boolean mayBeFused(Sqe sqe) {
        boolean half = sqe.fuse() == Sqe.FUSED_FIRST || sqe.fuse() == Sqe.FUSED_SECOND;
        return half
                && queueId != 0
                && sqe.opcode() != Opcode.FABRICS
                && commands.limits().maxFusedBlocks() > 0;
    }

    /** Connect comes first; without CC.EN only fabrics commands are served. */
    private int checkState(Sqe sqe) {
        boolean fabrics = sqe.opcode() == Opcode.FABRICS;
        if (controller == null) {
            boolean connect = fabrics && sqe.fabricsType() == FabricsType.CONNECT;
            return connect ? Status.SUCCESS : Status.COMMAND_SEQUENCE_ERROR | Status.DNR;
        }
        return fabrics || controller.isReady() ? Status.SUCCESS : Status.COMMAND_SEQUENCE_ERROR | Status.DNR;
    }

    /** The host describes so much data: whether it fits what the command moves. */
    public int checkLength(Request request, long describedBytes) {
        boolean fits = describedBytes == request.dataLength()
                || describedBytes > request.dataLength()
                        && request.handler().acceptsLongerData()
                        && describedBytes <= controller.limits().maxTransferBytes();
        return fits ? Status.SUCCESS : Status.SGL_DATA_LENGTH_INVALID | Status.DNR;
    }

    /** The capsule is complete. @param digestValid whether its data is what the host sent */
    public void capsuleComplete(Request request, boolean digestValid) {
        int intact = digestValid ? Status.SUCCESS : Status.TRANSIENT_TRANSPORT_ERROR;
        int status = request.refusal() != 0 ? request.refusal() : intact;
        if (fusedPairs.concerns(request) && fusedPairs.arrived(request, status)) {
            return;
        }
        if (status != Status.SUCCESS) {
            request.complete(status);
        } else if (request.dataLength() == 0) {
            execute(request);
        } else if (request.hasDataInCapsule()) {
            counters.onInCapsule(request.dataLength());
            if (request.isDataStored()) {
                request.complete(Status.SUCCESS);
            } else {
                execute(request);
            }
        } else if (!request.receivesData() && transport.readInPlace(request)) {
            // Data that is at hand needs no buffer, no wait and no second copy.
            request.complete(Status.SUCCESS);
        } else {
            request.state(RequestState.AWAITING_BUFFER);
            buffers.allocate(request);
        }
    }

    /** Both halves of a fused command have arrived: gets the data that is not there, and executes them. */
    void gatherPair(Request first, Request second) {
        for (Request half : new Request[] {first, second}) {
            if (half.needsBuffer()) {
                half.state(RequestState.AWAITING_BUFFER);
            } else {
                counters.onInCapsule(half.dataLength());
                half.state(RequestState.AWAITING_PARTNER);
            }
        }
        if (first.needsBuffer() || second.needsBuffer()) {
            buffers.allocate(first.needsBuffer() ? first : second);
        } else {
            fusedPairs.execute(first, second);
        }
    }

    /** The request has its buffer. */
    void buffered(Request request) {
        if (request.receivesData()) {
            request.state(RequestState.DATA_PENDING);
            request.fetchStarted(nanoTime());
            transport.fetchData(request);
        } else {
            execute(request);
        }
    }

    /** The host's data is in the request's buffer. @param digestsValid whether it is what the host sent */
    public void dataFetched(Request request, boolean digestsValid) {
        counters.onFetched(request.dataLength());
        if (request.partner() != null) {
            fusedPairs.dataFetched(request, digestsValid);
            return;
        }
        request.state(RequestState.EXECUTING);
        if (request.refusal() != 0) {
            request.complete(request.refusal());
        } else if (digestsValid) {
            request.handler().execute(request);
        } else {
            request.complete(Status.TRANSIENT_TRANSPORT_ERROR);
        }
    }

    private void execute(Request request) {
        request.state(RequestState.EXECUTING);
        request.handler().execute(request);
    }

    // ---- commands go out

    void completed(Request request) {
        request.state(RequestState.COMPLETING);
        try {
            if (!closed && !failsWithItsAssociation(request)) {
                if (!Status.isSuccess(request.status())) {
                    recordError(request);
                }
                if (request.sendsData()) {
                    counters.onSent(request.dataLength());
                }
                sqHead = (sqHead + 1) % slots.length;
                transport.complete(request, flowControl ? sqHead : 0xFFFF);
                if (controller == null && ++refusedBeforeConnect == MAX_REFUSED_BEFORE_CONNECT) {
                    transport.close("nothing but refused commands before Connect");
                }
            }
        } finally {
            free(request);
        }
    }

    /**
     * The association has ended, and this connection will in a moment: what fails meanwhile is not answered. A host takes
     * the loss of its connection for what it is, but a status for the outcome of its command.
     */
    private boolean failsWithItsAssociation(Request request) {
        return !Status.isSuccess(request.status()) && controller != null && controller.isClosed();
    }

    private void free(Request request) {
        MemoryBlock buffer = request.takeBuffer();
        ByteBuf capsuleBuffer = request.takeCapsuleBuffer();
        request.state(RequestState.FREE);
        freeSlots[freeCount++] = request.slot();
        if (capsuleBuffer != null) {
            transport.giveBackCapsuleBuffer(capsuleBuffer);
        }
        if (buffer != null) {
            releaseBuffer(buffer);
        }
        aborts.ended(request);
        if (closed) {
            reportDrained();
        }
    }

    /** Gives back a buffer that was taken from a request. */
    public void releaseBuffer(MemoryBlock buffer) {
        buffers.release(buffer);
    }

    /** A buffer that was taken from a request has been released by whom it was handed to. */
    public void onReleased(MemoryBlock buffer) {
        buffers.onReleased(buffer);
    }

    /** Whether completions carry SQHD, and every read must be followed by one. */
    public boolean usesFlowControl() {
        return flowControl;
    }

    /**
     * The log belongs to the controller's loop; a burst longer than the log is not sent there whole. Aborted commands are
     * no errors.
     */
    private void recordError(Request request) {
        Controller owner = controller;
        if (owner == null || Status.withoutFlags(request.status()) == Status.ABORT_REQUESTED) {
            return;
        }
        ErrorLogEntry entry = CommandErrors.entry(request.sqe(), queueId, request.status(), listener.transport());
        if (owner.adminQueue().loop().inEventLoop()) {
            owner.errorLog().add(entry);
            return;
        }
        if (errorsUnderWay.incrementAndGet() > ErrorLog.ENTRIES) {
            errorsUnderWay.decrementAndGet();
            return;
        }
        owner.adminQueue().loop().execute(() -> {
            errorsUnderWay.decrementAndGet();
            owner.errorLog().add(entry);
        });
    }

    // ---- as controller and handlers see it

    @Override
    public IoEventLoop loop() {
        return loop.loop();
    }

    @Override
    public TransportTraits traits() {
        return transport.traits();
    }

    @Override
    public int unfitConnectField(int queueId, int sqSizeZeroBased) {
        return transport.unfitConnectField(queueId, sqSizeZeroBased);
    }

    @Override
    public String peer() {
        return transport.peer();
    }

    @Override
    public InetSocketAddress localAddress() {
        return transport.localAddress();
    }

    @Override
    public QueueCounters counters() {
        return counters;
    }

    @Override
    public Controller controller() {
        return controller;
    }

    @Override
    public int queueId() {
        return queueId;
    }

    @Override
    public Listener listener() {
        return listener;
    }

    @Override
    public long nanoTime() {
        return loop.clock().getAsLong();
    }

    @Override
    public BlockChannel channel(Namespace namespace) {
        return loop.channels().to(namespace);
    }

    ScratchBuffers scratch() {
        return loop.scratch();
    }

    @Override
    public BlockTraffic blocks() {
        return loop.blocks();
    }

    @Override
    public boolean takeEntries(int entries) {
        loop.entries().giveBack(entriesTaken);
        entriesTaken = loop.entries().tryTake(entries) ? entries : 0;
        return entriesTaken != 0;
    }

    /** Grows from the one slot of Connect, which is in use, to SQSIZE + 1. */
    @Override
    public void connected(Controller connectedTo, int queueId, int sqSizeZeroBased, boolean flowControl) {
        if (closed) {
            connectedTo.adminQueue().loop().execute(() -> connectedTo.drained(this));
            return;
        }
        int depth = sqSizeZeroBased + 1;
        Request connect = slots[0];
        slots = new Request[depth];
        slots[0] = connect;
        freeSlots = new int[depth];
        freeCount = 0;
        for (int slot = depth - 1; slot > 0; slot--) {
            freeSlots[freeCount++] = slot;
        }
        this.queueId = queueId;
        this.flowControl = flowControl;
        this.controller = connectedTo;
        // The data of Connect is none of the controller's.
        counters.clear();
        loop.queues().add(this);
        transport.connected();
    }

    /** What the queue has done so far. Any thread, once there is a controller. */
    public QueueReport report() {
        Controller owner = controller;
        return new QueueReport(
                listener.transport(), peer(), owner.subsystem().nqn(), owner.id(), queueId, DataCounts.of(counters));
    }

    /** Counts this queue, which has a controller, into a sum. */
    void addTo(Traffic sum) {
        sum.connected(listener.transport(), controller.subsystem().nqn(), counters);
    }

    @Override
    public void close(String reason) {
        if (loop.loop().inEventLoop()) {
            transport.close(reason);
        } else {
            loop.loop().execute(() -> transport.close(reason));
        }
    }

    @Override
    public void abort(int commandId, Consumer<Boolean> answer) {
        loop.loop().execute(() -> answer.accept(aborts.abort(slots, commandId)));
    }

    @Override
    public CompletableFuture<Void> abortCommands(long nsid) {
        return CompletableFuture.supplyAsync(() -> aborts.abortAll(slots, nsid), loop.loop())
                .thenCompose(Function.identity());
    }

    // ---- the end

    @Override
    public boolean isClosed() {
        return closed;
    }

    /**
     * The connection has ended. Commands that wait end now; those which a handler or the backend has end when it is done,
     * without an answer. When the last one has, the controller is told: nothing of this queue changes a block any more.
     */
    public void closed() {
        if (closed) {
            return;
        }
        closed = true;
        // First, so that no buffer that comes free is handed to a request of this queue.
        buffers.cancelAll();
        for (Request request : slots) {
            boolean ours = request != null
                    && switch (request.state()) {
                        case RECEIVED, AWAITING_BUFFER, DATA_PENDING, AWAITING_PARTNER -> true;
                        case FREE, EXECUTING, COMPLETING -> false;
                    };
            if (ours) {
                free(request);
            }
        }
        buffers.cancelled();
        Controller owner = controller;
        if (owner != null) {
            loop.queues().remove(this);
            loop.traffic().ended(listener.transport(), owner.subsystem().nqn(), counters);
            if (queueId != 0) {
                LOG.info("{}: {}", peer(), report());
            }
            owner.adminQueue().loop().execute(() -> owner.ended(this));
        }
        reportDrained();
    }

    private void reportDrained() {
        if (drained || freeCount < slots.length) {
            return;
        }
        drained = true;
        loop.entries().giveBack(entriesTaken);
        transport.drained();
        Controller owner = controller;
        if (owner != null) {
            owner.adminQueue().loop().execute(() -> owner.drained(this));
        }
    }

    /** How long the host has owed the data, or the second half, of the command for which it was asked first, in ns; 0 when it owes none. */
    public long owesDataSinceNanos(long nowNanos) {
        long longest = 0;
        for (Request request : slots) {
            if (request != null && (request.awaitsData() || fusedPairs.awaitsSecond(request))) {
                longest = Math.max(longest, nowNanos - request.fetchStartedNanos());
            }
        }
        return longest;
    }
}
