package io.nvmf.transport.memory;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.DeviceLimits;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RDMA inside one process, over any event loop: work is done by copying memory when it is posted. Ids of the same object
 * reach each other, at whatever IP addresses they name; there is no network below. Each connection manager has the device
 * to itself, with keys and addresses of its own, as programs in processes of their own would.
 *
 * <p>It is stricter than most hardware, so that what passes here is right: calls on the wrong thread, in the wrong order, or
 * of more work than a queue holds throw {@link IllegalStateException}; a place in a queue is free when its completion has
 * been polled, and not before; a READ beyond the agreed depth breaks the connection. And it can be told to fail. Thread safe.
 */
public final class MemoryRdma implements RdmaProvider {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryRdma.class);
    private static final DeviceLimits DEFAULT_LIMITS = new DeviceLimits(16_384, 32_767, 128, 128);
    private static final int FIRST_FREE_PORT = 49_152;

    // Numbers that lose something wherever they are cut short or taken for signed; never the same at two ends.
    private static final int FIRST_KEY = 0x8000_0100;
    private static final int KEY_STEP = 0x100;
    private static final long FIRST_ADDRESS = 0xFF00_1000_0000_0000L;
    private static final int PAGE_BYTES = 4096;

    /** How many objects are open. */
    public record Counts(
            int connectionManagers,
            int listenings,
            int ids,
            int queuePairs,
            int completionChannels,
            int completionQueues,
            int memoryRegions) {
        public static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0);
    }

    /** Work that was done since the beginning, by kind; bytes are those moved. Invalidating SENDs are SENDs too. */
    public record Traffic(
            long sends,
            long invalidatingSends,
            long writes,
            long reads,
            long sentBytes,
            long writtenBytes,
            long readBytes) {}

    /** What each kind of object adds to {@link Counts}. */
    enum Kind {
        CONNECTION_MANAGER,
        LISTENING,
        ID,
        QUEUE_PAIR,
        COMPLETION_CHANNEL,
        COMPLETION_QUEUE,
        MEMORY_REGION
    }

    private final DeviceLimits limits;
    private final int[] counts = new int[Kind.values().length];
    private final long[] workCounts = new long[WorkQueue.Kind.values().length];
    private final long[] workBytes = new long[WorkQueue.Kind.values().length];
    private final List<MemoryListening> listenings = new ArrayList<>();
    private final Set<MemoryCmId> ids = new LinkedHashSet<>();
    private final List<MemoryConnection> connections = new ArrayList<>();
    private final Queue<MemoryCompletionQueue.Entry> heldCompletions = new ArrayDeque<>();
    private int nextPort = FIRST_FREE_PORT;
    private int nextKey = FIRST_KEY;
    private long nextAddress = FIRST_ADDRESS;
    private boolean isDeviceRemoved;
    private boolean isRegistrationToFail;
    private boolean isPaused;
    private boolean holdsSendCompletions;

    public MemoryRdma() {
        this(DEFAULT_LIMITS);
    }

    public MemoryRdma(DeviceLimits limits) {
        this.limits = limits;
    }

    @Override
    public String unavailabilityCause() {
        return null;
    }

    @Override
    public ConnectionManager openConnectionManager(IoEventLoop loop) {
        return new MemoryConnectionManager(this, loop);
    }

    public synchronized Counts counts() {
        return new Counts(counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], counts[6]);
    }

    public synchronized Traffic traffic() {
        int send = WorkQueue.Kind.SEND.ordinal();
        int invalidating = WorkQueue.Kind.SEND_WITH_INVALIDATE.ordinal();
        int write = WorkQueue.Kind.WRITE.ordinal();
        int read = WorkQueue.Kind.READ.ordinal();
        return new Traffic(
                workCounts[send] + workCounts[invalidating],
                workCounts[invalidating],
                workCounts[write],
                workCounts[read],
                workBytes[send] + workBytes[invalidating],
                workBytes[write],
                workBytes[read]);
    }

    /** The connections that were accepted and have not ended, oldest first. */
    public synchronized List<MemoryConnection> connections() {
        return List.copyOf(connections);
    }

    /** Takes the device away: every id and who listens at an address of it is told, work is flushed, nothing new can be made until {@link #restoreDevice}. */
    public synchronized void removeDevice() {
        isDeviceRemoved = true;
        List.copyOf(connections).forEach(MemoryConnection::breakQueuePairs);
        connections.clear();
        ids.forEach(MemoryCmId::deviceRemoved);
        listenings.forEach(MemoryListening::deviceRemoved);
    }

    public synchronized void restoreDevice() {
        isDeviceRemoved = false;
    }

    /** Lets the next {@link io.nvmf.transport.rdma.RdmaDevice#register} fail as it does beyond the limit of locked memory. */
    public synchronized void failNextRegistration() {
        isRegistrationToFail = true;
    }

    /** Does no work until {@link #resume}: what is posted stays outstanding. Connections still come and go. */
    public synchronized void pause() {
        isPaused = true;
    }

    public synchronized void resume() {
        isPaused = false;
        List.copyOf(connections).forEach(MemoryConnection::advance);
    }

    /**
     * Does work, but keeps the completions of SENDs and READs back until {@link #releaseSendCompletions}, or the end of their
     * queue pair: so answers overtake them, as they may on a network.
     */
    public synchronized void holdSendCompletions() {
        holdsSendCompletions = true;
    }

    public synchronized void releaseSendCompletions() {
        holdsSendCompletions = false;
        List.copyOf(heldCompletions)
                .forEach(entry -> entry.queuePair.completions().push(entry));
        heldCompletions.clear();
    }

    // All below: called with the lock held.

    DeviceLimits limits() {
        return limits;
    }

    void opened(Kind kind) {
        counts[kind.ordinal()]++;
    }

    void closed(Kind kind) {
        counts[kind.ordinal()]--;
    }

    void worked(WorkQueue.Work work) {
        workCounts[work.kind.ordinal()]++;
        workBytes[work.kind.ordinal()] += work.lengthBytes();
    }

    void requireDevice() throws RdmaException {
        if (isDeviceRemoved) {
            throw new RdmaException("the RDMA device was removed");
        }
    }

    void requireLockedMemory(int lengthBytes) throws RdmaException {
        if (isRegistrationToFail) {
            isRegistrationToFail = false;
            throw new RdmaException("cannot register " + lengthBytes
                    + " bytes of memory: raise the limit of locked memory (ulimit -l, LimitMEMLOCK=)");
        }
    }

    boolean isPaused() {
        return isPaused;
    }

    /** Keeps a completion of the send queue if so told, or passes it on. */
    void sendCompleted(MemoryCompletionQueue.Entry entry) {
        if (holdsSendCompletions) {
            heldCompletions.add(new MemoryCompletionQueue.Entry(entry));
        } else {
            entry.queuePair.completions().push(entry);
        }
    }

    /** A queue pair has failed: what was held of it comes before what is flushed. */
    void releaseSendCompletions(MemoryQueuePair queuePair) {
        if (heldCompletions.isEmpty()) {
            return;
        }
        for (MemoryCompletionQueue.Entry entry : List.copyOf(heldCompletions)) {
            if (entry.queuePair == queuePair) {
                heldCompletions.remove(entry);
                queuePair.completions().push(entry);
            }
        }
    }

    void add(MemoryCmId id) {
        ids.add(id);
        opened(Kind.ID);
    }

    void remove(MemoryCmId id) {
        if (ids.remove(id)) {
            closed(Kind.ID);
        }
    }

    void add(MemoryConnection connection) {
        connections.add(connection);
    }

    void remove(MemoryConnection connection) {
        connections.remove(connection);
    }

    /** Binds to the address, or one with a free port for port 0. */
    InetSocketAddress bind(InetSocketAddress address) throws RdmaException {
        if (address.isUnresolved()) {
            throw new RdmaException("the host name is unknown");
        }
        InetSocketAddress bound = address;
        while (bound.getPort() == 0 || isTaken(bound)) {
            if (address.getPort() != 0) {
                throw new RdmaException("the address is in use");
            }
            bound = new InetSocketAddress(address.getAddress(), freePort());
        }
        return bound;
    }

    int freePort() {
        int port = nextPort;
        nextPort = port == 0xFFFF ? FIRST_FREE_PORT : port + 1;
        return port;
    }

    int freeKey() {
        nextKey += KEY_STEP;
        return nextKey;
    }

    /** Of a page, with a page or more that is nobody's before the next. */
    long freeAddress(int lengthBytes) {
        long address = nextAddress;
        nextAddress += (lengthBytes / PAGE_BYTES + 2L) * PAGE_BYTES;
        return address;
    }

    private boolean isTaken(InetSocketAddress address) {
        boolean isWildcard = address.getAddress().isAnyLocalAddress();
        return listenings.stream()
                .map(MemoryListening::address)
                .filter(other -> other.getPort() == address.getPort())
                .anyMatch(other -> isWildcard || other.getAddress().isAnyLocalAddress() || other.equals(address));
    }

    void add(MemoryListening listening) {
        listenings.add(listening);
        opened(Kind.LISTENING);
    }

    void remove(MemoryListening listening) {
        if (listenings.remove(listening)) {
            closed(Kind.LISTENING);
        }
    }

    /** Who listens at an address; null when nobody does. */
    MemoryListening listeningAt(InetSocketAddress address) {
        for (MemoryListening listening : listenings) {
            InetSocketAddress other = listening.address();
            if (listening.isEnded()) {
                continue;
            }
            if (other.equals(address)
                    || other.getAddress().isAnyLocalAddress() && other.getPort() == address.getPort()) {
                return listening;
            }
        }
        return null;
    }

    /** Runs something later on a loop, or not at all when the loop has ended. */
    static boolean execute(IoEventLoop loop, Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.debug("an event of a queue whose event loop has ended", e);
            return false;
        }
    }

    /** On the loop that owns something, or on another thread when that loop has ended. */
    static void requireLoop(IoEventLoop loop) {
        if (!loop.inEventLoop() && !loop.isTerminated()) {
            throw new IllegalStateException(
                    "called by " + Thread.currentThread().getName() + ", which is not the event loop that owns this");
        }
    }
}
