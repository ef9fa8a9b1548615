package io.nvmf.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final long SECOND_NS = 1_000_000_000;

    private static Tally tally(int requests, long latencyNs) {
        Tally tally = new Tally();
        for (int i = 0; i < requests; i++) {
            tally.addLatency(i < requests * 98 / 100 ? latencyNs : 10 * latencyNs);
            tally.addDone(4096);
        }
        return tally;
    }

    private static Outcome outcome(int depth, int requests) {
        return new Outcome(
                depth,
                List.of(new Outcome.Row("a", tally(requests, 100_000), new Tally(), List.of())),
                2 * SECOND_NS,
                SECOND_NS / 1000,
                0,
                0);
    }

    private static String text(Consumer<PrintStream> report) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        report.accept(new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    @Test
    void shouldShowRatesAndLatenciesInMicroseconds() {
        assertEquals("""
                Namespace  Op    IOPS  MB/s  avg us    P50    P90     P99   P99.9     max  P99/P50
                a          read   500   2.0   118.0  100.0  100.0  1000.4  1000.4  1000.4     10.0
                2.0 s, depth 8, 1.00 us of processor time a request in this process
                """, text(out -> Report.print(out, outcome(8, 1000))));
    }

    @Test
    void shouldSumReadsWritesAndNamespaces() {
        Outcome outcome = new Outcome(
                4,
                List.of(
                        new Outcome.Row("a", tally(100, 1000), tally(300, 1000), List.of()),
                        new Outcome.Row("b", new Tally(), tally(600, 1000), List.of())),
                SECOND_NS,
                0,
                10,
                2);
        JsonNode json = Report.toJson(outcome);
        assertEquals(
                List.of(
                        "a read 100",
                        "a write 300",
                        "a both 400",
                        "b write 600",
                        "total read 100",
                        "total write 900",
                        "total both 1000"),
                json.get("results").findParents("op").stream()
                        .map(line ->
                                line.get("name").asText() + " " + line.get("op").asText() + " "
                                        + line.get("iops").asLong())
                        .toList());
        assertEquals(1000 * 4096, json.at("/results/6/bytes").asLong());
        assertEquals(10, json.at("/verify/checked_blocks").asLong());
        assertEquals(2, json.at("/verify/unchecked_blocks").asLong());
    }

    @Test
    void shouldTellHowEvenlyQueuesAreServed() {
        Outcome outcome = new Outcome(
                3,
                List.of(new Outcome.Row(
                        "a",
                        tally(300, 1000),
                        new Tally(),
                        List.of(
                                new Outcome.Queue(150, 2000),
                                new Outcome.Queue(60, 5000),
                                new Outcome.Queue(90, 3000)))),
                SECOND_NS,
                0,
                0,
                0);
        String text = text(out -> Report.print(out, outcome));
        assertTrue(
                text.endsWith(
                        "a: the slowest of 3 queues had 0.60 of an even share of the requests; P99 from 2.0 to 5.0 us\n"),
                text);
        JsonNode queues = Report.toJson(outcome).get("queues");
        assertEquals(
                "{\"name\":\"a\",\"queue\":2,\"ios\":60,\"p99_us\":5.0}",
                queues.get(1).toString());
        assertEquals(3, queues.size());
    }

    @Test
    void shouldNameTheKneeOfARamp() {
        List<Outcome> ramp =
                List.of(outcome(1, 100), outcome(2, 190), outcome(4, 301), outcome(8, 334), outcome(16, 320));
        assertEquals(4, Report.rampToJson(ramp).get("knee").asInt());
        String[] lines = text(out -> Report.printRamp(out, ramp)).split("\n");
        assertEquals(7, lines.length);
        assertEquals("knee: depth 4, the first with 90 % of the most requests a second", lines[6]);
    }

    @Test
    void shouldWriteALineForEachOutcomeAsCsv() {
        assertEquals("""
                depth,name,op,ios,bytes,seconds,iops,mb_per_s,mean_us,p50_us,p90_us,p99_us,p99.9_us,max_us,p99_by_p50,cpu_us_per_io
                1,a,read,1000,4096000,2.000,500.0,2.05,118.00,100.03,100.03,1000.45,1000.45,1000.45,10.00,1.000
                2,a,read,500,2048000,2.000,250.0,1.02,118.00,100.03,100.03,1000.45,1000.45,1000.45,10.00,2.000
                """, text(out -> Report.printCsv(out, List.of(outcome(1, 1000), outcome(2, 500)))));
    }

    @Test
    void shouldTellHowOneNamespaceComparesWithAll() {
        Outcome both = new Outcome(
                1,
                List.of(
                        new Outcome.Row("a", tally(450, 1000), new Tally(), List.of()),
                        new Outcome.Row("b", tally(450, 1000), new Tally(), List.of())),
                2 * SECOND_NS,
                0,
                0,
                0);
        assertEquals(
                "the first alone: 250 IOPS; all 2 together: 450 IOPS, 1.80 times as many\n",
                text(out -> Report.printScaling(out, outcome(1, 500), both)));
        assertEquals(
                1.8, Report.scalingToJson(outcome(1, 500), both).get("scaling").asDouble(), 1e-9);
    }
}
