package io.nvmf.tools.perf;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.Status;
import io.nvmf.codec.StatusNames;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.IoCallback;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The requests of one I/O queue to its part of a namespace. A request that is done makes way for the next, at once or, at a
 * rate, when that is due; its latency counts from then. Everything happens on the event loop of the queue; nothing is
 * allocated there but by timers, and those only run at a rate.
 */
final class Stream {
    /** Other places are tried for a request whose blocks have one on its way, before it waits for that to be done. */
    private static final int MAX_TRIES = 64;

    private static final double NS_PER_S = 1e9;

    private final Load load;
    private final Namespace namespace;
    private final int queue;
    private final IoEventLoop loop;
    private final Workload workload;
    private final Part part;
    private final SplittableRandom random;
    private final Addresses addresses;
    private final BlockPattern pattern;
    private final Ledger ledger;
    private final Slot[] slots;
    private final Slot[] free;
    private int freeCount;

    private final double intervalNs;
    private final Runnable pumpTask = this::onTimer;
    private boolean timerIsSet;
    private boolean isMeasuring;
    /** Where a request that is begun, or done, now is counted; the warm-up has a tally of its own. */
    private Tally readsNow;

    private Tally writesNow;

    private long scheduleStartNs;
    private long scheduled;
    /** Requests to begin while measuring, 0 without a limit. */
    private final long requests;
    /** Of them; of no meaning in the warm-up. */
    private long left;

    private boolean isFinished;
    /** Requests that had no answer when they were given up. */
    int unanswered;

    final Tally reads = new Tally();
    final Tally writes = new Tally();
    private final Tally warmUp = new Tally();
    /** Whose data was right. */
    long checkedBlocks;
    /** Read, but of blocks that this run had not written. */
    long uncheckedBlocks;

    /**
     * Which part of a namespace.
     *
     * @param firstByte and {@code lengthBytes} are whole blocks
     */
    record Part(long firstByte, long lengthBytes) {}

    /** A request and its buffer. */
    private final class Slot implements IoCallback {
        private final ByteBuffer buffer;
        private long startNs;
        private long firstBlock;
        private int blocks;
        private boolean writes;
        private boolean isOut;
        private Tally tally;

        Slot(ByteBuffer buffer) {
            this.buffer = buffer;
        }

        @Override
        public void onComplete(int status, long result) {
            onDone(this, status);
        }
    }

    /**
     * @param buffers one for each request that may be out, of the largest size
     * @param requests to begin while measuring, 0 for no limit
     * @param ratePerSecond 0 for as many as there are buffers
     */
    Stream(
            Load load,
            Namespace namespace,
            int queue,
            Workload workload,
            Part part,
            ByteBuffer[] buffers,
            long requests,
            double ratePerSecond) {
        this.load = load;
        this.namespace = namespace;
        this.queue = queue;
        this.workload = workload;
        this.part = part;
        loop = namespace.queues().get(queue).loop();
        random = new SplittableRandom(workload.seed() + 31L * queue);
        addresses = Addresses.of(workload, part.lengthBytes, workload.sizes().smallest(), random.split());
        int blockBytes = namespace.blockSizeBytes();
        pattern = workload.verify() ? new BlockPattern(blockBytes, workload.seed(), load.number()) : null;
        ledger = workload.verify() ? new Ledger((int) (part.lengthBytes / blockBytes)) : null;
        this.requests = requests;
        readsNow = warmUp;
        writesNow = warmUp;
        intervalNs = ratePerSecond == 0 ? 0 : NS_PER_S / ratePerSecond;
        slots = Arrays.stream(buffers).map(Slot::new).toArray(Slot[]::new);
        free = slots.clone();
        freeCount = free.length;
    }

    /** The load begins with its warm-up, or ends; any thread. */
    void onPhase() {
        loop.execute(() -> pump(System.nanoTime()));
    }

    /**
     * The measurement begins; any thread. Nothing branches elsewhere than in the warm-up from now on: what ran for the first
     * time would have to be compiled, and all that calls it.
     */
    void onMeasure() {
        loop.execute(() -> {
            isMeasuring = true;
            readsNow = reads;
            writesNow = writes;
            left = requests;
            scheduled = 0; // no backlog of the warm-up is measured
            pump(System.nanoTime());
        });
    }

    private void onTimer() {
        timerIsSet = false;
        pump(System.nanoTime());
    }

    /** Begins what may be begun. */
    private void pump(long nowNs) {
        while (freeCount > 0 && mayBegin() && isDue(nowNs)) {
            if (!begin(intervalNs == 0 ? nowNs : dueNs())) {
                break;
            }
        }
        if (!mayBegin() && freeCount == free.length && !isFinished) {
            finish();
        }
    }

    private void finish() {
        isFinished = true;
        countOverdue();
        load.onFinished();
    }

    /**
     * The load has ended and waits no longer; any thread. What is out counts as long as it has been, also what was begun before
     * the measurement: it had no answer all the time. What comes of it later changes nothing any more.
     */
    void giveUp() {
        loop.execute(() -> {
            if (isFinished) {
                return;
            }
            long nowNs = System.nanoTime();
            for (Slot slot : slots) {
                if (slot.isOut) {
                    unanswered++;
                    (slot.writes ? writesNow : readsNow).addError(nowNs - slot.startNs);
                }
            }
            finish();
        });
    }

    private boolean mayBegin() {
        return !load.isEnding() && (workload.requests() == 0 || !isMeasuring || left > 0);
    }

