package io.nvmf.target.queue;

import io.netty.buffer.ByteBuf;
import io.nvmf.codec.Bytes;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.command.BlockErrors;
import io.nvmf.target.command.Command;
import io.nvmf.target.command.CommandHandler;
import io.nvmf.target.command.CommandQueue;
import io.nvmf.target.namespace.BlockUse;
import io.nvmf.target.namespace.GuardedCompletion;
import io.nvmf.target.namespace.Namespace;
import io.nvmf.target.namespace.RangeLock;
import io.nvmf.target.namespace.RangeLocks;
import io.nvmf.target.subsystem.Subsystem;
import io.nvmf.transport.MemoryBlock;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A slot of a queue, and the command in it. Made once and used for many commands. Owned by the queue's event loop.
 */
public final class Request implements Command, BufferPool.Waiter {
    /** Bits 1:0 of an opcode or FCTYPE: the host sends data. */
    private static final int HOST_TO_CONTROLLER = 1;
    /** Bits 1:0 of an opcode or FCTYPE: the controller sends data. */
    private static final int CONTROLLER_TO_HOST = 2;

    private final TargetQueue queue;
    private final int slot;
    private final ByteBuffer entry = Bytes.allocate(Sqe.BYTES);
    private final Sqe sqe = new Sqe().wrap(entry, 0);
    private final BlockCompletion whenStored = new Stored();

    private RequestState state = RequestState.FREE;
    private CommandHandler handler;
    private int refusal;
    private int dataLength;
    private boolean dataInCapsule;
    private int capsuleSkip;
    private boolean dataInPlace;
    private boolean dataStored;
    private int fetchedBytes;
    private boolean fetchedValid;
    private ByteBuf capsuleBuffer;
    private MemoryBlock pooledBuffer;
    private long fetchStartedNanos;
    private final BlockUse blockUse = new BlockUse();
    private ByteBuf scratch;
    private Consumer<ByteBuf> scratchTaker;
    private Wait wait;
    private Request partner;

    private long result;
    private int status;

    /** One wait for a lock: the command may have been completed, and another be in the slot, when the lock comes free. */
    private final class Wait implements Runnable {
        private final RangeLock lock;
        private final Runnable action;

        Wait(RangeLock lock, Runnable action) {
            this.lock = lock;
            this.action = action;
        }

        /** The lock is free; any thread. */
        @Override
        public void run() {
            queue.loop().execute(this::goOn);
        }

        private void goOn() {
            if (wait == this) {
                wait = null;
                action.run();
            }
        }
    }

    private final class Stored extends GuardedCompletion {
        @Override
        protected void completed(BlockError error) {
            if (error != BlockError.NONE) {
                failed(error);
            }
            complete(BlockErrors.toStatus(error), 0);
        }
    }

    Request(TargetQueue queue, int slot) {
        this.queue = queue;
        this.slot = slot;
    }

    // ---- as the transport sees it

    /** The slot's number, below the queue's depth: the transfer tag of its data. */
    public int slot() {
        return slot;
    }

    /** Copies the submission queue entry in. */
    public void entry(ByteBuffer source, int offset) {
        entry.put(0, source, offset, Sqe.BYTES);
    }

    /** Whether the host owes data for it, and {@link QueueTransport#fetchData} was called. */
    public boolean awaitsData() {
        return state == RequestState.DATA_PENDING;
    }

    /** The data comes in the capsule, after this many bytes of what the capsule carries. */
    public void dataInCapsule(int skippedBytes) {
        dataInCapsule = true;
        capsuleSkip = skippedBytes;
    }

    /** How much of what the capsule carries comes before the data. */
    public int capsuleSkip() {
        return capsuleSkip;
    }

    /** How much of the host's data has been fetched, in bytes. */
    public int fetchedBytes() {
        return fetchedBytes;
    }

    /** Whether all of the host's data fetched so far is what it sent. */
    public boolean fetchedValid() {
        return fetchedValid;
    }

    /** More of the host's data is in the buffer. */
    public void fetched(int bytes, boolean valid) {
        fetchedBytes += bytes;
        fetchedValid &= valid;
    }

    /** DW0 and DW1 of the completion. */
    public long result() {
        return result;
    }

    /** The status it is completed with. */
    public int status() {
        return status;
    }

    /** Whether data goes to the host before the completion. */
    public boolean sendsData() {
        return status == 0 && dataLength > 0 && direction() == CONTROLLER_TO_HOST;
    }

    /** Whether the host sends data with it, by its opcode. */
    public boolean receivesData() {
        return direction() == HOST_TO_CONTROLLER;
    }

    /**
     * Gets its data for the host, all of it, when it is at hand.
     *
     * @param target has room for it from {@code index} on; not kept
     * @return whether it is there: then the request will succeed, with {@link #isDataInPlace}
     */
    public boolean readNow(ByteBuf target, int index) {
        dataInPlace = handler.readNow(this, target, index);
        return dataInPlace;
    }

    /** Whether its data is where {@link #readNow} was told to put it, not in a buffer of the pool. */
    public boolean isDataInPlace() {
        return dataInPlace;
    }

    /** The pooled buffer, or null. */
    public MemoryBlock buffer() {
        return pooledBuffer;
    }

    /** Takes the pooled buffer out of the slot: whoever takes it releases it. */
    public MemoryBlock takeBuffer() {
        MemoryBlock buffer = pooledBuffer;
        pooledBuffer = null;
        return buffer;
    }

    // ---- as handlers see it

