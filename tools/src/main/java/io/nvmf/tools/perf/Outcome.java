package io.nvmf.tools.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What came of a load.
 *
 * @param depth requests that were out at a time for each namespace
 * @param rows one for each namespace
 * @param cpuNs processor time of this process while measuring, compilers and garbage collection included
 * @param checkedBlocks whose data was right
 * @param uncheckedBlocks read before this run had written them
 */
public record Outcome(int depth, List<Row> rows, long elapsedNs, long cpuNs, long checkedBlocks, long uncheckedBlocks) {
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_S = TimeUnit.SECONDS.toNanos(1);

    /**
     * Of one namespace.
     *
     * @param queues one for each I/O queue; none when there is one queue alone
     */
    public record Row(String name, Tally reads, Tally writes, List<Queue> queues) {
        Tally both() {
            return Tally.sum(reads, writes);
        }

        /** What the slowest queue has of an even share of the requests: 1 when all had as many. */
        double slowestShare() {
            long fewest = queues.stream().mapToLong(Queue::requests).min().orElse(0);
            long all = queues.stream().mapToLong(Queue::requests).sum();
            return all == 0 ? 0 : (double) fewest * queues.size() / all;
        }
    }

    /** Of one I/O queue, reads and writes together. */
    public record Queue(long requests, long p99Ns) {
        static Queue of(Tally tally) {
            return new Queue(tally.requests(), tally.latencies().getValueAtPercentile(99));
        }
    }

    /** One line of a report. */
    record Line(String name, String operation, Tally tally) {}

    /** Reads and writes of each namespace, and both together where there are both; a total of several namespaces. */
    List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        for (Row row : rows) {
            addLines(lines, row);
        }
        if (rows.size() > 1) {
            addLines(lines, total());
        }
        return lines;
    }

    private static void addLines(List<Line> lines, Row row) {
        boolean reads = row.reads.requests() > 0;
        boolean writes = row.writes.requests() > 0;
        if (reads || !writes) {
            lines.add(new Line(row.name, "read", row.reads));
        }
        if (writes) {
            lines.add(new Line(row.name, "write", row.writes));
        }
        if (reads && writes) {
            lines.add(new Line(row.name, "both", row.both()));
        }
    }

    private Row total() {
        Tally reads = new Tally();
        Tally writes = new Tally();
        for (Row row : rows) {
            reads.add(row.reads);
            writes.add(row.writes);
        }
        return new Row("total", reads, writes, List.of());
    }

    /** Of all namespaces. */
    Tally all() {
        return total().both();
    }

    double seconds() {
        return elapsedNs / NS_PER_S;
    }

    /** Requests a second of all namespaces. */
    public double requestsPerSecond() {
        return perSecond(all());
    }

    double perSecond(Tally tally) {
        return elapsedNs == 0 ? 0 : tally.requests() / seconds();
    }

    double cpuUsPerRequest() {
        long requests = all().requests();
        return requests == 0 ? 0 : cpuNs / NS_PER_US / requests;
    }

    static double microseconds(double ns) {
        return ns / NS_PER_US;
    }
}