    private boolean isDue(long nowNs) {
        if (intervalNs == 0) {
            return true;
        }
        if (scheduled == 0) {
            scheduleStartNs = nowNs;
        }
        long waitNs = dueNs() - nowNs;
        if (waitNs > 0 && !timerIsSet) {
            timerIsSet = true;
            loop.schedule(pumpTask, waitNs, TimeUnit.NANOSECONDS);
        }
        return waitNs <= 0;
    }

    private long dueNs() {
        return scheduleStartNs + (long) (scheduled * intervalNs);
    }

    /** False if there is no place for the request now. */
    private boolean begin(long startNs) {
        Slot slot = free[freeCount - 1];
        slot.writes = workload.pattern().isMixed()
                ? random.nextInt(100) >= workload.readPercent()
                : workload.pattern().writes();
        int lengthBytes = workload.sizes().next(random);
        if (!place(slot, lengthBytes)) {
            return false;
        }
        freeCount--;
        slot.isOut = true;
        scheduled++;
        slot.startNs = startNs;
        slot.tally = slot.writes ? writesNow : readsNow;
        left--;
        slot.buffer.clear().limit(lengthBytes);
        boolean accepted;
        if (slot.writes) {
            fill(slot);
            accepted = namespace.submitWrite(queue, slot.firstBlock, slot.buffer, false, slot);
        } else {
            accepted = namespace.submitRead(queue, slot.firstBlock, slot.buffer, slot);
        }
        if (!accepted) {
            giveBack(slot);
            load.fail("the host's queue holds fewer requests than were allowed");
        }
        return accepted;
    }

    private boolean place(Slot slot, int lengthBytes) {
        int blockBytes = namespace.blockSizeBytes();
        slot.blocks = lengthBytes / blockBytes;
        for (int i = 0; i < MAX_TRIES; i++) {
            slot.firstBlock = (part.firstByte + addresses.next(lengthBytes)) / blockBytes;
            if (ledger == null || ledger.claim(ledgerIndex(slot), slot.blocks)) {
                return true;
            }
        }
        return false;
    }

    private int ledgerIndex(Slot slot) {
        return (int) (slot.firstBlock - part.firstByte / namespace.blockSizeBytes());
    }

    private void fill(Slot slot) {
        if (pattern == null) {
            return;
        }
        int first = ledgerIndex(slot);
        for (int i = 0; i < slot.blocks; i++) {
            pattern.write(
                    slot.buffer, i * namespace.blockSizeBytes(), slot.firstBlock + i, ledger.generation(first + i) + 1);
        }
    }

    private void onDone(Slot slot, int status) {
        if (isFinished) {
            return;
        }
        long nowNs = System.nanoTime();
        giveBack(slot);
        if (!Status.isSuccess(status)) {
            load.fail(
                    (slot.writes ? "a write" : "a read") + " of " + slot.blocks + " blocks at block " + slot.firstBlock
                            + " of namespace " + namespace.nsid() + " failed: "
                            + StatusNames.describe(status, StatusNames.Kind.IO_NVM)
                            + (Status.sct(status) == Status.TYPE_PATH
                                    ? ", " + namespace.queues().get(queue).lossMessage()
                                    : ""));
            slot.tally.addError(nowNs - slot.startNs);
        } else {
            count(slot, nowNs);
        }
        if (ledger != null) {
            if (Status.isSuccess(status)) {
                settle(slot);
            }
            ledger.release(ledgerIndex(slot), slot.blocks);
        }
        pump(nowNs);
    }

    private void giveBack(Slot slot) {
        slot.isOut = false;
        free[freeCount++] = slot;
    }

    private void count(Slot slot, long nowNs) {
        slot.tally.addLatency(nowNs - slot.startNs);
        if (!load.isEnding()) {
            (workload.requests() > 0 ? slot.tally : slot.writes ? writesNow : readsNow).addDone(slot.buffer.limit());
        }
    }

    /** Requests that were due before the end and were not begun have waited until then at least: a stall counts. */
    private void countOverdue() {
        Tally tally = workload.pattern().isMixed() || !workload.pattern().writes() ? reads : writes;
        if (intervalNs > 0 && isMeasuring && scheduled > 0) {
            long unbegun = workload.requests() == 0 ? Long.MAX_VALUE : left;
            tally.addLatencies(load.endNs() - dueNs(), intervalNs, unbegun);
        }
    }

    private void settle(Slot slot) {
        int first = ledgerIndex(slot);
        for (int i = 0; i < slot.blocks; i++) {
            if (slot.writes) {
                ledger.written(first + i, ledger.generation(first + i) + 1);
            } else {
                check(slot, i, ledger.generation(first + i));
            }
        }
    }

    private void check(Slot slot, int index, int generation) {
        if (generation == 0 && workload.pattern().writes()) {
            uncheckedBlocks++;
            return;
        }
        int at = index * namespace.blockSizeBytes();
        long block = slot.firstBlock + index;
        long wrongAt = pattern.firstWrong(slot.buffer, at, block);
        if (wrongAt != BlockPattern.GOOD) {
            load.fail("block " + block + " of namespace " + namespace.nsid() + " has wrong data from its byte "
                    + wrongAt + " on" + (generation == 0 ? ", or was not written with this seed and --verify" : ""));
        } else if (generation != 0 && !pattern.isOf(generation, slot.buffer, at)) {
            int found = pattern.generation(slot.buffer, at);
            load.fail("block " + block + " of namespace " + namespace.nsid() + " has the data of write " + found
                    + " of it" + (pattern.isOf(found, slot.buffer, at) ? "" : " by an earlier run")
                    + ", not of the latest, " + generation);
        } else {
            checkedBlocks++;
        }
    }
}
