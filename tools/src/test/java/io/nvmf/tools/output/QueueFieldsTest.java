package io.nvmf.tools.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nvmf.codec.log.TransportType;
import io.nvmf.target.queue.DataCounts;
import io.nvmf.target.queue.QueueReport;
import io.nvmf.target.queue.SubsystemReport;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueueFieldsTest {
    private static final QueueReport REPORT = new QueueReport(
            TransportType.RDMA,
            "[2001:db8::1]:40000",
            "nqn.2026-01.com.example:a",
            7,
            2,
            new DataCounts(1, 4096, 3, 196608, 5, 8, 32768, 9));
    private static final SubsystemReport TOTAL = new SubsystemReport(
            TransportType.TCP, "nqn.2026-01.com.example:a", 3, 4, new DataCounts(10, 11, 12, 13, 14, 15, 16, 17));

    @Test
    void shouldShowOneRowForEachQueue() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8)) {
            QueueFields.queueTable(List.of(REPORT)).print(out);
            QueueFields.totalTable(List.of(TOTAL)).print(out);
        }
        List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();
        assertEquals(4, lines.size());
        assertEquals(
                "rdma [2001:db8::1]:40000 7 2 1 4096 3 196608 5 8 32768 9",
                lines.get(1).replaceAll(" +", " "));
        assertEquals(
                "tcp nqn.2026-01.com.example:a 3 4 10 11 12 13 14 15 16 17",
                lines.get(3).replaceAll(" +", " "));
    }

    @Test
    void shouldBeOneObjectOnALineForPrograms() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8)) {
            Json.printLine(out, QueueFields.toJson(List.of(REPORT), List.of(TOTAL)));
        }
        assertEquals(
                "{\"queues\":[{\"transport\":\"rdma\",\"peer\":\"[2001:db8::1]:40000\","
                        + "\"subsystem_nqn\":\"nqn.2026-01.com.example:a\",\"controller\":7,\"queue\":2,"
                        + "\"in_capsule_commands\":1,\"in_capsule_bytes\":4096,\"fetched_commands\":3,"
                        + "\"fetched_bytes\":196608,\"fetch_requests\":5,\"sent_commands\":8,\"sent_bytes\":32768,"
                        + "\"send_requests\":9}],\"totals\":[{\"transport\":\"tcp\","
                        + "\"subsystem_nqn\":\"nqn.2026-01.com.example:a\",\"connected_queues\":3,\"ended_queues\":4,"
                        + "\"in_capsule_commands\":10,\"in_capsule_bytes\":11,\"fetched_commands\":12,"
                        + "\"fetched_bytes\":13,\"fetch_requests\":14,\"sent_commands\":15,\"sent_bytes\":16,"
                        + "\"send_requests\":17}]}" + System.lineSeparator(),
                bytes.toString(StandardCharsets.UTF_8));
    }
}
