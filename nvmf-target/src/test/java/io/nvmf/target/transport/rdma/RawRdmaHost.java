package io.nvmf.target.transport.rdma;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.codec.rdma.AcceptData;
import io.nvmf.codec.rdma.ConnectRequestData;
import io.nvmf.codec.rdma.RejectData;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.CompletionPoller;
import io.nvmf.transport.rdma.Completions;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.ConnectionParameters;
import io.nvmf.transport.rdma.MemoryRegion;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.QueuePairSize;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaException;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A host that sends exactly what a test wants over RDMA and shows exactly what comes back: one queue. Blocks. */
public final class RawRdmaHost implements AutoCloseable {
    public static final String HOST_NQN = "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555";
    public static final UUID HOST_ID = UUID.fromString("11111111-2222-3333-4444-555555555555");

    private static final int WAIT_S = 20;
    /** Enough for a capsule and the longest data in it. */
    private static final int SEND_BYTES = 64 + 131072 + 512;

    private static final int SENDS = 300;
    private static final int RECEIVES = 300;
    private static final long SEND = 1L << 32;

    /** A response as it came. */
    public record Response(Cqe cqe, boolean invalidates, int invalidatedKey) {}

    /** What the target answered to a request for a connection. @param accept null when it was rejected */
    public record Answer(AcceptData accept, int rejectReason, RejectData reject) {}

    /** Memory of the host that a target may reach. */
    public static final class Memory {
        public final ByteBuffer bytes;
        private final MemoryRegion region;

        Memory(ByteBuffer bytes, MemoryRegion region) {
            this.bytes = bytes;
            this.region = region;
        }

        public long address() {
            return region.address();
        }

        public int key() {
            return region.remoteKey();
        }

        public byte[] copy(int lengthBytes) {
            byte[] copy = new byte[lengthBytes];
            bytes.get(0, copy);
            return copy;
        }
    }

    private final IoEventLoop loop;
    private final ConnectionManager manager;
    private final CompletionPoller poller;
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final BlockingQueue<Response> responses = new LinkedBlockingQueue<>();
    private final CompletableFuture<Answer> answer = new CompletableFuture<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();

    private CmId id;
    private CompletionPoller.Polled completions;
    private QueuePair pair;
    private ByteBuffer received;
    private MemoryRegion receivedRegion;
    private ByteBuffer sent;
    private MemoryRegion sentRegion;
    private int nextSend;
    private int nextCommandId = 0x1230;
    private Runnable beforeConnect = () -> {};
    private boolean closed;

    public RawRdmaHost(RdmaProvider rdma, IoEventLoop loop) throws IOException {
        this.loop = loop;
        this.manager = call(() -> rdma.openConnectionManager(loop));
        this.poller = new CompletionPoller(loop, false);
    }

    private interface Action {
        void run() throws RdmaException;
    }

    private void run(Action action) throws IOException {
        call(() -> {
            action.run();
            return null;
        });
    }

