package io.nvmf.transport.rdma.nativeverbs;

import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.QueuePairSize;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;

/**
 * ibv_qp, and the work requests that are posted to it: laid out once, each send with its two pieces and chained to the
 * next, so that adding one writes its numbers only. The library copies them when they are posted.
 *
 * <pre>
 *   struct ibv_send_wr, 128 bytes | ibv_sge | ibv_sge | the next ...
 * </pre>
 */
final class NativeQueuePair implements QueuePair {
    private static final int SEND_SLOT_BYTES = Layout.SEND_BYTES + QueuePairSize.SEGMENTS * Layout.SGE_BYTES;
    private static final int RECEIVE_PIECES = Layout.RECV_BYTES;
    private static final int RECEIVE_BAD_OUT = RECEIVE_PIECES + QueuePairSize.SEGMENTS * Layout.SGE_BYTES;

    private final NativeCmId id;
    private final DeviceFunctions functions;
    private final long qp;
    private final int capacity;
    private final ByteBuffer sends;
    private final long sendsAddress;
    private final int sendBadOut;
    private final ByteBuffer receive;
    private final long receiveAddress;
    private int added;
    private volatile boolean closed;

    /** Makes what it needs of memory before anything of the device. */
    NativeQueuePair(NativeCmId id, NativeDevice device, NativeCompletionQueue completions, QueuePairSize size)
            throws RdmaException {
        this.id = id;
        functions = device.functions();
        capacity = size.sends();
        sendBadOut = capacity * SEND_SLOT_BYTES;
        sends = NativeMemory.allocate(sendBadOut + Long.BYTES);
        sendsAddress = NativeMemory.addressOf(sends);
        for (int slot = 0; slot < sendBadOut; slot += SEND_SLOT_BYTES) {
            sends.putLong(slot + Layout.SEND_NEXT, sendsAddress + slot + SEND_SLOT_BYTES)
                    .putLong(slot + Layout.SEND_SG_LIST, sendsAddress + slot + Layout.SEND_BYTES);
        }
        receive = NativeMemory.allocate(RECEIVE_BAD_OUT + Long.BYTES);
        receiveAddress = NativeMemory.addressOf(receive);
        receive.putLong(Layout.RECV_SG_LIST, receiveAddress + RECEIVE_PIECES);
        qp = id.makeQueuePair(attributes(completions, size));
        try {
            requireLayout(device, completions);
        } catch (RdmaException e) {
            id.destroyQueuePair();
            throw e;
        }
        OpenObjects.QUEUE_PAIR.opened();
    }

    private static ByteBuffer attributes(NativeCompletionQueue completions, QueuePairSize size) throws RdmaException {
        return NativeMemory.allocate(Layout.INIT_BYTES)
                .putLong(Layout.INIT_SEND_CQ, completions.cq())
                .putLong(Layout.INIT_RECV_CQ, completions.cq())
                .putInt(Layout.INIT_MAX_SEND_WR, size.sends())
                .putInt(Layout.INIT_MAX_RECV_WR, size.receives())
                .putInt(Layout.INIT_MAX_SEND_SGE, QueuePairSize.SEGMENTS)
                .putInt(Layout.INIT_MAX_RECV_SGE, QueuePairSize.SEGMENTS)
                .putInt(Layout.INIT_QP_TYPE, Layout.IBV_QPT_RC);
    }

    /** Whether the library's structure says what it was made of. */
    private void requireLayout(NativeDevice device, NativeCompletionQueue completions) throws RdmaException {
        ByteBuffer fields = NativeMemory.at(qp, Layout.QP_BYTES);
        Layout.require(
                fields.getLong(Layout.QP_CONTEXT) == device.context()
                        && fields.getLong(Layout.QP_PD) == device.pd()
                        && fields.getLong(Layout.QP_SEND_CQ) == completions.cq()
                        && fields.getLong(Layout.QP_RECV_CQ) == completions.cq()
                        && fields.getInt(Layout.QP_TYPE) == Layout.IBV_QPT_RC,
                "ibv_qp");
    }

