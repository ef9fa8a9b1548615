package io.nvmf.initiator;

import io.nvmf.initiator.ReceivedCapsule.Keyed;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.CmListener;
import io.nvmf.transport.rdma.CompletionChannel;
import io.nvmf.transport.rdma.CompletionQueue;
import io.nvmf.transport.rdma.Completions;
import io.nvmf.transport.rdma.ConnectionParameters;
import io.nvmf.transport.rdma.MemoryRegion;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.QueuePairSize;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The target's end of one connection in tests. Owned by the target's loop. */
final class RdmaTargetConnection implements CmListener {
    private static final int SENDS = 4096;
    private static final int SCRATCH_BYTES = 16 << 20;
    private static final long RECEIVE = 1L << 40;
    private static final int MAX_READS = 64;

    private final ScriptedRdmaTarget target;
    private final CmId id;
    private final CompletionChannel channel;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final int depth;
    private final int capsuleBytes;
    private final ByteBuffer capsules;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final MemoryRegion capsuleRegion;
    private final MemoryRegion scratchRegion;
    private final Map<Long, Runnable> done = new HashMap<>();
    private final List<Runnable> waitingReads = new ArrayList<>();
    private final Completions batch = new Completions(16);
    private long nextId;
    private int nextScratch;
    private int reads;
    private boolean closed;

    final int queueId;
    /** Whether the host has ended the connection. */
    volatile boolean disconnected;
    /** The most commands that were received and not answered at a time. */
    volatile int mostUnanswered;

    private int unanswered;

