package io.nvmf.tools.perf;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** How long requests of one kind took, and how much they moved. Written by one thread; read once that has stopped. */
public final class Tally {
    private static final long LONGEST_NS = TimeUnit.HOURS.toNanos(1);
    private static final int DIGITS = 3;

    /** Grows with what it has to hold: a quarter of a megabyte at once would be much for a thousand queues. */
    private final Histogram latencies = new Histogram(DIGITS);

    private long requests;
    private long bytes;

    /** Of a request that was begun while measuring, whenever it was done: one that hangs at the end must show. */
    void addLatency(long latencyNs) {
        latencies.recordValue(Math.min(Math.max(latencyNs, 0), LONGEST_NS));
    }

    /** Of a request that was done while measuring, whenever it was begun. */
    void addDone(int lengthBytes) {
        requests++;
        bytes += lengthBytes;
    }

    void add(Tally other) {
        latencies.add(other.latencies);
        requests += other.requests;
        bytes += other.bytes;
    }

    /** Both together. */
    static Tally sum(Tally one, Tally other) {
        Tally sum = new Tally();
        sum.add(one);
        sum.add(other);
        return sum;
    }

    public long requests() {
        return requests;
    }

    public long bytes() {
        return bytes;
    }

    /** Of latencies in nanoseconds. */
    public Histogram latencies() {
        return latencies;
    }
}
