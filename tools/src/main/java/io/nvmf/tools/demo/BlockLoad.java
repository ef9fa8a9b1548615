package io.nvmf.tools.demo;

import io.nvmf.codec.Status;
import io.nvmf.codec.StatusNames;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.initiator.queue.IoCallback;
import io.nvmf.tools.CommandException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/** Writes or reads a region block by block, several blocks at a time, over all queues in turn, and takes the time. */
final class BlockLoad {
    private static final int HISTOGRAM_DIGITS = 3;

    private final Namespace namespace;
    private final int queues;
    private final int blockBytes;
    private final int inFlight;

    /** @param inFlight blocks on their way at a time */
    BlockLoad(Namespace namespace, int queues, int blockBytes, int inFlight) {
        this.namespace = namespace;
        this.queues = queues;
        this.blockBytes = blockBytes;
        this.inFlight = inFlight;
    }

    /** Stores the region at the start of the namespace. Blocks. */
    Timing write(ByteBuffer region) throws InterruptedException, CommandException {
        return run(
                region,
                "Write",
                (queue, startBlock, block, callback) ->
                        namespace.submitWrite(queue, startBlock, block, false, callback));
    }

    /** Fills the region from the start of the namespace. Blocks. */
    Timing read(ByteBuffer region) throws InterruptedException, CommandException {
        return run(region, "Read", namespace::submitRead);
    }

    private interface Submission {
        boolean submit(int queue, long startBlock, ByteBuffer block, IoCallback callback);
    }

    private Timing run(ByteBuffer region, String name, Submission submission)
            throws InterruptedException, CommandException {
        int count = region.capacity() / blockBytes;
        long[] latenciesNs = new long[count];
        AtomicInteger failure = new AtomicInteger(Status.SUCCESS);
        Semaphore free = new Semaphore(inFlight);
        long startNs = System.nanoTime();
        for (int i = 0; i < count && failure.get() == Status.SUCCESS; i++) {
            int block = i;
            free.acquire();
            long blockStartNs = System.nanoTime();
            boolean accepted = submission.submit(
                    i % queues,
                    (long) i * blockBytes / namespace.blockSizeBytes(),
                    region.slice(i * blockBytes, blockBytes),
                    (status, result) -> {
                        latenciesNs[block] = System.nanoTime() - blockStartNs;
                        failure.compareAndSet(Status.SUCCESS, status);
                        free.release();
                    });
            if (!accepted) {
                throw new CommandException("the host's queues cannot hold " + inFlight + " requests");
            }
        }
        free.acquire(inFlight);
        long elapsedNs = System.nanoTime() - startNs;
        if (failure.get() != Status.SUCCESS) {
            throw new CommandException(name + " of " + blockBytes + " bytes failed: "
                    + StatusNames.describe(failure.get(), StatusNames.Kind.IO_NVM));
        }
        Histogram histogram = new Histogram(HISTOGRAM_DIGITS);
        for (long latencyNs : latenciesNs) {
            histogram.recordValue(latencyNs);
        }
        return new Timing((long) count * blockBytes, elapsedNs, histogram);
    }
}
