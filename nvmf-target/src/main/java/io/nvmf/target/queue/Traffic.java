package io.nvmf.target.queue;

import io.nvmf.codec.log.TransportType;
import io.nvmf.target.controller.QueueCounters;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What queues have done, by subsystem and transport: of one event loop, which owns it, those that have ended; or a sum over
 * loops.
 */
public final class Traffic {
    private record Way(TransportType transport, String subsystemNqn) {}

    private static final class Tally {
        final QueueCounters counters = new QueueCounters();
        int connectedQueues;
        long endedQueues;
    }

    private final Map<Way, Tally> tallies =
            new TreeMap<>(Comparator.comparing(Way::subsystemNqn).thenComparing(Way::transport));

    /** A queue has ended. */
    void ended(TransportType transport, String subsystemNqn, QueueCounters counters) {
        Tally tally = tally(new Way(transport, subsystemNqn));
        tally.counters.addAll(counters);
        tally.endedQueues++;
    }

    /** Adds a queue that is connected. */
    void connected(TransportType transport, String subsystemNqn, QueueCounters counters) {
        Tally tally = tally(new Way(transport, subsystemNqn));
        tally.counters.addAll(counters);
        tally.connectedQueues++;
    }

    /** Adds what a loop's queues have done, those that are connected too. On that loop. */
    public void addAll(TargetLoop loop) {
        loop.traffic().tallies.forEach((way, other) -> {
            Tally tally = tally(way);
            tally.counters.addAll(other.counters);
            tally.endedQueues += other.endedQueues;
        });
        loop.queues().forEach(queue -> queue.addTo(this));
    }

    private Tally tally(Way way) {
        return tallies.computeIfAbsent(way, key -> new Tally());
    }

    /** One report for each subsystem and transport that any queue has used, in the order of their names. */
    public List<SubsystemReport> reports() {
        return tallies.entrySet().stream()
                .map(entry -> new SubsystemReport(
                        entry.getKey().transport(),
                        entry.getKey().subsystemNqn(),
                        entry.getValue().connectedQueues,
                        entry.getValue().endedQueues,
                        DataCounts.of(entry.getValue().counters)))
                .toList();
    }
}
