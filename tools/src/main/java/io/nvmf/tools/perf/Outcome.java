package io.nvmf.tools.perf;

import io.nvmf.tools.output.Rates;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * What came of a load.
 *
 * @param depth requests that were out at a time for each namespace
 * @param askedPerSecond requests to begin for each namespace, 0 without a rate
 * @param rows one for each namespace
 * @param checks null without verification
 */
public record Outcome(int depth, long askedPerSecond, List<Row> rows, Span span, Checks checks, End end) {
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_S = TimeUnit.SECONDS.toNanos(1);

    /**
     * While it was measured.
     *
     * @param cpuNs processor time of this process, compilers and garbage collection included
     */
    public record Span(long elapsedNs, long cpuNs) {}

    /**
     * Of verification.
     *
     * @param checkedBlocks whose data was right
     * @param uncheckedBlocks read before this run had written them
     */
    public record Checks(long checkedBlocks, long uncheckedBlocks) {}

    /** How a measurement came to its end. */
    public enum How {
        /** When its time was over, or its number of requests done. */
        COMPLETE,
        /** Early, by an interrupt. */
        INTERRUPTED,
        /** Early, because a request failed or its data was wrong. */
        FAILED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The end of a measurement.
     *
     * @param failure a sentence, null when it did not fail
     * @param unanswered requests that were given up
     */
    public record End(How how, String failure, long unanswered) {
        static End of(String failure, boolean interrupted, long unanswered) {
            How how = failure != null ? How.FAILED : interrupted ? How.INTERRUPTED : How.COMPLETE;
            return new End(how, failure, unanswered);
        }
    }

    /**
     * Of one namespace.
     *
     * @param queues one for each I/O queue
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

    /**
     * One line of a report.
     *
     * @param queues I/O queues that bore it
     * @param askedPerSecond 0 without a rate, and when this is but a part of what was asked for
     */
    record Line(String name, String operation, Tally tally, int queues, long askedPerSecond) {}

    /** Reads and writes of each namespace, and both together where there are both; a total of several namespaces. */
    List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        for (Row row : rows) {
            addLines(lines, row, askedPerSecond);
        }
        if (rows.size() > 1) {
            addLines(lines, total(), askedPerSecond * rows.size());
        }
        return lines;
    }

    private static void addLines(List<Line> lines, Row row, long asked) {
        boolean reads = row.reads.isUsed();
        boolean writes = row.writes.isUsed();
        int queues = row.queues.size();
        if (reads || !writes) {
            lines.add(new Line(row.name, "read", row.reads, queues, writes ? 0 : asked));
        }
        if (writes) {
            lines.add(new Line(row.name, "write", row.writes, queues, reads ? 0 : asked));
        }
        if (reads && writes) {
            lines.add(new Line(row.name, "both", row.both(), queues, asked));
        }
    }

    private Row total() {
        Tally reads = new Tally();
        Tally writes = new Tally();
        List<Queue> queues = new ArrayList<>();
        for (Row row : rows) {
            reads.add(row.reads);
            writes.add(row.writes);
            queues.addAll(row.queues);
        }
        return new Row("total", reads, writes, queues);
    }

    /** Those of which there is more to tell than of all their queues together. */
    List<Row> rowsOfSeveralQueues() {
        return rows.stream().filter(row -> row.queues.size() > 1).toList();
    }

    /** Of all namespaces. */
    Tally all() {
        return total().both();
    }

    long checkedBlocks() {
        return checks == null ? 0 : checks.checkedBlocks;
    }

    long uncheckedBlocks() {
        return checks == null ? 0 : checks.uncheckedBlocks;
    }

    double seconds() {
        return span.elapsedNs / NS_PER_S;
    }

    /** Requests a second of all namespaces. */
    public double requestsPerSecond() {
        return perSecond(all());
    }

    double perSecond(Tally tally) {
        return span.elapsedNs == 0 ? 0 : tally.requests() / seconds();
    }

    double megabytesPerSecond(Tally tally) {
        return Rates.megabytesPerSecond(tally.bytes(), span.elapsedNs);
    }

    double cpuUsPerRequest() {
        long requests = all().requests();
        return requests == 0 ? 0 : span.cpuNs / NS_PER_US / requests;
    }

    static double microseconds(double ns) {
        return ns / NS_PER_US;
    }
}
