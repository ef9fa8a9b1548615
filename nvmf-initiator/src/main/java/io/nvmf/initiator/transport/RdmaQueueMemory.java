package io.nvmf.initiator.transport;

import io.nvmf.codec.Cqe;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.transport.rdma.MemoryRegion;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.RdmaDevice;
import io.nvmf.transport.rdma.RdmaDevice.RemoteAccess;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory of one queue that its device uses: a capsule for each command, room for each response, and pages that data is
 * copied through. The controller gets a key to the pages alone. Made and closed on the control loop, used on the data loop
 * in between.
 */
final class RdmaQueueMemory {
    private static final int CAPSULE_ALIGNMENT = 64;
    private static final byte[] ZEROS = new byte[PagePool.PAGE_BYTES];

    private final int commands;
    private final int capsuleBytes;
    private final ByteBuffer entries;
    private final ByteBuffer pages;
    private final MemoryRegion entriesRegion;
    private final MemoryRegion pagesRegion;

    private RdmaQueueMemory(
            int commands,
            int capsuleBytes,
            ByteBuffer entries,
            ByteBuffer pages,
            MemoryRegion entriesRegion,
            MemoryRegion pagesRegion) {
        this.commands = commands;
        this.capsuleBytes = capsuleBytes;
        this.entries = entries;
        this.pages = pages;
        this.entriesRegion = entriesRegion;
        this.pagesRegion = pagesRegion;
    }

    /** @param commands that may be outstanding; there is room for one response more */
    static RdmaQueueMemory allocate(RdmaDevice device, QueueSetup setup, int commands, int pageBytes)
            throws RdmaException {
        CapsuleLayout layout = setup.capsule();
        int descriptorBytes = layout.maxDescriptors() > 1 ? layout.maxDescriptors() * SglDescriptor.BYTES : 0;
        int capsuleBytes = roundUp(Sqe.BYTES + layout.dataOffsetBytes() + descriptorBytes, CAPSULE_ALIGNMENT);
        ByteBuffer entries = allocate(commands * capsuleBytes + (commands + 1) * Cqe.BYTES);
        ByteBuffer pages = allocate(roundUp(pageBytes, PagePool.PAGE_BYTES));
        MemoryRegion entriesRegion = device.register(entries, RemoteAccess.NONE);
        try {
            MemoryRegion pagesRegion = device.register(pages, RemoteAccess.READ_WRITE);
            return new RdmaQueueMemory(commands, capsuleBytes, entries, pages, entriesRegion, pagesRegion);
        } catch (RdmaException e) {
            entriesRegion.close();
            throw e;
        }
    }

    private static ByteBuffer allocate(int lengthBytes) throws RdmaException {
        try {
            return ByteBuffer.allocateDirect(roundUp(lengthBytes, PagePool.PAGE_BYTES) + PagePool.PAGE_BYTES)
                    .alignedSlice(PagePool.PAGE_BYTES)
                    .slice(0, lengthBytes)
                    .order(ByteOrder.LITTLE_ENDIAN);
        } catch (OutOfMemoryError e) {
            throw new RdmaException(
                    "Java has no memory outside its heap left for " + lengthBytes
                            + " bytes: raise -XX:MaxDirectMemorySize, or lower bufferBytes",
                    e);
        }
    }

    private static int roundUp(int value, int multiple) {
        return (value + multiple - 1) / multiple * multiple;
    }

    /** How many commands have a capsule. */
    int commands() {
        return commands;
    }

    // ---- Capsules and responses

    /** Holds capsules and responses. */
    ByteBuffer entries() {
        return entries;
    }

    int capsuleOffset(int slot) {
        return slot * capsuleBytes;
    }

    int responseOffset(int index) {
        return commands * capsuleBytes + index * Cqe.BYTES;
    }

    long entriesAddress() {
        return entriesRegion.address();
    }

    int entriesKey() {
        return entriesRegion.localKey();
    }

    /** Lets the queue pair take a response into place {@code index}, 0 to {@link #commands}. */
    boolean postReceive(QueuePair queuePair, int index) {
        return queuePair.postReceive(
                RdmaQueueConnection.receiveId(index),
                entriesRegion.address() + responseOffset(index),
                Cqe.BYTES,
                entriesRegion.localKey(),
                0,
                0,
                0);
    }

    // ---- Pages

    ByteBuffer pages() {
        return pages;
    }

    int pageCount() {
        return pages.capacity() / PagePool.PAGE_BYTES;
    }

    long pageAddress(int page) {
        return pagesRegion.address() + pageOffset(page);
    }

    static int pageOffset(int page) {
        return page * PagePool.PAGE_BYTES;
    }

    /** Makes the first bytes of a run of pages zeros. */
    void clear(int firstPage, int lengthBytes) {
        int end = pageOffset(firstPage) + lengthBytes;
        for (int at = pageOffset(firstPage); at < end; at += ZEROS.length) {
            pages.put(at, ZEROS, 0, Math.min(ZEROS.length, end - at));
        }
    }

    MemoryRegion pagesRegion() {
        return pagesRegion;
    }

    /** Its queue pair is closed. */
    void close() {
        entriesRegion.close();
        pagesRegion.close();
    }
}
