package io.nvmf.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.nvmf.tools.output.Json;
import io.nvmf.tools.perf.Measured.Mode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** The three reports, of the same measurements. */
class ReportTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final Outcome.Checks NO_CHECKS = null;
    private static final Outcome.End COMPLETE = Outcome.End.of(null, false, 0);

    private static Tally tally(int requests, long latencyNs) {
        Tally tally = new Tally();
        for (int i = 0; i < requests; i++) {
            tally.addLatency(i < requests * 98 / 100 ? latencyNs : 10 * latencyNs);
            tally.addDone(4096);
        }
        return tally;
    }

    private static Outcome.Row row(String name, Tally reads, Tally writes) {
        return row(name, reads, writes, new Outcome.Queue(1, 1));
    }

    private static Outcome.Row row(String name, Tally reads, Tally writes, Outcome.Queue... queues) {
        return new Outcome.Row(name, reads, writes, List.of(queues));
    }

    /** Of a second. */
    private static Outcome outcome(Outcome.Row... rows) {
        return new Outcome(1, 0, List.of(rows), new Outcome.Span(SECOND_NS, 0), NO_CHECKS, COMPLETE);
    }

    /** Of reads in two seconds. */
    private static Outcome outcome(int depth, int requests) {
        return outcome(depth, requests, 0, COMPLETE);
    }

    private static Outcome outcome(int depth, int requests, long asked, Outcome.End end) {
        return new Outcome(
                depth,
                asked,
                List.of(row("a", tally(requests, 100_000), new Tally())),
                new Outcome.Span(2 * SECOND_NS, SECOND_NS / 1000),
                NO_CHECKS,
                end);
    }

    private static Measured run(Outcome outcome) {
        return new Measured(Mode.RUN, List.of(new Measured.Phase("run", outcome)), true);
    }

    private static Measured ramp(boolean isComplete, Outcome... outcomes) {
        return new Measured(
                Mode.RAMP,
                Arrays.stream(outcomes)
                        .map(outcome -> new Measured.Phase("ramp", outcome))
                        .toList(),
                isComplete);
    }

    private static Measured scaling(int before, int together, int after) {
        return new Measured(
                Mode.SCALING,
                List.of(
                        new Measured.Phase(Measured.ALONE_BEFORE, outcome(row("a", tally(before, 1000), new Tally()))),
                        new Measured.Phase(
                                Measured.TOGETHER,
                                outcome(
                                        row("a", tally(together / 2, 1000), new Tally()),
                                        row("b", tally(together / 2, 1000), new Tally()))),
                        new Measured.Phase(Measured.ALONE_AFTER, outcome(row("a", tally(after, 1000), new Tally())))),
                true);
    }

    private static String write(BiConsumer<PrintStream, Measured> report, Measured measured) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        report.accept(new PrintStream(out, true, StandardCharsets.UTF_8), measured);
        return out.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    private static String text(Measured measured) {
        return write(TextReport::print, measured);
    }

    private static String[] csv(Measured measured) {
        return write(CsvReport::print, measured).split("\n");
    }

    private static String column(String[] csv, int line, String name) {
        return csv[line].split(",", -1)[List.of(csv[0].split(",")).indexOf(name)];
    }

    private static JsonNode json(Measured measured) {
        return JsonReport.toJson(measured, Json.object().put("io_depth", 7));
    }

    @Test
    void shouldShowRatesAndLatenciesInMicroseconds() {
        assertEquals("""
                Namespace  Op    IOPS  MB/s  avg us    P50    P90     P99   P99.9     max  P99/P50
                a          read   500   2.0   118.0  100.0  100.0  1000.4  1000.4  1000.4     10.0
                2.0 s, depth 8, 1.00 us of processor time a request in this process
                """, text(run(outcome(8, 1000))));
    }

    @Test
    void shouldWriteNumbersAsExactAsTheyAreMeasured() {
        JsonNode json = json(run(new Outcome(
                3,
                0,
                List.of(row("a", tally(1000, 123_457), new Tally())),
                new Outcome.Span(3 * SECOND_NS + 1, SECOND_NS / 3),
                NO_CHECKS,
                COMPLETE)));
        assertEquals(
                "{\"options\":{\"io_depth\":7},\"depth\":3,\"seconds\":3.0,\"cpu_us_per_io\":333.333,\"ended\":\"complete\","
                        + "\"results\":[{\"name\":\"a\",\"op\":\"read\",\"num_qpairs\":1,\"ios\":1000,\"errors\":0,\"bytes\":4096000,\"iops\":333.3,"
                        + "\"mb_per_s\":1.37,\"latency_us\":{\"mean\":145.71,\"p50\":123.52,\"p90\":123.52,"
                        + "\"p99\":1234.94,\"p99_9\":1234.94,\"max\":1234.94,\"p99_by_p50\":10.0}}]}",
                json.toString());
    }

    @Test
    void shouldSumReadsWritesAndNamespaces() {
        Outcome outcome = new Outcome(
                4,
                0,
                List.of(row("a", tally(100, 1000), tally(300, 1000)), row("b", new Tally(), tally(600, 1000))),
                new Outcome.Span(SECOND_NS, 0),
                new Outcome.Checks(10, 2),
                COMPLETE);
        JsonNode json = json(run(outcome));
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
        Measured measured = run(outcome(row(
                "a",
                tally(300, 1000),
                new Tally(),
                new Outcome.Queue(150, 2000),
                new Outcome.Queue(60, 5000),
                new Outcome.Queue(90, 3000))));
        String text = text(measured);
        assertTrue(
                text.endsWith(
                        "a: the slowest of 3 queues had 0.60 of an even share of the requests; P99 from 2.0 to 5.0 us\n"),
                text);
        JsonNode queues = json(measured).get("queues");
        assertEquals(
                "{\"name\":\"a\",\"queue\":2,\"ios\":60,\"p99_us\":5.0}",
                queues.get(1).toString());
        assertEquals(3, queues.size());
    }

    @Test
    void shouldTellWhichRateWasAskedForAndWhichReached() {
        Measured missed = run(outcome(8, 1000, 2000, COMPLETE));
        assertTrue(text(missed).endsWith("\na: asked for 2000 requests a second, reached 500\n"), text(missed));
        assertEquals(2000, json(missed).at("/results/0/asked_iops").asLong());
        assertEquals("2000", column(csv(missed), 1, "asked_iops"));
        Outcome several = new Outcome(
                1,
                300,
                List.of(row("a", tally(100, 1000), tally(200, 1000)), row("b", tally(250, 1000), new Tally())),
                new Outcome.Span(SECOND_NS, 0),
                NO_CHECKS,
                COMPLETE);
        String text = text(run(several));
        assertTrue(text.endsWith("""
                a: asked for 300 requests a second, reached 300
                b: asked for 300 requests a second, reached 250
                total: asked for 600 requests a second, reached 550
                """), text);
        assertEquals("", column(csv(run(several)), 1, "asked_iops"));
        assertEquals("300", column(csv(run(several)), 3, "asked_iops"));
    }

    @Test
    void shouldNameTheKneeOfARamp() {
        Measured ramp =
                ramp(true, outcome(1, 100), outcome(2, 190), outcome(4, 301), outcome(8, 334), outcome(16, 320));
        assertEquals(4, json(ramp).get("knee").asInt());
        String[] lines = text(ramp).split("\n");
        assertEquals(7, lines.length);
        assertEquals("knee: depth 4, the first with 90 % of the most requests a second", lines[6]);
        String[] csv = csv(ramp);
        assertEquals(
                List.of("0", "0", "1", "0", "0"),
                List.of(1, 2, 3, 4, 5).stream()
                        .map(line -> column(csv, line, "knee"))
                        .toList());
    }

    @Test
    void shouldNameNoKneeWhenARampEndedEarly() {
        Measured ramp = ramp(false, outcome(1, 100), outcome(2, 190), outcome(4, 3, 0, Outcome.End.of(null, true, 0)));
        JsonNode json = json(ramp);
        assertFalse(json.has("knee"), json::toString);
        assertFalse(json.get("complete").asBoolean());
        assertEquals("complete", json.at("/ramp/1/ended").asText());
        assertEquals("interrupted", json.at("/ramp/2/ended").asText());
        assertFalse(text(ramp).contains("knee: depth"), text(ramp));
        assertTrue(text(ramp).contains("the ramp ended early, so that no knee is known\n"), text(ramp));
        assertEquals("", column(csv(ramp), 2, "knee"));
        assertEquals("interrupted", column(csv(ramp), 3, "ended"));
    }

    @Test
    void shouldNameNoKneeWhenARampStillRisesAtItsEnd() {
        Measured ramp = ramp(true, outcome(1, 100), outcome(2, 190), outcome(4, 201));
        assertTrue(text(ramp).endsWith("\nno knee: still rising at the largest depth: give a larger -q\n"), text(ramp));
        assertTrue(json(ramp).get("rising").asBoolean());
        assertFalse(json(ramp).has("knee"));
        assertEquals("", column(csv(ramp), 3, "knee"));
        Measured level = ramp(true, outcome(1, 100), outcome(2, 190), outcome(4, 199));
        assertEquals(2, json(level).get("knee").asInt());
        assertFalse(json(level).get("rising").asBoolean());
    }

    @Test
    void shouldSayWhatTheDepthOfARampIsOf() {
        Tally reads = tally(100, 1000);
        Measured ramp = ramp(true, outcome(row("a", reads, new Tally()), row("b", reads, new Tally())));
        assertTrue(
                text(ramp).contains("\nthe depth is for each of 2 namespaces, all else is of all together\n"),
                text(ramp));
    }

    @Test
    void shouldTellErrorsApartFromWhatWasDone() {
        Tally reads = tally(97, 100_000);
        reads.addError(7 * SECOND_NS);
        Measured measured =
                run(outcome(row("a", reads, new Tally(), new Outcome.Queue(50, 1), new Outcome.Queue(47, 1))));
        assertTrue(text(measured).contains("\nrequests that failed or had no answer: 1; "), text(measured));
        JsonNode result = json(measured).at("/results/0");
        assertEquals(97, result.get("ios").asInt());
        assertEquals(1, result.get("errors").asInt());
        assertEquals(2, result.get("num_qpairs").asInt());
        assertEquals(7e6, result.at("/latency_us/max").asDouble(), 1e4);
        assertEquals("1", column(csv(measured), 1, "errors"));
        assertEquals("2", column(csv(measured), 1, "num_qpairs"));
    }

    @Test
    void shouldTellWhatWasCheckedAndNothingOfWhatCouldNotBeWhenAllWas() {
        Measured all = run(verified(new Outcome.Checks(10, 0)));
        assertTrue(text(all).endsWith("\n10 blocks read had the right data\n"), text(all));
        Measured part = run(verified(new Outcome.Checks(10, 2)));
        assertTrue(
                text(part)
                        .endsWith("\n10 blocks read had the right data, 2 could not be checked, for this run had not"
                                + " written them\n"),
                text(part));
        assertEquals("10", column(csv(part), 1, "checked_blocks"));
        assertEquals("2", column(csv(part), 1, "unchecked_blocks"));
        assertEquals(
                0,
                json(run(verified(new Outcome.Checks(0, 0))))
                        .at("/verify/checked_blocks")
                        .asInt(-1));
    }

    private static Outcome verified(Outcome.Checks checks) {
        Outcome.Row row = row("a", tally(10, 1000), new Tally());
        return new Outcome(1, 0, List.of(row), new Outcome.Span(SECOND_NS, 0), checks, COMPLETE);
    }

    @Test
    void shouldMarkWhatAnErrorEnded() {
        Measured measured = new Measured(
                Mode.RUN,
                List.of(new Measured.Phase("run", outcome(8, 1000, 0, Outcome.End.of("a read failed", true, 0)))),
                false);
        assertTrue(text(measured).endsWith("ended early by an error: this is of the time until then\n"));
        assertEquals("failed", json(measured).get("ended").asText());
        assertEquals("a read failed", json(measured).get("error").asText());
        assertEquals("failed", column(csv(measured), 1, "ended"));
    }

    @Test
    void shouldWriteALineForEachOutcomeAsCsv() {
        assertEquals("""
                phase,depth,num_qpairs,name,op,ios,errors,bytes,seconds,asked_iops,iops,mb_per_s,mean_us,p50_us,p90_us,p99_us,p99_9_us,max_us,p99_by_p50,cpu_us_per_io,checked_blocks,unchecked_blocks,ended,knee
                ramp,1,1,a,read,1000,0,4096000,2.000,,500.0,2.05,118.00,100.03,100.03,1000.45,1000.45,1000.45,10.00,1.000,,,complete,1
                ramp,2,1,a,read,500,0,2048000,2.000,,250.0,1.02,118.00,100.03,100.03,1000.45,1000.45,1000.45,10.00,2.000,,,complete,0
                """, write(CsvReport::print, ramp(true, outcome(1, 1000), outcome(2, 500))));
        assertEquals(
                "run,1,1,\"a,\"\"b\",read",
                csv(run(outcome(row("a,\"b", tally(1, 1000), new Tally()))))[1].substring(0, 20));
    }

    @Test
    void shouldTellHowOneNamespaceComparesWithAll() {
        Measured even = scaling(490, 900, 510);
        assertTrue(
                text(even)
                        .endsWith("\nthe first alone: 490 IOPS before, 510 after; all 2 together: 900 IOPS, 1.80 times"
                                + " the mean of these\n"),
                text(even));
        JsonNode json = json(even);
        assertEquals(1.8, json.get("scaling").asDouble());
        assertEquals(500, json.get("alone_iops").asDouble());
        assertEquals(0.04, json.get("alone_drift").asDouble());
        assertEquals(490, json.at("/alone_before/results/0/ios").asInt());
        assertEquals(900, json.at("/together/results/2/ios").asInt());
        assertEquals(510, json.at("/alone_after/results/0/ios").asInt());
        String[] csv = csv(even);
        assertEquals(6, csv.length);
        assertEquals("alone_before", column(csv, 1, "phase"));
        assertEquals("together", column(csv, 4, "phase"));
        assertEquals("alone_after", column(csv, 5, "phase"));
    }

    @Test
    void shouldSayThatScalingIsDoubtfulWhenTheFirstAloneHasChanged() {
        assertTrue(
                text(scaling(400, 900, 600)).contains("\nbefore and after differ by 40 %: "),
                text(scaling(400, 900, 600)));
        assertFalse(text(scaling(480, 900, 520)).contains("differ"));
    }
}
