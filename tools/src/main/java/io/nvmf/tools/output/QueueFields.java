package io.nvmf.tools.output;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.target.queue.QueueReport;
import java.util.List;

/** How the data of a target's queues has travelled. */
public final class QueueFields {
    private QueueFields() {}

    /** For people, one row a queue: how often, how many bytes, and for what is moved apart from capsules how it was. */
    public static Table table(List<QueueReport> reports) {
        Table table = new Table(
                "transport",
                "peer",
                "ctrl",
                "queue",
                "in capsule",
                "bytes",
                "fetched",
                "bytes",
                "R2T/READ",
                "sent",
                "bytes",
                "C2HData/WRITE");
        for (QueueReport report : reports) {
            table.row(
                    report.transport().toString(),
                    report.peer(),
                    text(report.controllerId()),
                    text(report.queueId()),
                    text(report.inCapsuleCommands()),
                    text(report.inCapsuleBytes()),
                    text(report.fetchedCommands()),
                    text(report.fetchedBytes()),
                    text(report.fetchRequests()),
                    text(report.sentCommands()),
                    text(report.sentBytes()),
                    text(report.sendRequests()));
        }
        return table;
    }

    /** The same for programs. */
    public static ObjectNode toJson(List<QueueReport> reports) {
        ObjectNode json = Json.object();
        ArrayNode queues = json.putArray("queues");
        for (QueueReport report : reports) {
            queues.addObject()
                    .put("transport", report.transport().toString())
                    .put("peer", report.peer())
                    .put("subsystem_nqn", report.subsystemNqn())
                    .put("controller", report.controllerId())
                    .put("queue", report.queueId())
                    .put("in_capsule_commands", report.inCapsuleCommands())
                    .put("in_capsule_bytes", report.inCapsuleBytes())
                    .put("fetched_commands", report.fetchedCommands())
                    .put("fetched_bytes", report.fetchedBytes())
                    .put("fetch_requests", report.fetchRequests())
                    .put("sent_commands", report.sentCommands())
                    .put("sent_bytes", report.sentBytes())
                    .put("send_requests", report.sendRequests());
        }
        return json;
    }

    private static String text(long number) {
        return Long.toString(number);
    }
}
