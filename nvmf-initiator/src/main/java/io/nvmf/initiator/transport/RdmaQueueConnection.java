package io.nvmf.initiator.transport;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.Cqe;
import io.nvmf.transport.rdma.CompletionPoller;
import io.nvmf.transport.rdma.Completions;
import io.nvmf.transport.rdma.QueuePair;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The host end of one NVMe/RDMA connection (NVMe-oF 1.1 s7): sends command capsules and takes responses. The controller
 * moves data itself, by the keys that commands carry; so memory that a command has shown it is not used for anything else
 * before the response has come or, when the connection ends, before the queue pair is destroyed. What the controller sends
 * is checked; a breach ends the connection. Owned by its data loop; allocates nothing per command.
 */
final class RdmaQueueConnection implements QueueConnection, CompletionPoller.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaQueueConnection.class);

    /** Marks the work of receives; the rest of a work id is a place or a slot. */
    private static final long RECEIVE = 1L << 32;

    private enum State {
        /** Not accepted yet. */
        OPENING,
        READY,
        /** No more work is posted; the queue pair is being destroyed. */
        CLOSING,
        CLOSED
    }

    private final String name;
    private final RdmaLink link;
    private final HostDevice device;
    private final RdmaQueueMemory memory;
    private final QueueConnectionListener listener;
    private final IoEventLoop loop;
    private final RdmaSlot[] slots;
    private final Cqe cqe = new Cqe();
    private final Runnable flushTask = this::flushNow;

    private QueuePair queuePair;
    private CompletionPoller.Polled completions;
    private int maxCommands;
    private State state = State.OPENING;
    /** Commands that wait for pages, oldest first. */
    private RdmaSlot waitingHead;

    private RdmaSlot waitingTail;
    /** How many of them belong to a fused pair: nothing may pass those. */
    private int fusedWaiting;

    private boolean insideCompletions;
    private boolean flushWanted;
    private boolean flushScheduled;

    RdmaQueueConnection(
            RdmaLink link,
            QueueSetup setup,
            IoEventLoop loop,
            HostDevice device,
            RdmaQueueMemory memory,
            QueueConnectionListener listener) {
        this.name = setup.name();
        this.link = link;
        this.loop = loop;
        this.device = device;
        this.memory = memory;
        this.listener = listener;
        PagePool pool = new PagePool(memory.pageCount());
        slots = new RdmaSlot[memory.commands()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new RdmaSlot(i, memory, setup.capsule(), pool);
        }
    }

    /** The controller has accepted: from now on this loop owns queue pair and completions. */
    void begin(QueuePair queuePair, CompletionPoller.Polled completions, int maxCommands) {
        this.queuePair = queuePair;
        this.completions = completions;
        this.maxCommands = maxCommands;
        state = State.READY;
        completions.start();
    }

    static long sendId(int slot) {
        return slot;
    }

    static long receiveId(int place) {
        return RECEIVE | place;
    }

    @Override
    public int sqSizeZeroBased() {
        return memory.commands();
    }

    @Override
    public int maxCommands() {
        return maxCommands;
    }

    // ---- Sending

    @Override
    public void send(Command command) {
        RdmaSlot slot = slots[command.slot()];
        slot.begin(command);
        if (fusedWaiting == 0 && !slot.isFused() && placeWithoutPages(slot)) {
            slot.addSend(queuePair);
        } else {
            fusedWaiting += slot.isFused() ? 1 : 0;
            enqueue(slot);
            sendWaiting();
        }
    }

    private boolean placeWithoutPages(RdmaSlot slot) {
        Registrations known = device.registrations();
        return slot.command().lengthBytes() == 0 || !known.isEmpty() && slot.placeInRegistered(known);
    }

    private void enqueue(RdmaSlot slot) {
        slot.next = null;
        if (waitingHead == null) {
            waitingHead = slot;
        } else {
            waitingTail.next = slot;
        }
        waitingTail = slot;
    }

    private void sendWaiting() {
        while (waitingHead != null && (placeWithoutPages(waitingHead) || waitingHead.placeInPages())) {
            RdmaSlot slot = waitingHead;
            fusedWaiting -= slot.isFused() ? 1 : 0;
            waitingHead = slot.next;
            slot.next = null;
            slot.addSend(queuePair);
            flushWanted = true;
        }
    }

    @Override
    public void flushLater() {
        flushWanted = true;
        if (!insideCompletions && !flushScheduled) {
            flushScheduled = true;
            loop.execute(flushTask);
        }
    }

    private void flushNow() {
        flushScheduled = false;
        flush();
    }

    private void flush() {
        if (flushWanted && state == State.READY) {
            flushWanted = false;
            if (!queuePair.post()) {
                closed();
            }
        }
    }

    // ---- Receiving

    @Override
    public void onCompletions(Completions batch, int count) {
        insideCompletions = true;
        for (int i = 0; i < count && state == State.READY; i++) {
            onCompletion(batch, i);
        }
    }

    @Override
    public void onBatchesDone() {
        insideCompletions = false;
        flush();
    }

    @Override
    public void onBroken() {
        close(lost("its completion queue is broken"));
    }

    private void onCompletion(Completions batch, int i) {
        long id = batch.workId(i);
        boolean isReceive = (id & RECEIVE) != 0;
        int status = batch.status(i);
        if (status == Completions.FLUSHED) {
            closed();
        } else if (status != Completions.SUCCESS) {
            close(lost((isReceive ? "a receive" : "a send") + " failed: " + Completions.statusName(status)));
        } else if (isReceive) {
            onResponse((int) id, batch, i);
        } else {
            RdmaSlot slot = slots[(int) id];
            slot.onSendDone();
            endIfDone(slot);
        }
    }

    private ConnectionException lost(String why) {
        return new ConnectionException("The connection to " + name + " is lost: " + why);
    }

    /** @param place where it lies */
    private void onResponse(int place, Completions batch, int i) {
        if (batch.hasInvalidatedKey(i)) {
            breach(String.format("it invalidated key %08Xh, which it was not asked to", batch.invalidatedKey(i)));
            return;
        }
        if (batch.lengthBytes(i) != Cqe.BYTES) {
            breach("it sent a response of " + batch.lengthBytes(i) + " bytes");
            return;
        }
        cqe.wrap(memory.entries(), memory.responseOffset(place));
        int commandId = cqe.commandId();
        Command command = listener.command(commandId);
        RdmaSlot slot = command == null ? null : slots[command.slot()];
        if (slot == null || slot.command() != command || !slot.awaitsResponse()) {
            breach("response to unknown CID " + commandId);
            return;
        }
        slot.onAnswered(cqe.status(), cqe.result());
        if (!memory.postReceive(queuePair, place)) {
            closed();
            return;
        }
        endIfDone(slot);
    }

    private void endIfDone(RdmaSlot slot) {
        if (slot.isDone()) {
            Command command = slot.end();
            sendWaiting();
            listener.onAnswered(command);
        }
    }

    // ---- Ending

    /**
     * Work was flushed, or the queue pair takes no more, which it is never given more of than it holds: it is in error. Which
     * end it was, or that the device is gone, the connection manager tells, but perhaps later.
     */
    private void closed() {
        close(new ConnectionException("The connection to " + name + " was closed"));
    }

    private void breach(String what) {
        LOG.warn("{}: {}", name, what);
        close(new ConnectionException(name + " broke the protocol: " + what));
    }

    @Override
    public void close(ConnectionException reason) {
        if (state == State.READY) {
            state = State.CLOSING;
            completions.remove();
            link.destroyFor(this::onDestroyed);
            listener.onLost(this, reason);
        }
    }

    /** Nobody touches the commands' memory any more: it is the callers' again, with the answers that were given. */
    private void onDestroyed() {
        state = State.CLOSED;
        waitingHead = null;
        fusedWaiting = 0;
        for (RdmaSlot slot : slots) {
            if (slot.command() != null) {
                listener.onAnswered(slot.end());
            }
        }
    }

    @Override
    public String toString() {
        return name + " " + state;
    }
}
