package io.nvmf.initiator.transport;

import io.nvmf.codec.Sqe;

/**
 * A command on its way: one for each slot of a queue, used again and again. The queue fills it in, the connection carries
 * it and keeps its own marks here. Owned by the queue's event loop.
 */
public final class Command {
    private static final int SLOT_BITS = 12;
    private static final int GENERATIONS = 1 << 16 - SLOT_BITS;

    /** The most slots a queue may have: FFFFh is no command identifier. */
    public static final int MAX_SLOTS = (1 << SLOT_BITS) - 1;

    private final int slot;
    private final DataCursor data = new DataCursor();
    private int generation;
    private int commandId;
    private boolean outstanding;

    private Sqe sqe;
    private DataDirection direction;
    private int lengthBytes;

    /** Data that was handed to the socket or arrived from it. */
    private int transferredBytes;
    /** The last C2HData PDU has come. */
    boolean lastSeen;

    boolean digestFailed;
    boolean inCapsule;
    /** An R2T that has come and whose data was not yet written: its length, else 0. */
    int r2tBytes;

    int r2tTag;
    /** Links the commands whose R2T waits. */
    Command nextR2t;

    /** Pieces of the caller's buffers that a socket, or a device, holds. */
    private int buffersLent;

    private boolean answered;
    private int status;
    private long result;

    public Command(int slot) {
        this.slot = slot;
    }

    /** The slot a command identifier belongs to. May exceed the number of slots. */
    public static int slotOf(int commandId) {
        return commandId & MAX_SLOTS;
    }

    public int slot() {
        return slot;
    }

    /** Takes up a new command; its identifier differs from the last one's of this slot, so that a stale answer shows. */
    public void start(Sqe sqe, DataDirection direction, int lengthBytes) {
        generation = (generation + 1) % GENERATIONS;
        commandId = generation << SLOT_BITS | slot;
        this.sqe = sqe.commandId(commandId);
        this.direction = direction;
        this.lengthBytes = lengthBytes;
        outstanding = true;
        transferredBytes = 0;
        lastSeen = false;
        digestFailed = false;
        inCapsule = false;
        r2tBytes = 0;
        buffersLent = 0;
        answered = false;
    }

    /** Ends the command: answers to it are now unknown. */
    public void finish() {
        outstanding = false;
        sqe = null;
        data.clear();
    }

    public boolean isOutstanding() {
        return outstanding;
    }

    public int commandId() {
        return commandId;
    }

    /** The entry to send, valid until it was sent. */
    Sqe sqe() {
        return sqe;
    }

    public DataDirection direction() {
        return direction;
    }

    public int lengthBytes() {
        return lengthBytes;
    }

    /** Where the data of this command lies; at its start when the command is sent. */
    public DataCursor data() {
        return data;
    }

    int transferredBytes() {
        return transferredBytes;
    }

    void transferred(int bytes) {
        transferredBytes += bytes;
    }

    /** Records the outcome; the first one counts. */
    public void answer(int status, long result) {
        if (!answered) {
            answered = true;
            this.status = status;
            this.result = result;
        }
    }

    public boolean isAnswered() {
        return answered;
    }

    /** The 15-bit status it was answered with. */
    public int status() {
        return status;
    }

    /** DW0 in the low and DW1 in the high half. */
    public long result() {
        return result;
    }

    void lent() {
        buffersLent++;
    }

    void returned() {
        buffersLent--;
    }

    /** Whether the socket or device still holds the caller's buffers: then the request must not complete yet. */
    public boolean isLent() {
        return buffersLent > 0;
    }
}
