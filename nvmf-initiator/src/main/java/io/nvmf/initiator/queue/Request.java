package io.nvmf.initiator.queue;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.initiator.transport.DataCursor;
import io.nvmf.initiator.transport.DataDirection;
import io.nvmf.initiator.transport.ScatterList;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a caller wants done: one command or, when it is larger than one command may be, a run of commands over consecutive
 * blocks. Taken from {@link HostQueue#acquire} by any thread, which fills it in and submits it; from then on the queue's
 * event loop owns it until the callback is called. Reused.
 */
public final class Request {
    private static final Logger LOG = LoggerFactory.getLogger(Request.class);

    private static final long NLB_MASK = 0xFFFF;
    /** A request that is out each time a connection is lost may be what ends it. */
    private static final int MAX_REPEATS = 5;

    private static final int START_BLOCK_DWORD = 10;
    private static final int BLOCK_COUNT_DWORD = 12;

    /** Where it comes from; null for a request that belongs to no pool. */
    private final RequestPool pool;
    /** Place in the pool. */
    final int poolIndex;
    /** Links requests in whichever list this one is. */
    Request next;

    /** The second of a fused pair whose first this is, or null. */
    Request fused;

    /** Commands that are out. */
    int outstanding;

    final DataCursor cursor = new DataCursor();

    private final Sqe sqe = Sqe.allocate();
    private final ScatterList data = new ScatterList();
    private DataDirection direction;
    private long timeoutMs;
    private IoCallback callback;

    private RequestOwner owner;
    private boolean urgent;
    private boolean repeatable;
    private int repeats;
    private boolean sent;
    private int retries;
    private long firstFailureNanos;
    private boolean allIssued;
    private long firstBlock;
    private long blockCount;
    private long startBlock;
    private long blocksLeft;
    private int maxBlocks;
    private int blockShift;

    private int status;
    private long result;

    Request(RequestPool pool, int poolIndex) {
        this.pool = pool;
        this.poolIndex = poolIndex;
        reset();
    }

    /** A request outside every pool: its owner alone decides when it is used again. */
    public static Request standalone() {
        return new Request(null, -1);
    }

    /** Back to blank: no data, no split, no timeout. */
    void reset() {
        direction = DataDirection.NONE;
        data.clear();
        cursor.clear();
        callback = null;
        fused = null;
        timeoutMs = 0;
        owner = null;
        urgent = false;
        repeatable = false;
        repeats = 0;
        sent = false;
        retries = 0;
        allIssued = false;
        blockCount = 0;
        blocksLeft = 0;
        outstanding = 0;
        status = Status.SUCCESS;
        result = 0;
    }

    /** The entry to fill in, but for CID and SGL1. */
    public Sqe sqe() {
        return sqe;
    }

    public Request direction(DataDirection direction) {
        this.direction = direction;
        return this;
    }

    /**
     * Appends the bytes between a buffer's position and limit to the data; it is lent until the callback. The direction
     * must be set before.
     *
     * @throws IllegalArgumentException if the buffer is not direct, is to be filled but read-only, or there are too many
     */
    public Request add(ByteBuffer buffer) {
        data.add(buffer, direction);
        return this;
    }

    /** Length of the data added so far. */
    public long dataBytes() {
        return data.lengthBytes();
    }

    DataDirection direction() {
        return direction;
    }

    /** How long one command may take before it is aborted, and then before the connection counts as dead; 0 = as long as it likes. */
    public Request timeoutMs(long timeoutMs) {
        this.timeoutMs = timeoutMs;
        return this;
    }

    long timeoutMs() {
        return timeoutMs;
    }

    public Request callback(IoCallback callback) {
        this.callback = callback;
        return this;
    }

    /** It goes before all others and may use the reserved slots. */
    public Request urgent() {
        urgent = true;
        return this;
    }

    boolean isUrgent() {
        return urgent;
    }

    /** Whoever may stop it; null, the default, for nobody. */
    public Request owner(RequestOwner owner) {
        this.owner = owner;
        return this;
    }

    /** Why no command of it may be sent now, or success. */
    int refusal() {
        return owner == null ? Status.SUCCESS : owner.refusal();
    }

    /**
     * Whether the outcome is the same when its commands are carried out again, although nobody knows whether they were before: it
     * is sent again when a connection is lost and another comes.
     */
    public Request repeatable(boolean repeatable) {
        this.repeatable = repeatable;
        return this;
    }

    /** Whether it may be sent again after its connection was lost. */
    boolean isRepeatable() {
        return repeatable && repeats < MAX_REPEATS;
    }

    /** Starts from the beginning. */
    void repeat() {
        repeats++;
        rewind();
        begin();
    }

    private void rewind() {
        status = Status.SUCCESS;
        result = 0;
        allIssued = false;
        startBlock = firstBlock;
        blocksLeft = blockCount;
    }

    // ---- Going another way

    /** Whether it fails, and is retried by its owner, where it would have to wait for a connection. */
    boolean failsOver() {
        return owner != null && owner.queues().failsOver();
    }

    /** Whether its owner takes it over although it has failed. */
    boolean isTakenOver(HostQueue queue) {
        if (owner == null || Status.isSuccess(status) || !owner.queues().failsOver()) {
            return false;
        }
        if (retries++ == 0) {
            firstFailureNanos = System.nanoTime();
        }
        return owner.queues().retry(this, queue);
    }

    /** The 15-bit status of the first command that failed. */
    public int status() {
        return status;
    }

    /** Whether no command of it was ever sent. */
    public boolean isUnsent() {
        return !sent;
    }

    /** Whether carrying it out twice has the same outcome as once. */
    public boolean isIdempotent() {
        return repeatable;
    }

    /** Whether it is one of a pair. */
    public boolean isFused() {
        return sqe.fuse() != 0;
    }

    /** How often it has failed. */
    public int retries() {
        return retries;
    }

    /** For how long it has been failing. */
    public long failedForNanos() {
        return System.nanoTime() - firstFailureNanos;
    }

    /** For {@link IoQueues#retry}: begins anew on a queue, which owns it from now on. */
    public void retryOn(HostQueue queue) {
        rewind();
        queue.submit(this);
    }

    /** For {@link IoQueues#retry}: lets it fail with its {@link #status}. */
    public void giveUp() {
        complete();
    }

    /** Tells whoever it belongs to, after it has gone back to its pool. */
    void complete() {
        IoCallback called = callback;
        int outcome = status;
        long value = result;
        release();
        try {
            called.onComplete(outcome, value);
        } catch (RuntimeException e) {
            LOG.error("a callback failed", e);
        }
    }

    /**
     * Makes it a run of commands whose SLBA is CDW10-11 and whose NLB is bits 15:0 of CDW12; the entry needs neither.
     *
     * @param blockCount at least 1
     * @param maxBlocks of one command, 1 to 65536
     * @param blockShift the block size as a power of two: so much data belongs to each block if there is data at all
     */
    public Request blocks(long startBlock, long blockCount, int maxBlocks, int blockShift) {
        this.firstBlock = startBlock;
        this.blockCount = blockCount;
        this.startBlock = startBlock;
        this.blocksLeft = blockCount;
        this.maxBlocks = maxBlocks;
        this.blockShift = blockShift;
        return this;
    }

    /** Blank again, and back in its pool. */
    void release() {
        if (pool != null) {
            pool.release(this);
        } else {
            reset();
        }
    }

    /** Starts from the first byte of the data. */
    void begin() {
        cursor.set(data);
    }

    /** Whether all commands that will be sent have been sent. */
    boolean isAllIssued() {
        return allIssued;
    }

    /** Writes the next command into the entry; returns the length of its data in bytes. */
    int nextCommand() {
        sent = true;
        if (blocksLeft == 0) {
            allIssued = true;
            return (int) data.lengthBytes();
        }
        int blocks = (int) Math.min(maxBlocks, blocksLeft);
        sqe.cdwPair(START_BLOCK_DWORD, startBlock);
        sqe.cdw(BLOCK_COUNT_DWORD, sqe.cdw(BLOCK_COUNT_DWORD) & ~NLB_MASK | blocks - 1);
        startBlock += blocks;
        blocksLeft -= blocks;
        allIssued = blocksLeft == 0;
        return direction == DataDirection.NONE ? 0 : blocks << blockShift;
    }

    /** Records the end of one command. The first failure is the outcome, and nothing more is sent after it. */
    void commandDone(int status, long result) {
        outstanding--;
        if (Status.isSuccess(this.status) && !Status.isSuccess(status)) {
            this.status = status;
            allIssued = true;
        }
        this.result = result;
    }

    /** Fails what was not sent. */
    void fail(int status) {
        if (Status.isSuccess(this.status)) {
            this.status = status;
        }
        allIssued = true;
    }

    boolean isDone() {
        return allIssued && outstanding == 0;
    }
}
