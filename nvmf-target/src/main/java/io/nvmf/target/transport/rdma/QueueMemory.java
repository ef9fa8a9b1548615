package io.nvmf.target.transport.rdma;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.Sqe;
import io.nvmf.transport.MemoryBlock;
import io.nvmf.transport.MemorySlab;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the capsules of one queue come in and its responses go out. Each receive has 64 bytes for the entry and, where
 * capsules carry data, a block of its own that starts on a page, so that a device takes the data from where it came. Made
 * and released on the control loop, used on the queue's.
 */
final class QueueMemory {
    private final RegisteredSlab registered;
    private final List<MemoryBlock> blocks = new ArrayList<>();
    private final int dataBytes;
    private MemoryBlock entries;
    private MemoryBlock responses;
    private ByteBuffer entryBytes;
    private ByteBuffer responseBytes;
    private MemoryBlock[] data;
    private ByteBuffer[] dataViews;
    private final Cqe cqe = new Cqe();

    private QueueMemory(RegisteredSlab registered, int dataBytes) {
        this.registered = registered;
        this.dataBytes = dataBytes;
    }

    /**
     * Takes it from a slab.
     *
     * @param dataBytes of a capsule; may be 0
     * @return null when the slab has not so much left
     * @throws RdmaException when the device refuses to know it
     */
    static QueueMemory take(
            MemorySlab slab, RegisteredSlab registered, int receiveCount, int responseCount, int dataBytes)
            throws RdmaException {
        QueueMemory memory = new QueueMemory(registered, dataBytes);
        boolean complete = false;
        try {
            complete = memory.takeBlocks(slab, receiveCount, responseCount);
        } finally {
            if (!complete) {
                memory.release();
            }
        }
        return complete ? memory : null;
    }

    private boolean takeBlocks(MemorySlab slab, int receiveCount, int responseCount) throws RdmaException {
        entries = take(slab, receiveCount * Sqe.BYTES);
        responses = take(slab, responseCount * Cqe.BYTES);
        if (entries == null || responses == null) {
            return false;
        }
        entryBytes = view(entries);
        responseBytes = view(responses);
        data = new MemoryBlock[dataBytes == 0 ? 0 : receiveCount];
        dataViews = new ByteBuffer[data.length];
        for (int i = 0; i < data.length; i++) {
            data[i] = take(slab, dataBytes);
            if (data[i] == null) {
                return false;
            }
        }
        return true;
    }

    private MemoryBlock take(MemorySlab slab, int lengthBytes) throws RdmaException {
        MemoryBlock block = slab.allocate(lengthBytes);
        if (block != null) {
            blocks.add(block);
            registered.register(block);
        }
        return block;
    }

    private static ByteBuffer view(MemoryBlock block) {
        return block.nioBuffer(0, block.capacity()).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Posts a receive; what its number held before is given up. */
    boolean postReceive(QueuePair pair, long workId, int receive) {
        long address = registered.address(entries) + (long) receive * Sqe.BYTES;
        int key = registered.key(entries);
        if (data.length == 0) {
            return pair.postReceive(workId, address, Sqe.BYTES, key, 0, 0, 0);
        }
        MemoryBlock block = data[receive];
        return pair.postReceive(
                workId, address, Sqe.BYTES, key, registered.address(block), dataBytes, registered.key(block));
    }

    /** All entries, that of a receive at {@link #entryOffset}. */
    ByteBuffer entries() {
        return entryBytes;
    }

    int entryOffset(int receive) {
        return receive * Sqe.BYTES;
    }

    /** The data that came with a capsule, from index 0 on. Only where capsules carry data. */
    MemoryBlock data(int receive) {
        return data[receive];
    }

    /** The same to be looked into. */
    ByteBuffer dataView(int receive) {
        ByteBuffer view = dataViews[receive];
        if (view == null) {
            view = view(data[receive]);
            dataViews[receive] = view;
        }
        return view;
    }

    /** Writes a completion queue entry. */
    void response(int number, long result, int sqhd, int commandId, int status) {
        cqe.wrap(responseBytes, number * Cqe.BYTES).set(result, sqhd, commandId, status);
    }

    long responseAddress(int number) {
        return registered.address(responses) + (long) number * Cqe.BYTES;
    }

    int responseKey() {
        return registered.key(responses);
    }

    /** Gives it back; nobody uses it any more. */
    void release() {
        blocks.forEach(MemoryBlock::release);
        blocks.clear();
    }
}
