package io.nvmf.initiator.raw;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.log.TransportType;
import io.nvmf.codec.rdma.AcceptData;
import io.nvmf.codec.rdma.ConnectRequestData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@link RawQueue} over NVMe/RDMA. Data travels through memory that is registered for its command alone, as long as the
 * data and until the response; in the capsule it travels when the command says so and {@link #capsuleDataBytes} allows.
 */
public final class RdmaQueue extends RawQueue {
    private final RawRdma rdma;
    private final int queueId;
    private final Map<Outstanding, List<RawMemory>> memories = new HashMap<>();
    private final List<byte[]> heldCapsules = new ArrayList<>();
    private int capsuleDataBytes;
    private int mostOutstanding;
    private int pieces = 1;
    private boolean invalidate;
    private boolean holdsCapsules;

    /** @param queueId as the request for the connection names it */
    public RdmaQueue(RawRdma rdma, int queueId) {
        this.rdma = rdma;
        this.queueId = queueId;
    }

    @Override
    public TransportType transport() {
        return TransportType.RDMA;
    }

    @Override
    public String name() {
        return rdma.name();
    }

    @Override
    public Trace trace() {
        return rdma.trace();
    }

    @Override
    public boolean isOpen() {
        return rdma.isOpen();
    }

    /** The connection below, for bytes that are not to be right. */
    public RawRdma rdma() {
        return rdma;
    }

    /** Asks for the connection as hosts do: as many responses as commands. @param reads as with {@link RawRdma#connect} */
    public CmAnswer initialize(int depth, int reads, long timeoutMs) throws IOException {
        byte[] request = RawRdma.request(ConnectRequestData.RECORD_FORMAT, queueId, depth, depth - 1);
        CmAnswer answer = rdma.connect(request, reads, depth, timeoutMs);
        AcceptData accepted = answer.accepted();
        int taken = accepted == null ? 0 : accepted.receiveQueueEntries();
        mostOutstanding = taken == 0 ? depth : Math.min(depth, taken);
        return answer;
    }

    /** How many commands the target takes at a time: as many as were asked for, or CRQSIZE when that is less and known. */
    public int mostOutstanding() {
        return mostOutstanding;
    }

    // ---- how data travels

    /** How much data goes in a capsule that is to carry it; more goes by RDMA all the same. 0 on admin queues. */
    public void capsuleDataBytes(int capsuleDataBytes) {
        this.capsuleDataBytes = capsuleDataBytes;
    }

    /**
     * Whether descriptors ask for their key to be invalidated, from now on; breaks the connection unless the device here
     * {@linkplain RawRdma#takesInvalidation can}.
     */
    public void invalidate(boolean invalidate) {
        this.invalidate = invalidate;
    }

    /** By how many keyed descriptors, in the capsule when it is more than one, data is described from now on. */
    public void pieces(int pieces) {
        this.pieces = pieces;
    }

    @Override
    public void holdCapsules(boolean hold) throws IOException {
        holdsCapsules = hold;
        if (!hold) {
            rdma.send(heldCapsules.toArray(byte[][]::new));
            heldCapsules.clear();
        }
    }

    // ---- commands

    @Override
    protected void transmit(Outstanding command) throws IOException {
        Payload payload = command.payload;
        byte[] out = payload.out();
        SglDescriptor sgl = command.sqe.sgl1();
        byte[] behind;
        if (payload.inCapsule() && out.length <= capsuleDataBytes) {
            sgl.set(SglDescriptor.IN_CAPSULE, 0, out.length);
            behind = out;
        } else {
            behind = describe(command, out.length > 0 ? out : new byte[payload.inBytes()]);
        }
        payload.sgl().accept(sgl);
        byte[] capsule = Arrays.copyOf(entry(command.sqe), Sqe.BYTES + behind.length);
        System.arraycopy(behind, 0, capsule, Sqe.BYTES, behind.length);
        if (holdsCapsules) {
            heldCapsules.add(capsule);
        } else {
            rdma.send(capsule);
        }
    }

    private static byte[] entry(Sqe sqe) {
        byte[] bytes = new byte[Sqe.BYTES];
        sqe.buffer().get(sqe.offset(), bytes);
        return bytes;
    }

    /** Registers the data and says where it is. @return the descriptors that go in the capsule, when there are several */
    private byte[] describe(Outstanding command, byte[] data) throws IOException {
        SglDescriptor sgl = command.sqe.sgl1();
        if (data.length == 0) {
            sgl.setKeyed(0, 0, 0, false);
            return data;
        }
        List<RawMemory> memory = new ArrayList<>();
        memories.put(command, memory);
        int count = Math.min(pieces, data.length);
        for (int i = 0; i < count; i++) {
            int from = (int) ((long) data.length * i / count);
            int to = (int) ((long) data.length * (i + 1) / count);
            memory.add(rdma.memory(Arrays.copyOfRange(data, from, to)));
        }
        if (count == 1) {
            keyed(sgl, memory.get(0));
            return new byte[0];
        }
        ByteBuffer list = Bytes.allocate(count * SglDescriptor.BYTES);
        for (int i = 0; i < count; i++) {
            keyed(new SglDescriptor().wrap(list, i * SglDescriptor.BYTES), memory.get(i));
        }
        sgl.set(SglDescriptor.LAST_SEGMENT_IN_CAPSULE, 0, list.capacity());
        return list.array();
    }

    private void keyed(SglDescriptor sgl, RawMemory memory) {
        sgl.setKeyed(memory.address(), memory.lengthBytes(), memory.key(), invalidate);
    }

    // ---- what comes

    @Override
    public boolean pump(long timeoutMs) throws IOException {
        RawMessage message = rdma.receive(timeoutMs);
        if (message == null) {
            return false;
        }
        if (message.bytes().length != Cqe.BYTES) {
            breach("a response of " + message.bytes().length + " bytes");
            return true;
        }
        Cqe completion = new Cqe().wrap(ByteBuffer.wrap(message.bytes()).order(ByteOrder.LITTLE_ENDIAN), 0);
        if ((message.bytes()[Cqe.STATUS_OFFSET] & 1) != 0) {
            breach("the phase tag is set, which fabrics do not have");
        }
        Outstanding command = find(completion.commandId(), "a completion");
        if (command != null) {
            List<RawMemory> memory = memories.remove(command);
            memory = memory == null ? List.of() : memory;
            checkInvalidated(command, memory, message);
            takeData(command, memory, Status.isSuccess(completion.status()));
            complete(command, completion);
        }
        return true;
    }

    /** A key is invalidated only when its descriptor asks for that (NVMe-oF 1.1 s7.2). */
    private void checkInvalidated(Outstanding command, List<RawMemory> memory, RawMessage message) {
        if (!message.invalidates()) {
            return;
        }
        String key = String.format("%08Xh", message.invalidatedKey());
        if (memory.stream().noneMatch(piece -> piece.key() == message.invalidatedKey())) {
            breach("key " + key + " is invalidated, which is not one of the command's");
        } else if (!asksToInvalidate(command)) {
            breach("key " + key + " is invalidated, which its descriptor does not ask for");
        }
    }

    private boolean asksToInvalidate(Outstanding command) {
        int identifier = command.sqe.sgl1().identifier();
        return identifier == SglDescriptor.KEYED_INVALIDATE
                || identifier == SglDescriptor.LAST_SEGMENT_IN_CAPSULE && invalidate;
    }

    /** The device does not tell what was moved: of a success it is all, of a failure perhaps some. */
    private void takeData(Outstanding command, List<RawMemory> memory, boolean success) {
        int at = 0;
        for (RawMemory piece : memory) {
            if (command.data.length > 0) {
                System.arraycopy(piece.content(), 0, command.data, at, piece.lengthBytes());
                at += piece.lengthBytes();
            }
            rdma.release(piece);
        }
        if (success) {
            command.dataBytes = command.data.length;
            command.fetchedBytes = memory.isEmpty() ? 0 : command.payload.out().length;
        }
    }

    @Override
    public void close() {
        try {
            rdma.close();
        } catch (IOException e) {
            // Its loop has ended, or hangs: what there was is gone with it.
            trace().note(name(), e.getMessage());
        }
    }
}
