package io.nvmf.initiator.queue;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.StatusNames;
import io.nvmf.initiator.transport.Command;
import io.nvmf.initiator.transport.ConnectionException;
import io.nvmf.initiator.transport.QueueConnection;
import io.nvmf.initiator.transport.QueueConnectionListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A submission and completion queue pair. Requests come from any thread through {@link #acquire} and {@link #submit};
 * everything else happens on the event loop that owns the queue and its connection. Slots, requests and command
 * identifiers are made once; the path of a request allocates nothing and takes no lock.
 */
public final class HostQueue implements QueueConnectionListener {
    private static final Logger LOG = LoggerFactory.getLogger(HostQueue.class);

    private static final int FUSED_COMMANDS = 2;

    private enum State {
        /** There is no connection: requests wait for one, or fail. */
        DISCONNECTED,
        /** A connection is being set up: urgent requests alone are sent. */
        CONNECTING,
        LIVE,
        /** No connection will come: requests fail. */
        CLOSED
    }

    private final QueueOptions options;
    private final IoEventLoop loop;
    private final LongSupplier nanoTime;
    private final RequestPool pool;
    private final Handover handover = new Handover();
    private final Runnable drainTask = this::drain;

    private final RequestFifo urgent = new RequestFifo();
    private final RequestFifo waiting = new RequestFifo();
    private final Command[] commands;
    private final Request[] requests;
    private final CommandTimers timers;
    private final int[] freeSlots;
    private int freeCount;

    /** How many slots requests that are not urgent may use, which other threads read, and use. */
    private volatile int ordinarySlots;

    private int ordinaryOutstanding;
    /** Commands that are out, of all kinds. */
    private int outstanding;
    /** The same for other threads, a little late. */
    private final AtomicInteger load = new AtomicInteger();

    private CompletableFuture<Void> idle = CompletableFuture.completedFuture(null);
    private State state = State.DISCONNECTED;
    /** Whether requests wait while there is no connection. */
    private boolean holding;

    private int lossStatus = Status.HOST_PATHING_ERROR;
    private volatile ConnectionException lossReason;
    private QueueConnection connection;
    /** The last connection that was lost before it was attached, and why. */
    private QueueConnection lostEarly;

    private ConnectionException earlyReason;
    private QueueListener listener;
    private ScheduledFuture<?> ticker;

    /**
     * @param loop owns the queue
     * @param nanoTime the clock, as {@link System#nanoTime}
     */
    public HostQueue(QueueOptions options, IoEventLoop loop, LongSupplier nanoTime) {
        this.options = options;
        this.loop = loop;
        this.nanoTime = nanoTime;
        holding = true;
        int slots = options.slots();
        pool = new RequestPool(slots + options.waitingRequests());
        commands = new Command[slots];
        requests = new Request[slots];
        timers = new CommandTimers(slots);
        freeSlots = new int[slots];
        for (int i = 0; i < slots; i++) {
            commands[i] = new Command(i);
        }
        useSlots(slots);
    }

    /** Begins with the first {@code slots} slots free, and no others. */
    private void useSlots(int slots) {
        for (int i = 0; i < slots; i++) {
            freeSlots[i] = slots - 1 - i;
        }
        freeCount = slots;
        ordinarySlots = slots - options.reservedSlots();
    }

    /** For messages. */
    public String name() {
        return options.name();
    }

    public IoEventLoop loop() {
        return loop;
    }

    // ---- Any thread

    /** How many commands are out, more or less. */
    public int load() {
        return load.get();
    }

    /**
     * How many commands can be out at a time, by the sizes that were agreed on with the controller; of no meaning before the queue
     * was connected. Further requests wait in this host.
     */
    public int maxOutstanding() {
        return ordinarySlots;
    }

    /** A blank request, or null when as many are in use as the queue holds. */
    public Request acquire() {
        return pool.acquire();
    }

    /**
     * A blank request.
     *
     * @throws QueueFullException when as many are in use as the queue holds
     */
    public Request acquireOrThrow() {
        Request request = pool.acquire();
        if (request == null) {
            throw new QueueFullException(options.name(), pool.size());
        }
        return request;
    }

    /** Gives back a request that was not submitted after all. */
    public void release(Request request) {
        request.release();
    }

    /**
     * Takes the request over. Its callback is called exactly once, never inside this method, unless the event loop has
     * ended.
     */
    public void submit(Request request) {
        if (loop.inEventLoop() && state == State.LIVE) {
            accept(request);
            pump();
        } else if (handover.put(request)) {
            wake();
        }
    }

    /**
     * Sends one request and answers with its result. For what is not the data path: it allocates.
     *
     * @param what the subject of an error message: {@code Identify}
     * @param fill fills the request in, but for its callback
     * @return DW0 in the low and DW1 in the high half; completes on the event loop. Fails with {@link
     *     NvmeStatusException}, {@link QueueFullException}, or what {@code fill} throws
     */
    public CompletableFuture<Long> execute(String what, StatusNames.Kind kind, Consumer<Request> fill) {
        CompletableFuture<Long> done = new CompletableFuture<>();
        Request request = null;
        try {
            request = acquireOrThrow();
            fill.accept(request);
        } catch (RuntimeException e) {
            if (request != null) {
                release(request);
            }
            return CompletableFuture.failedFuture(e);
        }
        submit(request.callback((status, result) -> {
            if (Status.isSuccess(status)) {
                done.complete(result);
            } else {
                done.completeExceptionally(new NvmeStatusException(what, status, kind, causeOf(status)));
            }
        }));
        return done;
    }

    /**
     * Sends a fused pair of commands, one directly behind the other. Both callbacks are called, as for any request; with
     * {@link Status#INVALID_QUEUE_SIZE} when the queue never has room for two.
     *
     * @throws QueueFullException when as many requests are in use as the queue holds; nothing happens then
     */
    public void submitFused(Consumer<Request> fillFirst, Consumer<Request> fillSecond) {
        Request first = acquireOrThrow();
        Request second = null;
        boolean filled = false;
        try {
            second = acquireOrThrow();
            fillFirst.accept(first);
            fillSecond.accept(second);
            filled = true;
        } finally {
            if (!filled) {
                release(first);
                if (second != null) {
                    release(second);
                }
            }
        }
        first.sqe().fuse(Sqe.FUSED_FIRST);
        second.sqe().fuse(Sqe.FUSED_SECOND);
        first.repeatable(false).fused = second;
        second.repeatable(false);
        submit(first);
    }

    /** One sentence that says why the connection is gone. Any thread, once a request has failed for it. */
    public String lossMessage() {
        ConnectionException reason = lossReason;
        return reason != null ? reason.getMessage() : options.name() + " is closed";
    }

    /** Why the connection is gone, if a status says that it is; else null. */
    private ConnectionException causeOf(int status) {
        return Status.sct(status) == Status.TYPE_PATH ? lossReason : null;
    }

    private void wake() {
        try {
            loop.execute(drainTask);
        } catch (RejectedExecutionException e) {
            for (Request request = handover.takeAll(); request != null; ) {
                Request next = request.next;
                failUnsent(request, Status.ABORTED_BY_HOST);
                request = next;
            }
        }
    }

    // ---- Event loop

    /**
     * Begins to send over an initialized connection, urgent requests only until {@link #resume}. Whoever had the queue
     * before must have {@linkplain #disconnect let go} of it.
     */
    public void attach(QueueConnection connection, QueueListener listener) {
        assert loop.inEventLoop();
        if (state == State.CLOSED) {
            connection.close(lossReason);
            return;
        }
        this.connection = connection;
        this.listener = listener;
        idle = new CompletableFuture<>();
        state = State.CONNECTING;
        boolean lost = connection == lostEarly;
        lostEarly = null;
        if (lost) {
            onLost(connection, earlyReason);
        } else if (connection.maxCommands() <= options.reservedSlots()) {
            onLost(
                    connection,
                    new ConnectionException(
                            options.name() + " takes only " + connection.maxCommands() + " commands at a time"));
        } else {
            int room = Math.min(connection.maxCommands(), connection.sqSizeZeroBased());
            useSlots(Math.min(commands.length, room));
            ticker = loop.scheduleAtFixedRate(this::tick, options.tickMs(), options.tickMs(), TimeUnit.MILLISECONDS);
            pump();
        }
    }

    /** Sends all requests from now on, if the connection is still there. */
    public void resume() {
        assert loop.inEventLoop();
        if (state == State.CONNECTING) {
            state = State.LIVE;
            holding = options.holdsRequests();
            pump();
        }
    }

    /**
     * Ends the connection; the listener hears nothing. Requests that are not done wait or fail, see {@link QueueOptions}.
     *
     * @return completes on the loop when the connection has let go of the last buffer
     */
    public CompletableFuture<Void> disconnect(ConnectionException reason) {
        assert loop.inEventLoop();
        if (state == State.CONNECTING || state == State.LIVE) {
            drop(State.DISCONNECTED, reason);
        }
        return idle;
    }

    /** Requests that wait for a connection fail, and so does every one until {@link #resume}. */
    public void failRequests(ConnectionException reason) {
        assert loop.inEventLoop();
        if (state == State.DISCONNECTED || state == State.CONNECTING) {
            lossReason = reason;
            holding = false;
            failOrdinary();
        }
    }

    /**
     * Ends the queue for good: what is not done fails. The listener hears nothing.
     *
     * @param status what requests fail with from now on
     * @return completes on the loop when the connection lets go of the last buffer and all requests have failed
     */
    public CompletableFuture<Void> close(int status, ConnectionException reason) {
        assert loop.inEventLoop();
        if (state != State.CLOSED) {
            lossStatus = status;
            holding = false;
            drop(State.CLOSED, reason);
        }
        return idle;
    }

    private void drain() {
        for (Request request = handover.takeAll(); request != null; ) {
            Request next = request.next;
            accept(request);
            request = next;
        }
        if (state == State.CLOSED) {
            failWaiting();
        } else if (state != State.LIVE && !holding) {
            failOrdinary();
        }
        pump();
    }

    private void accept(Request request) {
        request.begin();
        if (request.fused != null) {
            request.fused.begin();
        }
        if (!isConnected() && request.failsOver()) {
            failUnsent(request, lossStatus);
            return;
        }
        (request.isUrgent() ? urgent : waiting).add(request);
    }

    /** Sends while there are requests and slots. */
    private void pump() {
        if (state != State.LIVE && state != State.CONNECTING) {
            return;
        }
        boolean sent = false;
        while (freeCount > 0 && urgent.peek() != null) {
            sendNext(urgent);
            sent = true;
        }
        while (state == State.LIVE && waiting.peek() != null && hasRoomFor(waiting.peek())) {
            sendNext(waiting);
            sent = true;
        }
        if (sent) {
            connection.flushLater();
        }
    }

    private boolean hasRoomFor(Request request) {
        int needed = request.fused == null ? 1 : Math.min(FUSED_COMMANDS, ordinarySlots);
        return freeCount >= needed && ordinaryOutstanding + needed <= ordinarySlots;
    }

    /** Sends the next command of the oldest request, which leaves the list with its last command. */
    private void sendNext(RequestFifo fifo) {
        Request request = fifo.peek();
        int refusal = request.refusal();
        if (!Status.isSuccess(refusal)) {
            fifo.poll();
            failUnsent(request, refusal);
            return;
        }
        if (request.fused != null) {
            fifo.poll();
            sendFused(request, request.fused);
            return;
        }
        if (!request.isAllIssued()) {
            send(request);
        }
        if (request.isAllIssued()) {
            fifo.poll();
        }
    }

    private void sendFused(Request first, Request second) {
        if (ordinarySlots < FUSED_COMMANDS) {
            failUnsent(first, Status.INVALID_QUEUE_SIZE);
            return;
        }
        first.fused = null;
        send(first);
        send(second);
    }

    private void send(Request request) {
        int slot = freeSlots[--freeCount];
        Command command = commands[slot];
        int lengthBytes = request.nextCommand();
        requests[slot] = request;
        load.lazySet(++outstanding);
        request.outstanding++;
        ordinaryOutstanding += request.isUrgent() ? 0 : 1;
        timers.start(slot, request.timeoutMs());
        command.start(request.sqe(), request.direction(), lengthBytes);
        command.data().set(request.cursor);
        request.cursor.advance(lengthBytes);
        connection.send(command);
    }

    @Override
    public Command command(int commandId) {
        int slot = Command.slotOf(commandId);
        if (slot >= commands.length) {
            return null;
        }
        Command command = commands[slot];
        return command.isOutstanding() && command.commandId() == commandId ? command : null;
    }

    @Override
    public void onAnswered(Command command) {
        int slot = command.slot();
        Request request = requests[slot];
        int status = command.status();
        long result = command.result();
        requests[slot] = null;
        ordinaryOutstanding -= request.isUrgent() ? 0 : 1;
        timers.stop(slot);
        command.finish();
        freeSlots[freeCount++] = slot;
        load.lazySet(--outstanding);
        request.commandDone(status, result);
        if (request.isDone()) {
            dropUnsent(request);
            if (mayRepeat(request)) {
                request.repeat();
                waiting.add(request);
            } else {
                complete(request);
            }
        }
        if (isConnected()) {
            pump();
        } else {
            endIfIdle();
        }
    }

    private boolean isConnected() {
        return state == State.CONNECTING || state == State.LIVE;
    }

    /** It failed with its connection alone, and waits for the next. */
    private boolean mayRepeat(Request request) {
        return state == State.DISCONNECTED
                && holding
                && !request.failsOver()
                && request.isRepeatable()
                && Status.withoutFlags(request.status()) == Status.HOST_PATHING_ERROR;
    }

    /** A request whose first commands failed may still head its list, with commands that will not be sent. */
    private void dropUnsent(Request request) {
        if (waiting.peek() == request) {
            waiting.poll();
        } else if (urgent.peek() == request) {
            urgent.poll();
        }
    }

    @Override
    public void onLost(QueueConnection lost, ConnectionException reason) {
        if (lost != connection) {
            lostEarly = lost;
            earlyReason = reason;
        } else if (isConnected()) {
            drop(State.DISCONNECTED, reason);
            listener.onLost(reason);
        }
    }

    private void drop(State next, ConnectionException reason) {
        state = next;
        lossReason = reason;
        if (ticker != null) {
            ticker.cancel(false);
        }
        if (connection != null) {
            connection.close(reason);
        }
        for (Command command : commands) {
            if (command.isOutstanding()) {
                command.answer(lossStatus, 0);
                if (!command.isLent()) {
                    onAnswered(command);
                }
            }
        }
        failAll(urgent);
        if (holding) {
            failThoseThatFailOver();
        } else {
            failOrdinary();
        }
        endIfIdle();
    }

    private void endIfIdle() {
        if (outstanding == 0) {
            idle.complete(null);
        }
    }

    private void failThoseThatFailOver() {
        RequestFifo all = new RequestFifo();
        for (Request request = waiting.poll(); request != null; request = waiting.poll()) {
            all.add(request);
        }
        for (Request request = all.poll(); request != null; request = all.poll()) {
            if (request.failsOver()) {
                failUnsent(request, lossStatus);
            } else {
                waiting.add(request);
            }
        }
    }

    private void failOrdinary() {
        failAll(waiting);
    }

    private void failWaiting() {
        failAll(urgent);
        failOrdinary();
    }

    private void failAll(RequestFifo fifo) {
        for (Request request = fifo.poll(); request != null; request = fifo.poll()) {
            failUnsent(request, lossStatus);
        }
    }

    /** Fails a request of which nothing more will be sent, and with it the second one of a pair. */
    private void failUnsent(Request request, int status) {
        Request second = request.fused;
        request.fail(status);
        if (request.isDone()) {
            complete(request);
        }
        if (second != null) {
            failUnsent(second, status);
        }
    }

    /** Has a late command aborted; ends the connection when that does not help either: nothing is known of the others then. */
    private void tick() {
        long now = nanoTime.getAsLong();
        for (int slot = 0; slot < commands.length && isConnected(); slot++) {
            if (timers.isLate(slot, now)) {
                onLate(slot);
            }
        }
    }

    private void onLate(int slot) {
        long timeoutMs = requests[slot].timeoutMs();
        String what = String.format(
                "%s did not answer a command (opcode %02Xh) within %d ms",
                options.name(), requests[slot].sqe().opcode(), timeoutMs);
        if (timers.wasExtended(slot)) {
            what += ", nor when it was to be aborted";
        } else if (listener.onLate(commands[slot].commandId())) {
            LOG.warn("{}; it is to be aborted", what);
            timers.extend(slot);
            return;
        }
        LOG.warn("{}", what);
        connection.close(new ConnectionException(what));
    }

    private void complete(Request request) {
        if (!request.isTakenOver(this)) {
            request.complete();
        }
    }
}
