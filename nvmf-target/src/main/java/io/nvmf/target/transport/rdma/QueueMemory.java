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
    private static final int ENTRIES_A_PAGE = MemorySlab.PAGE_BYTES / Sqe.BYTES;
    private static final int RESPONSES_A_PAGE = MemorySlab.PAGE_BYTES / Cqe.BYTES;

    private final RegisteredSlab registered;
    private final List<MemoryBlock> blocks = new ArrayList<>();
    private final int dataBytes;
    /** A page each: a slab that many queues have come and gone through may have no two in a row. */
    private MemoryBlock[] entries;

    private MemoryBlock[] responses;
    private ByteBuffer[] entryViews;
    private ByteBuffer[] responseViews;
    private MemoryBlock[] data;
    private ByteBuffer[] dataViews;
    private final Cqe cqe = new Cqe();

    private QueueMemory(RegisteredSlab registered, int dataBytes) {
        this.registered = registered;
        this.dataBytes = dataBytes;
    }

    /** What a queue takes from a slab. */
    static long bytes(int receiveCount, int responseCount, int dataBytes) {
        long pages = pagesFor(receiveCount, ENTRIES_A_PAGE) + pagesFor(responseCount, RESPONSES_A_PAGE);
        return pages * MemorySlab.PAGE_BYTES + receiveCount * MemorySlab.roundedUp(dataBytes);
    }

    private static int pagesFor(int count, int countAPage) {
        return (count + countAPage - 1) / countAPage;
    }

    /**
     * Takes it from a slab.
     *
     * @param dataBytes of a capsule; may be 0
     * @return null when the slab has not so much left
     * @throws RdmaException when the device refuses to know it, or there is no memory to make the slab of
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
        entries = new MemoryBlock[pagesFor(receiveCount, ENTRIES_A_PAGE)];
        responses = new MemoryBlock[pagesFor(responseCount, RESPONSES_A_PAGE)];
        data = new MemoryBlock[dataBytes == 0 ? 0 : receiveCount];
        dataViews = new ByteBuffer[data.length];
        // Data first: it may need pages in a row.
        boolean complete = takeAll(slab, data, dataBytes)
                && takeAll(slab, entries, MemorySlab.PAGE_BYTES)
                && takeAll(slab, responses, MemorySlab.PAGE_BYTES);
        if (complete) {
            entryViews = views(entries);
            responseViews = views(responses);
        }
        return complete;
    }

    private boolean takeAll(MemorySlab slab, MemoryBlock[] taken, int lengthBytes) throws RdmaException {
        for (int i = 0; i < taken.length; i++) {
            taken[i] = take(slab, lengthBytes);
            if (taken[i] == null) {
                return false;
            }
        }
        return true;
    }

    private MemoryBlock take(MemorySlab slab, int lengthBytes) throws RdmaException {
        MemoryBlock block;
        try {
            block = slab.allocate(lengthBytes);
        } catch (OutOfMemoryError e) {
            throw RegisteredSlab.tooLittleMemory(e);
        }
        if (block != null) {
            blocks.add(block);
            registered.register(block);
        }
        return block;
    }

    private static ByteBuffer[] views(MemoryBlock[] blocks) {
        ByteBuffer[] views = new ByteBuffer[blocks.length];
        for (int i = 0; i < views.length; i++) {
            views[i] = view(blocks[i]);
        }
        return views;
    }

    private static ByteBuffer view(MemoryBlock block) {
        return block.nioBuffer(0, block.capacity()).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Posts a receive; what its number held before is given up. */
    boolean postReceive(QueuePair pair, long workId, int receive) {
        MemoryBlock page = entries[receive / ENTRIES_A_PAGE];
        long address = registered.address(page) + entryOffset(receive);
        int key = registered.key(page);
        if (data.length == 0) {
            return pair.postReceive(workId, address, Sqe.BYTES, key, 0, 0, 0);
        }
        MemoryBlock block = data[receive];
        return pair.postReceive(
                workId, address, Sqe.BYTES, key, registered.address(block), dataBytes, registered.key(block));
    }

    /** Entries, among them that of a receive at {@link #entryOffset}. */
    ByteBuffer entries(int receive) {
        return entryViews[receive / ENTRIES_A_PAGE];
    }

    int entryOffset(int receive) {
        return receive % ENTRIES_A_PAGE * Sqe.BYTES;
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
        cqe.wrap(responseViews[number / RESPONSES_A_PAGE], responseOffset(number))
                .set(result, sqhd, commandId, status);
    }

    private static int responseOffset(int number) {
        return number % RESPONSES_A_PAGE * Cqe.BYTES;
    }

    long responseAddress(int number) {
        return registered.address(responses[number / RESPONSES_A_PAGE]) + responseOffset(number);
    }

    int responseKey(int number) {
        return registered.key(responses[number / RESPONSES_A_PAGE]);
    }

    /** Gives it back; nobody uses it any more. */
    void release() {
        blocks.forEach(MemoryBlock::release);
        blocks.clear();
    }
}
