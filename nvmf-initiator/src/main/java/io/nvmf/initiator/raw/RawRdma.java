package io.nvmf.initiator.raw;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.rdma.ConnectRequestData;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.CompletionPoller;
import io.nvmf.transport.rdma.Completions;
import io.nvmf.transport.rdma.ConnectionParameters;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.QueuePairSize;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A connection to a target over RDMA: asks for it with any private data, posts any bytes as a capsule, and shows what comes.
 * Blocking; one thread at a time, but for {@link #close}, which any thread may call and which ends what waits.
 */
public final class RawRdma implements AutoCloseable {
    /** RDMA READs outstanding are counted in a byte. */
    public static final int MAX_READS = 255;

    /** More than a response, so that one that is too long is seen. */
    private static final int RECEIVE_BYTES = 64;
    /** Capsules that may be sent beyond those a queue holds. */
    private static final int SPARE_SENDS = 32;
    /** So long at most do responses follow the news that the connection has ended. */
    private static final int DRAIN_MS = 1000;

    private static final long FIRST_SEND = 1L << 32;

    private final RawRdmaLoop loop;
    private final InetSocketAddress address;
    private final Trace trace;
    private final String name;
    private final CompletableFuture<CmAnswer> answer = new CompletableFuture<>();
    private final Set<RawMemory> memories = ConcurrentHashMap.newKeySet();

    // Owned by the loop.
    private final Map<Long, RawMemory> sending = new HashMap<>();
    private CmId id;
    private CompletionPoller.Polled completions;
    private QueuePair queuePair;
    private RawMemory received;
    private long nextSend = FIRST_SEND;

    // Guarded by this.
    private final Queue<RawMessage> messages = new ArrayDeque<>();
    private RdmaDevice device;
    private String end;
    private boolean over;
    private boolean closed;

    RawRdma(RawRdmaLoop loop, InetSocketAddress address, Trace trace, String name) {
        this.loop = loop;
        this.address = address;
        this.trace = trace;
        this.name = name;
    }

    public Trace trace() {
        return trace;
    }

    /** What the trace calls this connection. */
    public String name() {
        return name;
    }

    // ---- the connection

    /** The private data of a request as the specification has it, 32 bytes. */
    public static byte[] request(int recordFormat, int queueId, int hrqsize, int hsqsize) {
        ByteBuffer data = Bytes.allocate(ConnectRequestData.BYTES);
        new ConnectRequestData(recordFormat, queueId, hrqsize, hsqsize, 0).encode(data, 0);
        return data.array();
    }

    /**
     * Asks for the connection. Once.
     *
     * @param privateData up to 56 bytes; the transport may pad it with zeros
     * @param reads RDMA READs that the target may have outstanding, less when the device here has less
     * @param receives how many responses there is room for
     */
    public CmAnswer connect(byte[] privateData, int reads, int receives, long timeoutMs) throws IOException {
        trace.add(name, Trace.Direction.SENT, RdmaText.request(privateData, reads), privateData);
        loop.run(() -> id = loop.manager().resolve(address, (int) timeoutMs, new Events(privateData, reads, receives)));
        CmAnswer got = awaitAnswer(timeoutMs);
        trace.add(name, Trace.Direction.RECEIVED, got.toString(), got.privateData());
        return got;
    }

    private CmAnswer awaitAnswer(long timeoutMs) throws IOException {
        try {
            return RawRdmaLoop.await(answer, timeoutMs);
        } catch (IOException e) {
            if (e.getCause() instanceof TimeoutException) {
                return new CmAnswer(CmAnswer.Kind.SILENCE, CmAnswer.NO_DATA, "");
            }
            throw e;
        }
    }

    /** What the communication manager tells. On the loop. */
    private final class Events implements CmListener {
        private final byte[] privateData;
        private final int reads;
        private final int receives;

        Events(byte[] privateData, int reads, int receives) {
            this.privateData = privateData;
            this.reads = reads;
            this.receives = receives;
        }

        @Override
        public void onRouteResolved() {
            try {
                prepare(receives);
                int granted =
                        Math.min(reads, Math.min(MAX_READS, id.device().limits().maxResponderReads()));
                id.connect(new ConnectionParameters(ByteBuffer.wrap(privateData), granted, 0));
            } catch (RdmaException e) {
                onFailed(e.getMessage());
            }
        }

        @Override
        public void onEstablished(ByteBuffer data) {
            answer.complete(new CmAnswer(CmAnswer.Kind.ACCEPTED, bytes(data), ""));
        }

        @Override
        public void onRejected(int reason, ByteBuffer data) {
            over("rejected");
            answer.complete(
                    reason == CmId.REJECTED_BY_CONSUMER
                            ? new CmAnswer(CmAnswer.Kind.REJECTED, bytes(data), "")
                            : CmAnswer.failed("rejected by the communication manager, reason " + reason));
        }

        private static byte[] bytes(ByteBuffer data) {
            byte[] bytes = new byte[data.remaining()];
            data.get(data.position(), bytes);
            return bytes;
        }

        @Override
        public void onDisconnected() {
            ending("disconnected by the target");
        }

        @Override
        public void onDeviceRemoved() {
            ending("the RDMA device was removed");
        }

        @Override
        public void onFailed(String why) {
            over(why);
            answer.complete(CmAnswer.failed(why));
        }
    }

    /** Makes all that the connection needs. On the loop, when the device is known. */
    private void prepare(int receives) throws RdmaException {
        synchronized (this) {
            device = id.device();
        }
        int most = id.device().limits().maxWork();
        int posted = Math.min(receives, most);
        int sends = Math.min(receives + SPARE_SENDS, most);
        completions = loop.poller().add(id.device(), posted + sends, new Finished());
        completions.start();
        queuePair = id.createQueuePair(completions.queue(), new QueuePairSize(sends, posted));
        received = keep(new RawMemory(id.device(), new byte[posted * RECEIVE_BYTES], RemoteAccess.NONE));
        for (int i = 0; i < posted; i++) {
            postReceive(i);
        }
    }

    private void postReceive(int index) {
        long at = received.address() + (long) index * RECEIVE_BYTES;
        queuePair.postReceive(index, at, RECEIVE_BYTES, received.localKey(), 0, 0, 0);
    }

    /** Whether the connection was made and the target still holds it, as far as was heard and taken in. */
    public synchronized boolean isOpen() {
        return answer.isDone() && !(over && messages.isEmpty());
    }

    /** How the connection stands, in words. */
    public synchronized String state() {
        return end == null ? "nothing in time" : "the end of the connection (" + end + ")";
    }

    /** Waits until the target has ended the connection. @return whether it has, in time; what came before is dropped */
    public boolean awaitEnd(long timeoutMs) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (isOpen() && System.nanoTime() < deadline) {
            receive(TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()) + 1);
        }
        return !isOpen();
    }

    /** Ends the connection, as hosts do. */
    public void disconnect() throws IOException {
        trace.note(name, "disconnected by us");
        loop.run(() -> id.disconnect());
    }

    // ---- memory

    /** Memory with this in it, not empty, that the target may read and write until it is closed. */
    public synchronized RawMemory memory(byte... content) throws IOException {
        if (closed || device == null) {
            throw new IOException("there is no connection to register memory for");
        }
        return keep(new RawMemory(device, content, RemoteAccess.READ_WRITE));
    }

    /** Whether the target may be asked to invalidate keys of {@link #memory}; known once it has accepted. */
    public synchronized boolean takesInvalidation() {
        return device != null && device.takesInvalidation();
    }

    /** Takes memory back. */
    public void release(RawMemory memory) {
        memories.remove(memory);
        memory.close();
    }

    private RawMemory keep(RawMemory memory) {
        memories.add(memory);
        return memory;
    }

    // ---- sending

    /** Posts each of these as a message, all of them at once. When the connection is over nothing is thrown. */
    public void send(byte[]... capsules) throws IOException {
        for (byte[] capsule : capsules) {
            trace.add(name, Trace.Direction.SENT, RdmaText.capsule(capsule), capsule);
        }
        loop.run(() -> post(capsules));
    }

    private void post(byte[]... capsules) throws RdmaException {
        synchronized (this) {
            if (closed || over || device == null) {
                trace.note(name, "not sent: " + state());
                return;
            }
        }
        for (byte[] capsule : capsules) {
            RawMemory memory = keep(new RawMemory(id.device(), capsule, RemoteAccess.NONE));
            sending.put(nextSend, memory);
            queuePair.addSend(nextSend, memory.address(), capsule.length, memory.localKey(), 0, 0, 0);
            nextSend++;
        }
        queuePair.post();
    }

    // ---- receiving

    /**
     * The next message.
     *
     * @return null when none came within the time, or the connection is over: {@link #isOpen} tells which
     */
    public RawMessage receive(long timeoutMs) throws IOException {
        RawMessage message = next(timeoutMs);
        if (message != null) {
            trace.add(name, Trace.Direction.RECEIVED, message.toString(), message.bytes());
        }
        return message;
    }

    private synchronized RawMessage next(long timeoutMs) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (messages.isEmpty() && !over) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (leftMs <= 0) {
                return null;
            }
            try {
                wait(leftMs);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
        if (closed) {
            throw new IOException("the connection was closed at this end");
        }
        return messages.poll();
    }

    /** Work that is done. On the loop. */
    private final class Finished implements CompletionPoller.Handler {
        @Override
        public void onCompletions(Completions batch, int count) {
            for (int i = 0; i < count; i++) {
                long workId = batch.workId(i);
                boolean success = batch.status(i) == Completions.SUCCESS;
                if (!success && batch.status(i) != Completions.FLUSHED) {
                    ending(Completions.statusName(batch.status(i)));
                }
                if (workId >= FIRST_SEND) {
                    release(sending.remove(workId));
                } else if (success) {
                    take((int) workId, batch, i);
                } else {
                    // Receives finish in their order: nothing comes after one that was flushed.
                    over("all work was flushed");
                }
            }
        }

        @Override
        public void onBroken() {
            over("the completion queue is broken");
        }
    }

    private void take(int index, Completions batch, int i) {
        byte[] bytes = received.content(index * RECEIVE_BYTES, batch.lengthBytes(i));
        RawMessage message = new RawMessage(bytes, batch.hasInvalidatedKey(i), batch.invalidatedKey(i));
        postReceive(index);
        synchronized (this) {
            messages.add(message);
            notifyAll();
        }
    }

    /** The connection ends; what has come already is still to be seen. On the loop. */
    private void ending(String why) {
        synchronized (this) {
            if (end != null) {
                return;
            }
            end = why;
        }
        id.disconnect();
        loop.later(() -> over(why), DRAIN_MS);
    }

    /** Nothing comes any more. */
    private synchronized void over(String why) {
        if (!over) {
            end = end == null ? why : end;
            over = true;
            trace.note(name, "over: " + end);
            notifyAll();
        }
    }

    // ---- the end

    /** Disconnects and gives everything back. */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            over("closed at this end");
        }
        answer.complete(CmAnswer.failed("closed at this end"));
        loop.run(this::free);
    }

    private void free() {
        if (id != null) {
            id.disconnect();
        }
        if (completions != null) {
            completions.remove();
        }
        if (queuePair != null) {
            queuePair.close();
        }
        if (completions != null) {
            completions.close();
        }
        if (id != null) {
            id.close();
        }
        memories.forEach(RawMemory::close);
    }
}