    private <T> T call(Callable<T> action) throws IOException {
        try {
            return loop.submit(action).get(WAIT_S, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IOException(e);
        }
    }

    private static <T> T await(CompletableFuture<T> future) throws IOException {
        try {
            return future.get(WAIT_S, TimeUnit.SECONDS);
        } catch (ExecutionException | InterruptedException | TimeoutException e) {
            throw new IOException(e);
        }
    }

    // ---- the connection

    public static ByteBuffer request(int recordFormat, int queueId, int hrqsize, int hsqsize) {
        ByteBuffer data = Bytes.allocate(ConnectRequestData.BYTES);
        new ConnectRequestData(recordFormat, queueId, hrqsize, hsqsize, 0).encode(data, 0);
        return data;
    }

    /** Runs something when all is made at this end and the request is about to go. */
    public void beforeConnect(Runnable action) {
        beforeConnect = action;
    }

    /** Asks for a connection and waits for the answer. @param reads RDMA READs that the target may have outstanding */
    public Answer ask(InetSocketAddress address, ByteBuffer privateData, int reads) throws IOException {
        run(() -> id = manager.resolve(address, 2000, new CmListener() {
            @Override
            public void onRouteResolved() {
                try {
                    connect(privateData, reads);
                } catch (RdmaException e) {
                    answer.completeExceptionally(e);
                }
            }

            @Override
            public void onEstablished(ByteBuffer data) {
                answer.complete(new Answer(AcceptData.decode(data.order(ByteOrder.LITTLE_ENDIAN), 0), 0, null));
            }

            @Override
            public void onRejected(int reason, ByteBuffer data) {
                answer.complete(new Answer(null, reason, RejectData.decode(data.order(ByteOrder.LITTLE_ENDIAN), 0)));
            }

            @Override
            public void onDisconnected() {
                ended.complete("disconnected");
            }

            @Override
            public void onDeviceRemoved() {
                ended.complete("device removed");
            }

            @Override
            public void onFailed(String why) {
                answer.completeExceptionally(new IOException(why));
                ended.complete(why);
            }
        }));
        return await(answer);
    }

    private void connect(ByteBuffer privateData, int reads) throws RdmaException {
        completions = poller.add(id.device(), RECEIVES + SENDS, new CompletionPoller.Handler() {
            @Override
            public void onCompletions(Completions batch, int count) {
                for (int i = 0; i < count; i++) {
                    if (batch.status(i) != Completions.SUCCESS) {
                        ended.complete(Completions.statusName(batch.status(i)));
                    } else if (batch.workId(i) < SEND) {
                        onResponse(batch, i);
                    }
                }
            }

            @Override
            public void onBroken() {
                ended.complete("broken");
            }
        });
        completions.start();
        pair = id.createQueuePair(completions.queue(), new QueuePairSize(SENDS, RECEIVES));
        received = ByteBuffer.allocateDirect(RECEIVES * Cqe.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        receivedRegion = register(received, RemoteAccess.NONE);
        sent = ByteBuffer.allocateDirect(SEND_BYTES * 16);
        sentRegion = register(sent, RemoteAccess.NONE);
        for (int i = 0; i < RECEIVES; i++) {
            postReceive(i);
        }
        beforeConnect.run();
        id.connect(new ConnectionParameters(privateData, reads, 0));
    }

    private MemoryRegion register(ByteBuffer bytes, RemoteAccess access) throws RdmaException {
        MemoryRegion region = id.device().register(bytes, access);
        regions.add(region);
        return region;
    }

    private void postReceive(int i) {
        long address = receivedRegion.address() + (long) i * Cqe.BYTES;
        pair.postReceive(i, address, Cqe.BYTES, receivedRegion.localKey(), 0, 0, 0);
    }

    private void onResponse(Completions batch, int i) {
        int receive = (int) batch.workId(i);
        ByteBuffer copy = Bytes.allocate(Cqe.BYTES);
        copy.put(0, received, receive * Cqe.BYTES, Cqe.BYTES);
        responses.add(new Response(new Cqe().wrap(copy, 0), batch.hasInvalidatedKey(i), batch.invalidatedKey(i)));
        postReceive(receive);
    }

    /** How the connection ended; waits for it. */
    public String awaitEnd() throws IOException {
        return await(ended);
    }

    public boolean hasEnded() {
        return ended.isDone();
    }

    public void disconnect() throws IOException {
        run(() -> id.disconnect());
    }

    // ---- memory and messages

    public Memory memory(int lengthBytes) throws IOException {
        return memory(new byte[lengthBytes]);
    }

    /** Memory with this in it, which the target may read and write. */
    public Memory memory(byte[] content) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(content.length).put(0, content);
        return new Memory(bytes, call(() -> register(bytes, RemoteAccess.READ_WRITE)));
    }

    /** Posts any bytes as one message. */
    public void send(byte[]... messages) throws IOException {
        run(() -> {
            for (byte[] message : messages) {
                int slot = nextSend++ % 16;
                sent.put(slot * SEND_BYTES, message);
                long address = sentRegion.address() + (long) slot * SEND_BYTES;
                pair.addSend(SEND, address, message.length, sentRegion.localKey(), 0, 0, 0);
            }
            pair.post();
        });
    }

    public static byte[] capsule(Sqe sqe, byte[] data) {
        byte[] bytes = new byte[Sqe.BYTES + data.length];
        sqe.buffer().get(sqe.offset(), bytes, 0, Sqe.BYTES);
        System.arraycopy(data, 0, bytes, Sqe.BYTES, data.length);
        return bytes;
    }

    // ---- commands

    /** Gives the command an id and sends it. */
    public int submit(Sqe sqe, byte[] capsuleData) throws IOException {
        int commandId = nextCommandId++ & 0xFFFF;
        sqe.commandId(commandId);
        send(capsule(sqe, capsuleData));
        return commandId;
    }

    public int submit(Sqe sqe) throws IOException {
        return submit(sqe, new byte[0]);
    }

    public Response response() throws IOException {
        try {
            Response response = responses.poll(WAIT_S, TimeUnit.SECONDS);
            if (response == null) {
                throw new IOException("no response; the connection: " + ended.getNow("is up"));
            }
            return response;
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Whether a response is there. */
    public boolean hasResponse() {
        return !responses.isEmpty();
    }

    public Response responseTo(int commandId) throws IOException {
        Response response = response();
        if (response.cqe().commandId() != commandId) {
            throw new IOException("completion of " + response.cqe().commandId() + ", expected " + commandId);
        }
        return response;
    }

    public Cqe execute(Sqe sqe, byte[] capsuleData) throws IOException {
        return responseTo(submit(sqe, capsuleData)).cqe();
    }

    public Cqe execute(Sqe sqe) throws IOException {
        return execute(sqe, new byte[0]);
    }

    /** Describes the memory's first bytes in the command. */
    public static Sqe keyed(Sqe sqe, Memory memory, int lengthBytes) {
        sqe.sgl1().setKeyed(memory.address(), lengthBytes, memory.key(), false);
        return sqe;
    }

    public static Sqe inCapsule(Sqe sqe, int offset, int lengthBytes) {
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, offset, lengthBytes);
        return sqe;
    }

    public static Sqe connectCommand(int queueId, int sqSizeZeroBased, long keepAliveTimeoutMs) {
        Sqe sqe = Sqe.allocate();
        ConnectCommand.encode(sqe, queueId, sqSizeZeroBased, 0, keepAliveTimeoutMs);
        return sqe;
    }

    /** Connects the queue as the data says, which the target fetches. */
    public Cqe connectQueue(Sqe connect, int controllerId, String subsystemNqn) throws IOException {
        ByteBuffer data = Bytes.allocate(ConnectData.BYTES);
        new ConnectData(HOST_ID, controllerId, subsystemNqn, HOST_NQN).encode(data, 0);
        return execute(keyed(connect, memory(data.array()), ConnectData.BYTES));
    }

    /** Sends a Connect with its data in the capsule, which only I/O queues take, and does not wait. */
    public void submitConnect(Sqe connect, int controllerId, String subsystemNqn) throws IOException {
        ByteBuffer data = Bytes.allocate(ConnectData.BYTES);
        new ConnectData(HOST_ID, controllerId, subsystemNqn, HOST_NQN).encode(data, 0);
        submit(inCapsule(connect, 0, ConnectData.BYTES), data.array());
    }

    /** An admin queue of 32 entries; returns CNTLID. */
    public int connectAdmin(InetSocketAddress address, String subsystemNqn, long keepAliveTimeoutMs)
            throws IOException {
        requireAccepted(ask(address, request(0, 0, 32, 31), 16));
        Cqe cqe = connectQueue(connectCommand(0, 31, keepAliveTimeoutMs), 0xFFFF, subsystemNqn);
        requireSuccess(cqe);
        return (int) cqe.dw0() & 0xFFFF;
    }

    public void connectIo(InetSocketAddress address, int controllerId, int queueId, int depth, int reads, String nqn)
            throws IOException {
        requireAccepted(ask(address, request(0, queueId, depth, depth - 1), reads));
        requireSuccess(connectQueue(connectCommand(queueId, depth - 1, 0), controllerId, nqn));
    }

    private static void requireAccepted(Answer answer) throws IOException {
        if (answer.accept() == null) {
            throw new IOException("rejected: " + answer.reject());
        }
    }

    private static void requireSuccess(Cqe cqe) throws IOException {
        if (cqe.status() != 0) {
            throw new IOException("status " + Integer.toHexString(cqe.status()));
        }
    }

    public void enable() throws IOException {
        Sqe sqe = Sqe.allocate();
        PropertyCommand.encodeSet(
                sqe, Property.CC, ControllerConfiguration.ENABLE | ControllerConfiguration.ENTRY_SIZES);
        requireSuccess(execute(sqe));
    }

    /** Disconnects and gives everything back. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        run(() -> {
            if (id != null) {
                id.disconnect();
            }
            if (completions != null) {
                completions.remove();
            }
            if (pair != null) {
                pair.close();
            }
            if (completions != null) {
                completions.close();
            }
            regions.forEach(MemoryRegion::close);
            if (id != null) {
                id.close();
            }
            poller.close();
            manager.close();
        });
    }
}
