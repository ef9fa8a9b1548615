package io.nvmf.tools.output;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.target.queue.DataCounts;
import io.nvmf.target.queue.QueueReport;
import io.nvmf.target.queue.SubsystemReport;
import java.util.List;
import java.util.stream.Stream;

/** How the data of a target's queues has travelled. */
public final class QueueFields {
    private static final List<String> DATA_HEAD =
            List.of("in capsule", "bytes", "fetched", "bytes", "R2T/READ", "sent", "bytes", "C2HData/WRITE");

    private QueueFields() {}

    /** For people, one row a queue: how often, how many bytes, and for what is moved apart from capsules how it was. */
    public static Table queueTable(List<QueueReport> reports) {
        Table table = new Table(withData("transport", "peer", "ctrl", "queue"));
        for (QueueReport report : reports) {
            table.row(withData(
                    report.data(),
                    report.transport().toString(),
                    report.peer(),
                    text(report.controllerId()),
                    text(report.queueId())));
        }
        return table;
    }

    /** For people, one row a subsystem and transport, with the queues that have ended. */
    public static Table totalTable(List<SubsystemReport> reports) {
        Table table = new Table(withData("transport", "subsystem", "queues", "ended"));
        for (SubsystemReport report : reports) {
            table.row(withData(
                    report.data(),
                    report.transport().toString(),
                    report.subsystemNqn(),
                    text(report.connectedQueues()),
                    text(report.endedQueues())));
        }
        return table;
    }

    private static String[] withData(String... head) {
        return Stream.concat(Stream.of(head), DATA_HEAD.stream()).toArray(String[]::new);
    }

    private static String[] withData(DataCounts data, String... cells) {
        return Stream.concat(
                        Stream.of(cells),
                        Stream.of(
                                        data.inCapsuleCommands(),
                                        data.inCapsuleBytes(),
                                        data.fetchedCommands(),
                                        data.fetchedBytes(),
                                        data.fetchRequests(),
                                        data.sentCommands(),
                                        data.sentBytes(),
                                        data.sendRequests())
                                .map(QueueFields::text))
                .toArray(String[]::new);
    }

    /** The same for programs. */
    public static ObjectNode toJson(List<QueueReport> queues, List<SubsystemReport> totals) {
        ObjectNode json = Json.object();
        ArrayNode queueArray = json.putArray("queues");
        for (QueueReport report : queues) {
            ObjectNode queue = queueArray
                    .addObject()
                    .put("transport", report.transport().toString())
                    .put("peer", report.peer())
                    .put("subsystem_nqn", report.subsystemNqn())
                    .put("controller", report.controllerId())
                    .put("queue", report.queueId());
            putData(queue, report.data());
        }
        ArrayNode totalArray = json.putArray("totals");
        for (SubsystemReport report : totals) {
            ObjectNode total = totalArray
                    .addObject()
                    .put("transport", report.transport().toString())
                    .put("subsystem_nqn", report.subsystemNqn())
                    .put("connected_queues", report.connectedQueues())
                    .put("ended_queues", report.endedQueues());
            putData(total, report.data());
        }
        return json;
    }

    private static void putData(ObjectNode json, DataCounts data) {
        json.put("in_capsule_commands", data.inCapsuleCommands())
                .put("in_capsule_bytes", data.inCapsuleBytes())
                .put("fetched_commands", data.fetchedCommands())
                .put("fetched_bytes", data.fetchedBytes())
                .put("fetch_requests", data.fetchRequests())
                .put("sent_commands", data.sentCommands())
                .put("sent_bytes", data.sentBytes())
                .put("send_requests", data.sendRequests());
    }

    private static String text(long number) {
        return Long.toString(number);
    }
}
