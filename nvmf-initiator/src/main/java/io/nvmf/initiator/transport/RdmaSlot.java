package io.nvmf.initiator.transport;

import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.initiator.transport.Registrations.Registration;
import io.nvmf.transport.rdma.QueuePair;
import java.nio.ByteBuffer;

/**
 * A command on its way over RDMA: its capsule, and where its data lies for the device, which is in registered memory of
 * the caller or in pages of the queue. One for each slot of the queue, used again and again. Owned by the data loop.
 */
final class RdmaSlot {
    private final int index;
    private final RdmaQueueMemory memory;
    private final CapsuleLayout layout;
    private final PagePool pool;
    private final Sqe capsule;
    private final SglDescriptor descriptor = new SglDescriptor();
    private final DataCursor walk = new DataCursor();

    /** The pieces of registered memory that hold the data, and what the device calls them. */
    private final Registration[] registrations;

    private final long[] addresses;
    private final int[] lengths;
    private int pieces;

    private int firstPage;
    private int pages;

    private Command command;
    private boolean posted;
    private boolean sendDone;
    private boolean answered;
    /** Links the commands that wait for pages. */
    RdmaSlot next;

    RdmaSlot(int index, RdmaQueueMemory memory, CapsuleLayout layout, PagePool pool) {
        this.index = index;
        this.memory = memory;
        this.layout = layout;
        this.pool = pool;
        capsule = new Sqe().wrap(memory.entries(), memory.capsuleOffset(index));
        registrations = new Registration[layout.maxDescriptors()];
        addresses = new long[layout.maxDescriptors()];
        lengths = new int[layout.maxDescriptors()];
    }

    Command command() {
        return command;
    }

    /** Takes up a command: copies its entry, holds on to its data. */
    void begin(Command command) {
        this.command = command;
        posted = false;
        sendDone = false;
        answered = false;
        Sqe sqe = command.sqe();
        capsule.buffer().put(capsule.offset(), sqe.buffer(), sqe.offset(), Sqe.BYTES);
        command.lent();
    }

    boolean isFused() {
        return capsule.fuse() != 0;
    }

    private boolean isInCapsule() {
        return command.direction() == DataDirection.HOST_TO_CONTROLLER && command.lengthBytes() <= layout.dataBytes();
    }

    // ---- Where the data lies

    /** Lets the device use the caller's memory if all of it is registered, in no more pieces than a command may describe. */
    boolean placeInRegistered(Registrations known) {
        int maxPieces = isInCapsule() ? 1 : layout.maxDescriptors();
        walk.set(command.data());
        for (int left = command.lengthBytes(); left > 0; ) {
            int length = walk.contiguous(left);
            long address = RegisteredMemory.addressOf(walk.buffer()) + walk.index();
            if (!addPiece(known, address, length, maxPieces)) {
                releaseRegistered();
                return false;
            }
            walk.advance(length);
            left -= length;
        }
        return true;
    }

    private boolean addPiece(Registrations known, long address, int length, int maxPieces) {
        Registration registration = known.find(address, length);
        if (registration == null) {
            return false;
        }
        long deviceAddress = registration.deviceAddress(address);
        int last = pieces - 1;
        if (last >= 0 && registrations[last] == registration && addresses[last] + lengths[last] == deviceAddress) {
            lengths[last] += length;
            return true;
        }
        if (pieces == maxPieces || !registration.memory().acquire()) {
            return false;
        }
        registrations[pieces] = registration;
        addresses[pieces] = deviceAddress;
        lengths[pieces] = length;
        pieces++;
        return true;
    }

