package io.nvmf.tools.transfer;

import io.nvmf.codec.Status;
import io.nvmf.codec.StatusNames;
import io.nvmf.initiator.queue.IoCallback;
import io.nvmf.tools.CommandException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;

/** A bounded number of requests on their way, each with a buffer, taken back in the order they were begun. One thread. */
final class RequestRing {
    private final Slot[] slots;
    private int oldest;
    private int used;

    RequestRing(int depth, int bufferBytes) {
        slots = new Slot[depth];
        for (int i = 0; i < depth; i++) {
            slots[i] = new Slot(i, ByteBuffer.allocateDirect(bufferBytes));
        }
    }

    /** One request. Its callback comes from an event loop; everything else belongs to the ring's thread. */
    static final class Slot implements IoCallback {
        private final int index;
        private final ByteBuffer buffer;
        private final Semaphore done = new Semaphore(0);
        private int status;

        private Slot(int index, ByteBuffer buffer) {
            this.index = index;
            this.buffer = buffer;
        }

        int index() {
            return index;
        }

        ByteBuffer buffer() {
            return buffer;
        }

        @Override
        public void onComplete(int completionStatus, long result) {
            status = completionStatus;
            done.release();
        }
    }

    boolean isEmpty() {
        return used == 0;
    }

    boolean isFull() {
        return used == slots.length;
    }

    /** The slot that the next request will use; {@link #begun} makes it so. */
    Slot next() {
        return slots[(oldest + used) % slots.length];
    }

    /** The request of {@link #next} was handed over. */
    void begun() {
        used++;
    }

    /**
     * Waits for the oldest request and takes it back; its buffer keeps its bytes until the slot is used again.
     *
     * @throws CommandException if the request failed
     */
    Slot awaitOldest(String what) throws InterruptedException, CommandException {
        Slot slot = slots[oldest];
        slot.done.acquire();
        oldest = (oldest + 1) % slots.length;
        used--;
        if (slot.status != Status.SUCCESS) {
            if (slot.status == Status.HOST_PATHING_ERROR) {
                throw new ConnectionLostException(what);
            }
            throw new CommandException(what + " failed: " + StatusNames.describe(slot.status, StatusNames.Kind.IO_NVM));
        }
        return slot;
    }
}