    /** Posts receives, then accepts. */
    RdmaTargetConnection(ScriptedRdmaTarget target, CmId id, ScriptedRdmaTarget.ConnectRequest request)
            throws RdmaException {
        this.target = target;
        this.id = id;
        queueId = request.u16(2);
        id.listener(this);
        depth = target.crqsize < 0 ? request.u16(6) + 1 : Math.max(1, target.crqsize);
        capsuleBytes = queueId == 0 ? 64 : 16 * target.ioccsz;
        capsules = ByteBuffer.allocateDirect(depth * capsuleBytes).order(ByteOrder.LITTLE_ENDIAN);
        capsuleRegion = id.device().register(capsules, RemoteAccess.NONE);
        scratchRegion = id.device().register(scratch, RemoteAccess.NONE);
        int sends = Math.min(SENDS, id.device().limits().maxWork());
        channel = id.device().openCompletionChannel(target.loop);
        completions = channel.createCompletionQueue(sends + depth, this::poll);
        queuePair = id.createQueuePair(completions, new QueuePairSize(sends, depth));
        for (int i = 0; i < depth; i++) {
            postReceive(i);
        }
        ByteBuffer data = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN).putShort(2, (short) depth);
        if (target.crqsize >= 0) {
            data.putShort(2, (short) target.crqsize);
        }
        ByteBuffer accept = target.acceptData == null ? data : ByteBuffer.wrap(target.acceptData);
        poll();
        id.accept(new ConnectionParameters(accept, 0, Math.min(128, request.initiatorDepth())));
    }

    private void postReceive(int place) {
        queuePair.postReceive(
                RECEIVE | place,
                capsuleRegion.address() + place * capsuleBytes,
                capsuleBytes,
                capsuleRegion.localKey(),
                0,
                0,
                0);
    }

    @Override
    public void onEstablished(ByteBuffer privateData) {}

    @Override
    public void onDisconnected() {
        disconnected = true;
        close();
    }

    @Override
    public void onDeviceRemoved() {
        close();
    }

    @Override
    public void onFailed(String why) {
        target.faults.add(why);
    }

    void close() {
        if (!closed) {
            closed = true;
            id.disconnect();
            queuePair.close();
            completions.close();
            channel.close();
            id.close();
            capsuleRegion.close();
            scratchRegion.close();
            target.connections.remove(this);
        }
    }

    // ---- Receiving

    private void poll() {
        if (closed) {
            return;
        }
        completions.arm();
        for (int n = completions.poll(batch); n > 0; n = closed ? 0 : completions.poll(batch)) {
            for (int i = 0; i < n && !closed; i++) {
                if (batch.status(i) == Completions.SUCCESS) {
                    onDone(batch.workId(i), batch.lengthBytes(i));
                } else {
                    done.remove(batch.workId(i));
                }
            }
        }
    }

    private void onDone(long workId, int lengthBytes) {
        if ((workId & RECEIVE) == 0) {
            Runnable then = done.remove(workId);
            if (then != null) {
                then.run();
            }
            return;
        }
        int place = (int) workId;
        byte[] bytes = new byte[lengthBytes];
        capsules.get(place * capsuleBytes, bytes);
        postReceive(place);
        mostUnanswered = Math.max(mostUnanswered, ++unanswered);
        try {
            target.onCommand(this, new ReceivedCapsule(queueId, bytes));
        } catch (RdmaException | RuntimeException e) {
            target.faults.add(e.toString());
        }
    }

    // ---- Sending

    /** The address of {@code lengthBytes} bytes of memory for a while. */
    private int scratch(int lengthBytes) {
        if (nextScratch + lengthBytes > SCRATCH_BYTES) {
            nextScratch = 0;
        }
        int at = nextScratch;
        nextScratch += lengthBytes + 63 & ~63;
        return at;
    }

    private long then(Runnable then) {
        long workId = nextId++;
        done.put(workId, then);
        return workId;
    }

    void response(int commandId, int status, long result) {
        ByteBuffer cqe = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        cqe.putLong(0, result).putShort(12, (short) commandId).putShort(14, (short) (status << 1));
        send(cqe.array());
    }

    /** Sends any bytes as a response. */
    void send(byte[] bytes) {
        unanswered--;
        int at = scratch(bytes.length);
        scratch.put(at, bytes);
        queuePair.addSend(
                then(() -> {}), scratchRegion.address() + at, bytes.length, scratchRegion.localKey(), 0, 0, 0);
        queuePair.post();
    }

    void sendInvalidating(byte[] bytes, int key) {
        int at = scratch(bytes.length);
        scratch.put(at, bytes);
        queuePair.addSendWithInvalidate(
                then(() -> {}), scratchRegion.address() + at, bytes.length, scratchRegion.localKey(), key);
        queuePair.post();
    }

    /** RDMA READ of the host's memory. */
    void read(Keyed from, Consumer<byte[]> then) {
        if (reads == MAX_READS) {
            waitingReads.add(() -> read(from, then));
            return;
        }
        reads++;
        int at = scratch(from.lengthBytes());
        long workId = then(() -> {
            reads--;
            byte[] data = new byte[from.lengthBytes()];
            scratch.get(at, data);
            if (!waitingReads.isEmpty()) {
                waitingReads.remove(0).run();
            }
            then.accept(data);
        });
        queuePair.addRead(
                workId,
                scratchRegion.address() + at,
                from.lengthBytes(),
                scratchRegion.localKey(),
                from.address(),
                from.key());
        queuePair.post();
    }

    /** RDMA WRITE to the host's memory; it is done when the next response is. */
    void write(Keyed to, byte[] data, int offset) {
        int at = scratch(to.lengthBytes());
        scratch.put(at, data, offset, to.lengthBytes());
        queuePair.addWrite(
                then(() -> {}),
                scratchRegion.address() + at,
                to.lengthBytes(),
                scratchRegion.localKey(),
                to.address(),
                to.key());
    }

    void post() {
        queuePair.post();
    }

    // ---- The data of a command

    /** The keyed descriptors of a command. */
    List<Keyed> descriptors(ReceivedCapsule command) {
        if (command.sglIdentifier() == 0x31) {
            int at = 64 + 16 * target.icdoff;
            List<Keyed> list = new ArrayList<>();
            for (int i = 0; i < command.i32(32); i += 16) {
                list.add(command.keyedAt(at + i));
            }
            return list;
        }
        return List.of(command.keyed());
    }

    /** Brings the data of a write here, out of the capsule or by RDMA READ. */
    void fetch(ReceivedCapsule command, int lengthBytes, Consumer<byte[]> then) {
        if (command.sglIdentifier() == 0x01) {
            byte[] data = command.from(64 + 16 * target.icdoff);
            require(command.i64(24) == 0 && command.i32(32) == lengthBytes && data.length == lengthBytes, "capsule");
            then.accept(data);
            return;
        }
        ByteBuffer whole = ByteBuffer.allocate(lengthBytes);
        fetchNext(descriptors(command), 0, whole, then);
    }

    private void fetchNext(List<Keyed> from, int index, ByteBuffer whole, Consumer<byte[]> then) {
        if (index == from.size()) {
            require(!whole.hasRemaining(), "too little data described");
            then.accept(whole.array());
            return;
        }
        read(from.get(index), data -> {
            whole.put(data);
            fetchNext(from, index + 1, whole, then);
        });
    }

    /** Writes read data to the host, then the response. */
    void store(ReceivedCapsule command, byte[] data) {
        int at = 0;
        for (Keyed to : descriptors(command)) {
            require(to.identifier() == 0x40, "identifier " + to.identifier());
            write(to, data, at);
            at += to.lengthBytes();
        }
        require(at == data.length, "described " + at + " of " + data.length + " bytes");
        response(command.commandId(), 0, 0);
    }

    private static void require(boolean right, String what) {
        if (!right) {
            throw new IllegalStateException(what);
        }
    }
}