    @Override
    public Sqe sqe() {
        return sqe;
    }

    @Override
    public CommandQueue queue() {
        return queue;
    }

    @Override
    public int dataLength() {
        return dataLength;
    }

    @Override
    public ByteBuf data() {
        return dataInCapsule ? capsuleBuffer : pooledBuffer;
    }

    @Override
    public ByteBuf scratch() {
        return scratch;
    }

    @Override
    public void takeScratch(Runnable action) {
        Consumer<ByteBuf> taker = buffer -> {
            scratchTaker = null;
            scratch = buffer;
            action.run();
        };
        scratchTaker = taker;
        queue.scratch().take(taker);
    }

    @Override
    public void await(RangeLock lock, Runnable action) {
        wait = new Wait(lock, action);
        lock.whenReleased(wait);
    }

    @Override
    public void beginOnBlocks(RangeLocks blocks, long start, long end) {
        queue.blocks().begin(blockUse, blocks, start, end);
    }

    @Override
    public BlockCompletion whenStored() {
        return whenStored;
    }

    @Override
    public void failed(BlockError error) {
        Subsystem subsystem = queue.controller().subsystem();
        Namespace namespace = subsystem.namespaces().get(sqe.nsid());
        if (namespace != null) {
            if (BlockErrors.isMediaError(error)) {
                namespace.counters().onMediaError();
            }
            subsystem.onDeviceError(namespace, error);
        }
    }

    @Override
    public void complete(int status, long result) {
        if (state == RequestState.FREE || state == RequestState.COMPLETING) {
            throw new IllegalStateException("completed in state " + state);
        }
        this.status = status;
        this.result = result;
        if (wait != null) {
            wait.lock.forget(wait);
            wait = null;
        }
        queue.blocks().end(blockUse);
        if (scratchTaker != null) {
            queue.scratch().cancel(scratchTaker);
            scratchTaker = null;
        }
        if (scratch != null) {
            queue.scratch().giveBack(scratch);
            scratch = null;
        }
        queue.completed(this);
    }

    // ---- as the queue sees it

    RequestState state() {
        return state;
    }

    void state(RequestState next) {
        state = next;
    }

    /** Starts a new life with a new command. */
    void begin() {
        state = RequestState.RECEIVED;
        handler = null;
        refusal = 0;
        dataLength = 0;
        dataInCapsule = false;
        capsuleSkip = 0;
        dataInPlace = false;
        dataStored = false;
        fetchedBytes = 0;
        fetchedValid = true;
        result = 0;
        status = 0;
        partner = null;
    }

    /** Whether it has not begun: it waits for a scratch buffer, or for blocks that another command has to itself. */
    boolean waitsToBegin() {
        return wait != null || scratchTaker != null;
    }

    /** The other half of a fused command, when both have arrived; else null. */
    Request partner() {
        return partner;
    }

    void partner(Request otherHalf) {
        partner = otherHalf;
    }

    /** It waits for its other half, which the host owes from now on. */
    void awaitPartner(long nowNanos) {
        state = RequestState.AWAITING_PARTNER;
        fetchStartedNanos = nowNanos;
    }

    /** Whether its data is fetched into a buffer of the pool. */
    boolean needsBuffer() {
        return !dataInCapsule;
    }

    CommandHandler handler() {
        return handler;
    }

    void handler(CommandHandler handler) {
        this.handler = handler;
    }

    /** The status it was refused with, or 0. */
    int refusal() {
        return refusal;
    }

    void refuse(int status) {
        refusal = status;
    }

    void dataLength(int bytes) {
        dataLength = bytes;
    }

    boolean hasDataInCapsule() {
        return dataInCapsule;
    }

    /** Bits 1:0 of the opcode, or of FCTYPE. */
    private int direction() {
        int code = sqe.opcode() == Opcode.FABRICS ? sqe.fabricsType() : sqe.opcode();
        return code & 3;
    }

    /** Stores the host's data, all of it, if that can be done at once. @param source has it from {@code index} on; not kept */
    boolean writeNow(ByteBuf source, int index) {
        dataStored = handler.writeNow(this, source, index);
        return dataStored;
    }

    /** Whether {@link #writeNow} has done all there is to do. */
    boolean isDataStored() {
        return dataStored;
    }

    /** Where data of the capsule goes, or null. */
    ByteBuf capsuleBuffer() {
        return capsuleBuffer;
    }

    /** The slot has it until it is free again. */
    void capsuleBuffer(ByteBuf buffer) {
        capsuleBuffer = buffer;
    }

    /** Takes the capsule's buffer out of the slot, or null. */
    ByteBuf takeCapsuleBuffer() {
        ByteBuf buffer = capsuleBuffer;
        capsuleBuffer = null;
        return buffer;
    }

    /** When its data was asked for, or its other half began to be missing, in ns of the loop's clock. */
    long fetchStartedNanos() {
        return fetchStartedNanos;
    }

    void fetchStarted(long nowNanos) {
        fetchStartedNanos = nowNanos;
    }

    @Override
    public int wantedBytes() {
        return dataLength;
    }

    /** The second half of a fused command gets its buffer together with the first, or both might wait for ever. */
    @Override
    public BufferPool.Waiter companion() {
        boolean together = partner != null && sqe.fuse() == Sqe.FUSED_FIRST && partner.needsBuffer();
        return together ? partner : null;
    }

    @Override
    public void onBuffer(MemoryBlock buffer) {
        pooledBuffer = buffer;
        queue.buffered(this);
    }
}
