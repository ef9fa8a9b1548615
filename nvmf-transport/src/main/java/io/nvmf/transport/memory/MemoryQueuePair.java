package io.nvmf.transport.memory;

import io.nvmf.transport.memory.WorkQueue.Kind;
import io.nvmf.transport.memory.WorkQueue.Work;
import io.nvmf.transport.rdma.Completions;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.QueuePairSize;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does the work of one end, in the thread that posts it or lets it go on. */
final class MemoryQueuePair implements QueuePair {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryQueuePair.class);

    // Of ibv_wc_status.
    private static final int LOCAL_LENGTH_ERROR = 1;
    private static final int LOCAL_PROTECTION_ERROR = 4;
    private static final int REMOTE_INVALID_REQUEST = 9;
    private static final int REMOTE_ACCESS_ERROR = 10;
    private static final int REMOTE_OPERATION_ERROR = 11;
    private static final int RETRIES_EXCEEDED = 12;

    private enum State {
        /** Takes receives. */
        UNCONNECTED,
        CONNECTED,
        /** Takes nothing; what was posted is flushed. */
        ERROR,
        CLOSED
    }

    private final MemoryConnectionManager manager;
    private final MemoryRdma rdma;
    private final MemoryCompletionQueue completions;
    private final WorkQueue sends;
    private final WorkQueue receives;
    private final MemoryCompletionQueue.Entry entry = new MemoryCompletionQueue.Entry();
    private State state = State.UNCONNECTED;
    private MemoryQueuePair peer;
    private MemoryConnection connection;
    private int readDepth;
    private int readsOutstanding;

    /** With the lock held. */
    MemoryQueuePair(MemoryConnectionManager manager, MemoryCompletionQueue completions, QueuePairSize size) {
        this.manager = manager;
        this.rdma = manager.rdma;
        this.completions = completions;
        sends = new WorkQueue(size.sends());
        receives = new WorkQueue(size.receives());
        completions.add(this);
        rdma.opened(MemoryRdma.Kind.QUEUE_PAIR);
    }

    @Override
    public boolean postReceive(
            long workId, long address1, int length1, int key1, long address2, int length2, int key2) {
        synchronized (rdma) {
            if (!isUsable(state == State.UNCONNECTED)) {
                return false;
            }
            second(receives.add(Kind.RECEIVE, workId, address1, length1, key1), address2, length2, key2);
            receives.post();
            if (state == State.CONNECTED) {
                peer.advance();
            }
            return true;
        }
    }

    @Override
    public void addSend(long workId, long address1, int length1, int key1, long address2, int length2, int key2) {
        synchronized (rdma) {
            if (isConnected()) {
                second(sends.add(Kind.SEND, workId, address1, length1, key1), address2, length2, key2);
            }
        }
    }

    @Override
    public void addSendWithInvalidate(long workId, long address, int length, int key, int invalidatedKey) {
        synchronized (rdma) {
            if (isConnected()) {
                sends.add(Kind.SEND_WITH_INVALIDATE, workId, address, length, key).remoteKey = invalidatedKey;
            }
        }
    }

    @Override
    public void addWrite(long workId, long address, int length, int key, long remoteAddress, int remoteKey) {
        synchronized (rdma) {
            if (isConnected()) {
                remote(sends.add(Kind.WRITE, workId, address, length, key), remoteAddress, remoteKey);
            }
        }
    }

    @Override
    public void addRead(long workId, long address, int length, int key, long remoteAddress, int remoteKey) {
        synchronized (rdma) {
            if (isConnected()) {
                Work work = sends.add(Kind.READ, workId, address, length, key);
                remote(work, remoteAddress, remoteKey);
                work.isReadTooMany = ++readsOutstanding > readDepth;
            }
        }
    }

    @Override
    public boolean post() {
        synchronized (rdma) {
            if (!isConnected()) {
                return false;
            }
            sends.post();
            advance();
            return state == State.CONNECTED;
        }
    }

    private boolean isConnected() {
        if (state == State.UNCONNECTED) {
            throw new IllegalStateException("the queue pair is not connected yet");
        }
        return isUsable(false);
    }

    /** Whether work can be posted; the control loop may while nothing is connected. */
    private boolean isUsable(boolean byControlLoop) {
        if (state == State.CLOSED) {
            throw new IllegalStateException("the queue pair is closed");
        }
        if (!byControlLoop || !manager.loop.inEventLoop()) {
            MemoryRdma.requireLoop(completions.channel.loop);
        }
        return state != State.ERROR;
    }

    private static void second(Work work, long address, int length, int key) {
        work.addresses[1] = address;
        work.lengths[1] = length;
        work.keys[1] = key;
    }

    private static void remote(Work work, long address, int key) {
        work.remoteAddress = address;
        work.remoteKey = key;
    }

    @Override
    public void close() {
        MemoryRdma.requireLoop(manager.loop);
        synchronized (rdma) {
            destroy();
        }
    }

    // With the lock held from here on.

    MemoryCompletionQueue completions() {
        return completions;
    }

    void connect(MemoryQueuePair other, MemoryConnection newConnection, int agreedReadDepth) {
        if (state == State.UNCONNECTED) {
            peer = other;
            connection = newConnection;
            readDepth = agreedReadDepth;
            state = State.CONNECTED;
        }
    }

    void destroy() {
        if (state != State.CLOSED) {
            state = State.CLOSED;
            completions.remove(this);
            rdma.closed(MemoryRdma.Kind.QUEUE_PAIR);
        }
    }

    /** Flushes everything. */
    void fail() {
        if (state != State.UNCONNECTED && state != State.CONNECTED) {
            return;
        }
        state = State.ERROR;
        rdma.releaseSendCompletions(this);
        sends.dropAdded();
        flush(sends);
        flush(receives);
    }

    private void flush(WorkQueue queue) {
        for (Work work = queue.peek(); work != null; work = queue.peek()) {
            complete(queue, work, Completions.FLUSHED);
        }
    }

    /** Does what is posted, in its order, until there is nothing or the peer has no receive for a SEND. */
    void advance() {
        Work work = sends.peek();
        while (work != null && state == State.CONNECTED && !connection.isCut() && !rdma.isPaused()) {
            boolean isPeerGone = peer.state == State.ERROR || peer.state == State.CLOSED;
            if (!isPeerGone && isToWait(work)) {
                return;
            }
            int status = isPeerGone ? RETRIES_EXCEEDED : execute(work);
            if (state != State.CONNECTED) {
                return; // its completion queue has overflowed meanwhile
            }
            if (status == Completions.SUCCESS) {
                rdma.worked(work);
                completeDone(work);
            } else {
                complete(sends, work, status);
                fail();
                if (status != LOCAL_PROTECTION_ERROR) {
                    peer.fail();
                }
            }
            work = sends.peek();
        }
    }

    /** Whether the peer is not there yet, or has no receive for a message. */
    private boolean isToWait(Work work) {
        return peer.state == State.UNCONNECTED || isToBeReceived(work) && peer.receives.peek() == null;
    }

    private static boolean isToBeReceived(Work work) {
        return work.kind == Kind.SEND || work.kind == Kind.SEND_WITH_INVALIDATE;
    }

    private int execute(Work work) {
        for (int i = 0; i < 2; i++) {
            if (work.lengths[i] != 0
                    && manager.device.local(work.keys[i], work.addresses[i], work.lengths[i]) == null) {
                return LOCAL_PROTECTION_ERROR;
            }
        }
        return isToBeReceived(work) ? send(work) : move(work);
    }

    /** READ and WRITE. */
    private int move(Work work) {
        if (work.isReadTooMany) {
            LOG.warn("more than the {} RDMA READs outstanding that were agreed", readDepth);
            return REMOTE_INVALID_REQUEST;
        }
        int length = work.lengths[0];
        if (length == 0) {
            return Completions.SUCCESS;
        }
        RegisteredMemory local = manager.device.local(work.keys[0], work.addresses[0], length);
        RegisteredMemory remote = peer.manager.device.remote(work.remoteKey, work.remoteAddress, length);
        if (remote == null) {
            return REMOTE_ACCESS_ERROR;
        }
        if (work.kind == Kind.READ) {
            RegisteredMemory.copy(remote, work.remoteAddress, local, work.addresses[0], length);
        } else {
            RegisteredMemory.copy(local, work.addresses[0], remote, work.remoteAddress, length);
        }
        return Completions.SUCCESS;
    }

    private int send(Work work) {
        Work receive = peer.receives.peek();
        if (work.lengthBytes() > receive.lengthBytes()) {
            peer.complete(peer.receives, receive, LOCAL_LENGTH_ERROR);
            return REMOTE_INVALID_REQUEST;
        }
        if (!scatter(work, receive)) {
            peer.complete(peer.receives, receive, LOCAL_PROTECTION_ERROR);
            return REMOTE_OPERATION_ERROR;
        }
        boolean invalidates = work.kind == Kind.SEND_WITH_INVALIDATE;
        if (invalidates && !peer.manager.device.invalidate(work.remoteKey)) {
            return REMOTE_ACCESS_ERROR;
        }
        peer.received(receive, work, invalidates);
        return Completions.SUCCESS;
    }

    /** Copies a message into the memory of a receive that is long enough; false when the receive names no such memory. */
    private boolean scatter(Work from, Work to) {
        int toPiece = 0;
        int toOffset = 0;
        for (int piece = 0; piece < 2; piece++) {
            int offset = 0;
            while (offset < from.lengths[piece]) {
                if (toOffset == to.lengths[toPiece]) {
                    toPiece++;
                    toOffset = 0;
                    continue;
                }
                int length = Math.min(from.lengths[piece] - offset, to.lengths[toPiece] - toOffset);
                long toAddress = to.addresses[toPiece] + toOffset;
                RegisteredMemory target = peer.manager.device.local(to.keys[toPiece], toAddress, length);
                if (target == null) {
                    return false;
                }
                long fromAddress = from.addresses[piece] + offset;
                RegisteredMemory source = manager.device.local(from.keys[piece], fromAddress, length);
                RegisteredMemory.copy(source, fromAddress, target, toAddress, length);
                offset += length;
                toOffset += length;
            }
        }
        return true;
    }

    private void received(Work receive, Work message, boolean isInvalidated) {
        fill(receives, receive, Completions.SUCCESS);
        entry.lengthBytes = (int) message.lengthBytes();
        entry.hasInvalidated = isInvalidated;
        entry.invalidatedKey = isInvalidated ? message.remoteKey : 0;
        completions.push(entry);
    }

    /** Work of the send queue is done: a WRITE is silent, and frees its place with the next that is not. */
    private void completeDone(Work work) {
        if (work.kind == Kind.WRITE) {
            sends.complete();
        } else {
            fill(sends, work, Completions.SUCCESS);
            rdma.sendCompleted(entry);
        }
    }

    private void complete(WorkQueue queue, Work work, int status) {
        fill(queue, work, status);
        completions.push(entry);
    }

    private void fill(WorkQueue queue, Work work, int status) {
        entry.queuePair = this;
        entry.workId = work.workId;
        entry.status = status;
        entry.lengthBytes = 0;
        entry.hasInvalidated = false;
        entry.invalidatedKey = 0;
        entry.kind = work.kind;
        entry.freedUpTo = queue.complete();
    }

    /** A completion has been polled. */
    void polled(MemoryCompletionQueue.Entry completion) {
        if (completion.kind == Kind.RECEIVE) {
            receives.free(completion.freedUpTo);
        } else {
            sends.free(completion.freedUpTo);
        }
        if (completion.kind == Kind.READ) {
            readsOutstanding--;
        }
    }
}