    /**
     * Takes pages and copies what is to be written there; false when there are not enough now. Pages to be read into hold
     * zeros: no host can see that a controller has answered with success but has not sent the data, and what other requests
     * left there is not this caller's to see.
     */
    boolean placeInPages() {
        int count = PagePool.pagesFor(command.lengthBytes());
        int first = pool.take(count);
        if (first < 0) {
            return false;
        }
        firstPage = first;
        pages = count;
        if (command.direction() == DataDirection.HOST_TO_CONTROLLER) {
            walk.set(command.data());
            walk.copyTo(memory.pages(), RdmaQueueMemory.pageOffset(first), command.lengthBytes());
        } else {
            memory.clear(first, command.lengthBytes());
        }
        return true;
    }

    // ---- Sending

    /** Adds the SEND of the capsule; the data is placed. */
    void addSend(QueuePair queuePair) {
        posted = true;
        long id = RdmaQueueConnection.sendId(index);
        long address = memory.entriesAddress() + capsule.offset();
        int key = memory.entriesKey();
        int length = command.lengthBytes();
        if (length > 0 && isInCapsule()) {
            capsule.sgl1().set(SglDescriptor.IN_CAPSULE, 0, length);
            boolean own = pages > 0;
            long dataAddress = own ? memory.pageAddress(firstPage) : addresses[0];
            int dataKey = own
                    ? memory.pagesRegion().localKey()
                    : registrations[0].region().localKey();
            queuePair.addSend(id, address, Sqe.BYTES + layout.dataOffsetBytes(), key, dataAddress, length, dataKey);
        } else {
            queuePair.addSend(id, address, describeData(), key, 0, 0, 0);
        }
    }

    /** Writes the descriptors of data that is not in the capsule; returns the length of the capsule. */
    private int describeData() {
        SglDescriptor sgl1 = capsule.sgl1();
        if (command.lengthBytes() == 0) {
            sgl1.setKeyed(0, 0, 0, false);
            return Sqe.BYTES;
        }
        if (pages > 0) {
            sgl1.setKeyed(
                    memory.pageAddress(firstPage),
                    command.lengthBytes(),
                    memory.pagesRegion().remoteKey(),
                    false);
            return Sqe.BYTES;
        }
        if (pieces == 1) {
            setKeyed(sgl1, 0);
            return Sqe.BYTES;
        }
        int lengthBytes = pieces * SglDescriptor.BYTES;
        sgl1.set(SglDescriptor.LAST_SEGMENT_IN_CAPSULE, 0, lengthBytes);
        int at = Sqe.BYTES + layout.dataOffsetBytes();
        for (int i = 0; i < pieces; i++) {
            setKeyed(descriptor.wrap(capsule.buffer(), capsule.offset() + at + i * SglDescriptor.BYTES), i);
        }
        return at + lengthBytes;
    }

    private void setKeyed(SglDescriptor target, int piece) {
        target.setKeyed(
                addresses[piece], lengths[piece], registrations[piece].region().remoteKey(), false);
    }

    // ---- Ending

    /** Whether a response to it may come: it was sent, and none has come yet. */
    boolean awaitsResponse() {
        return posted && !answered;
    }

    void onSendDone() {
        sendDone = true;
    }

    void onAnswered(int status, long result) {
        answered = true;
        command.answer(status, result);
    }

    /** Whether the device and the controller are through with its capsule and its data. */
    boolean isDone() {
        return sendDone && answered;
    }

    /** Copies what was read to the caller, gives back all memory and returns the command, which is answered. */
    Command end() {
        if (pages > 0) {
            if (answered
                    && command.direction() == DataDirection.CONTROLLER_TO_HOST
                    && Status.isSuccess(command.status())) {
                ByteBuffer source = memory.pages();
                walk.set(command.data());
                walk.copyFrom(source, RdmaQueueMemory.pageOffset(firstPage), command.lengthBytes());
            }
            pool.giveBack(firstPage, pages);
            pages = 0;
        }
        releaseRegistered();
        walk.clear();
        Command ended = command;
        command = null;
        ended.returned();
        return ended;
    }

    private void releaseRegistered() {
        while (pieces > 0) {
            pieces--;
            registrations[pieces].memory().release();
            registrations[pieces] = null;
        }
    }
}