    @Override
    public boolean postReceive(
            long workId, long address1, int length1, int key1, long address2, int length2, int key2) {
        if (closed) {
            return false;
        }
        receive.putLong(Layout.RECV_WR_ID, workId).putInt(Layout.RECV_NUM_SGE, length2 == 0 ? 1 : 2);
        putPiece(receive, RECEIVE_PIECES, address1, length1, key1);
        putPiece(receive, RECEIVE_PIECES + Layout.SGE_BYTES, address2, length2, key2);
        return functions.postRecv(qp, receiveAddress, receiveAddress + RECEIVE_BAD_OUT) == 0;
    }

    @Override
    public void addSend(long workId, long address1, int length1, int key1, long address2, int length2, int key2) {
        int slot = add(workId, Layout.IBV_WR_SEND, Layout.IBV_SEND_SIGNALED, length2 == 0 ? 1 : 2);
        putPiece(sends, slot + Layout.SEND_BYTES, address1, length1, key1);
        putPiece(sends, slot + Layout.SEND_BYTES + Layout.SGE_BYTES, address2, length2, key2);
    }

    @Override
    public void addSendWithInvalidate(long workId, long address, int length, int key, int invalidatedKey) {
        int slot = add(workId, Layout.IBV_WR_SEND_WITH_INV, Layout.IBV_SEND_SIGNALED, 1);
        sends.putInt(slot + Layout.SEND_INVALIDATE_RKEY, invalidatedKey);
        putPiece(sends, slot + Layout.SEND_BYTES, address, length, key);
    }

    @Override
    public void addWrite(long workId, long address, int length, int key, long remoteAddress, int remoteKey) {
        addRemote(Layout.IBV_WR_RDMA_WRITE, 0, workId, address, length, key, remoteAddress, remoteKey);
    }

    @Override
    public void addRead(long workId, long address, int length, int key, long remoteAddress, int remoteKey) {
        addRemote(
                Layout.IBV_WR_RDMA_READ,
                Layout.IBV_SEND_SIGNALED,
                workId,
                address,
                length,
                key,
                remoteAddress,
                remoteKey);
    }

    private void addRemote(
            int opcode, int flags, long workId, long address, int length, int key, long remoteAddress, int remoteKey) {
        int slot = add(workId, opcode, flags, 1);
        sends.putLong(slot + Layout.SEND_REMOTE_ADDR, remoteAddress).putInt(slot + Layout.SEND_RKEY, remoteKey);
        putPiece(sends, slot + Layout.SEND_BYTES, address, length, key);
    }

    private int add(long workId, int opcode, int flags, int pieces) {
        if (added == capacity) {
            throw new IllegalStateException("more sends were added than the queue pair takes: " + capacity);
        }
        int slot = added++ * SEND_SLOT_BYTES;
        sends.putLong(slot + Layout.SEND_WR_ID, workId)
                .putInt(slot + Layout.SEND_NUM_SGE, pieces)
                .putInt(slot + Layout.SEND_OPCODE, opcode)
                .putInt(slot + Layout.SEND_FLAGS, flags);
        return slot;
    }

    private static void putPiece(ByteBuffer to, int at, long address, int length, int key) {
        to.putLong(at + Layout.SGE_ADDR, address)
                .putInt(at + Layout.SGE_LENGTH, length)
                .putInt(at + Layout.SGE_LKEY, key);
    }

    @Override
    public boolean post() {
        if (added == 0) {
            return !closed;
        }
        if (closed) {
            added = 0;
            return false;
        }
        int last = (added - 1) * SEND_SLOT_BYTES;
        sends.putLong(last + Layout.SEND_NEXT, 0);
        int failure = functions.postSend(qp, sendsAddress, sendsAddress + sendBadOut);
        sends.putLong(last + Layout.SEND_NEXT, sendsAddress + last + SEND_SLOT_BYTES);
        added = 0;
        return failure == 0;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            id.destroyQueuePair();
            OpenObjects.QUEUE_PAIR.closed();
        }
    }
}
