package io.nvmf.tools.perf;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * How long requests of one kind took, and how much they moved. Written by one thread; read once that has stopped, but for
 * the sums, which other threads may read at any time, a little late.
 */
public final class Tally {
    private static final long LONGEST_NS = TimeUnit.HOURS.toNanos(1);
    private static final int DIGITS = 3;

    /** What is told of latencies, by its name. */
    static final Map<String, Double> PERCENTILES = new LinkedHashMap<>();

    static {
        PERCENTILES.put("p50", 50.0);
        PERCENTILES.put("p90", 90.0);
        PERCENTILES.put("p99", 99.0);
        PERCENTILES.put("p99_9", 99.9);
    }

    /** Grows with what it has to hold: a quarter of a megabyte at once would be much for a thousand queues. */
    private final Histogram latencies = new Histogram(DIGITS);

    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private long errors;

    /** Of a request that was begun while measuring, whenever it was done: one that hangs at the end must show. */
    void addLatency(long latencyNs) {
        latencies.recordValue(Math.min(Math.max(latencyNs, 0), LONGEST_NS));
    }

    /**
     * Of requests that each began an interval after the one before and ended together: the longest latency, and those
     * above 0 that follow. As many steps as there are latencies to be told apart, for the requests may be billions.
     *
     * @param most so many requests there are at the most
     */
    void addLatencies(long longestNs, double intervalNs, long most) {
        long rest = most;
        for (double leftNs = longestNs; leftNs > 0 && rest > 0; ) {
            long value = (long) Math.min(leftNs, LONGEST_NS);
            long alike = (long) ((leftNs - latencies.lowestEquivalentValue(value)) / intervalNs) + 1;
            long count = Math.min(alike, rest);
            latencies.recordValueWithCount(value, count);
            leftNs -= count * intervalNs;
            rest -= count;
        }
    }

    /** Of a request that was done while measuring, whenever it was begun. */
    void addDone(int lengthBytes) {
        requests.lazySet(requests.get() + 1);
        bytes.lazySet(bytes.get() + lengthBytes);
    }

    /** Of a request that failed, or had no answer when it was given up: how long that took counts as any latency. */
    void addError(long latencyNs) {
        addLatency(latencyNs);
        errors++;
    }

    void add(Tally other) {
        latencies.add(other.latencies);
        errors += other.errors;
        requests.lazySet(requests.get() + other.requests());
        bytes.lazySet(bytes.get() + other.bytes());
    }

    /** Both together. */
    static Tally sum(Tally one, Tally other) {
        Tally sum = new Tally();
        sum.add(one);
        sum.add(other);
        return sum;
    }

    public long requests() {
        return requests.get();
    }

    /** Whether a request of this kind is told of. */
    boolean isUsed() {
        return requests() + errors > 0;
    }

    public long bytes() {
        return bytes.get();
    }

    /** Requests that failed or had no answer. */
    long errors() {
        return errors;
    }

    /** P99 as a multiple of P50; 0 without requests. */
    double tail() {
        long median = latencies.getValueAtPercentile(50);
        return median == 0 ? 0 : (double) latencies.getValueAtPercentile(99) / median;
    }

    /** Of latencies in nanoseconds. */
    public Histogram latencies() {
        return latencies;
    }
}
