package io.nvmf.tools;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nvmf.conformance.Catalog;
import io.nvmf.conformance.fuzz.FuzzCase;
import io.nvmf.conformance.fuzz.FuzzKind;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code nvmf conformance}, on a target of this process and on one that does wrong. */
class ConformanceCommandTest {
    private static final String PLAIN = "TCP.IC.Plain";
    private static LoopbackTarget target;

    @TempDir
    private Path directory;

    @BeforeAll
    static void serve() throws IOException {
        target = LoopbackTarget.serve(512, new MemoryBlockDevice(1 << 20));
    }

    @AfterAll
    static void stop() {
        target.close();
    }

    private CommandRun run(String line) {
        return CommandRun.of(words(line));
    }

    private String[] words(String line) {
        return line.replace("URI", target.subsystemUri())
                .replace("DIR", directory.toString())
                .split(" ");
    }

    // ---- which checks

    @Test
    void shouldListChecksWithoutATarget() throws IOException {
        CommandRun all = run("conformance --list");
        assertEquals(0, all.status());
        List<String> lines = all.out().lines().toList();
        Catalog.all().forEach(check -> assertTrue(all.out().contains(check.id()), check::id));
        assertTrue(lines.get(lines.size() - 1).matches(Catalog.all().size() + " checks in \\d+ suites?"), all::out);
        JsonNode json = new ObjectMapper()
                .readTree(run("conformance --list -o json -t tcp.ic.pla*").out());
        assertEquals(1, json.get("count").asInt());
        assertEquals(PLAIN, json.at("/checks/0/id").asText());
        assertEquals("must", json.at("/checks/0/level").asText());
    }

    @Test
    void shouldRunWhatIsNamedOnceEach() throws IOException {
        CommandRun run = run("conformance URI -o json -t " + PLAIN + " -t *.plain -t TCP.IC.PfvOne");
        assertEquals("", run.err());
        assertEquals(0, run.status());
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertEquals(
                List.of("TCP.IC.PfvOne", PLAIN), json.get("checks").findValuesAsText("id"), "in the catalog's order");
        assertEquals(2, json.at("/counts/PASS").asInt());
        assertEquals("serial1", json.at("/target/sn").asText());
    }

    @Test
    void shouldSkipWhatTheSkipFileNames() throws IOException {
        Files.writeString(directory.resolve("skips"), "# known\n\nTCP.IC.Pl*  the lab's reason\n");
        CommandRun run = run("conformance URI --skip-file DIR/skips -t " + PLAIN);
        assertEquals(0, run.status(), run::err);
        assertTrue(run.out().startsWith("SKIP  " + PLAIN + ": the lab's reason\n"), run::out);
        Files.writeString(directory.resolve("skips"), "\nTCP.IC.Plane\n");
        CommandRun wrong = run("conformance URI --skip-file DIR/skips");
        assertEquals(2, wrong.status());
        assertTrue(wrong.err().contains("skips:2: no check is called TCP.IC.Plane"), wrong::err);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-t TCP.IC.Plian | no check is called 'TCP.IC.Plian'; did you mean TCP.IC.Plain?",
                "-t XYZZY.* | no check is called 'XYZZY.*'; see nvmf conformance --list",
                "--level shall | --level 'shall' is none of must, should, robust and all",
                "--timeout 0 | --timeout '0' is not a number from 1 to 600",
                "--skip-file DIR/none | --skip-file DIR/none: no such file",
                "--junit DIR/none/x | --junit DIR/none/x: its directory does not exist",
                "--json DIR/x --html DIR/x | --html DIR/x is the file of another report",
                "--html DIR | --html DIR: is a directory",
                "--hostid 1 | --hostid '1' is no UUID, it looks like 7d444840-9dc0-11d1-b245-5ffdce74fad2",
            })
    void shouldSayWhatIsWrongBeforeItConnects(String options, String sentence) throws IOException {
        CommandRun run =
                run("conformance nvmf-tcp://127.0.0.1:" + Nobody.address().getPort() + " " + options);
        assertEquals(
                "nvmf conformance: " + sentence.replace("DIR", directory.toString()) + " (see nvmf help conformance)"
                        + System.lineSeparator(),
                run.err());
        assertEquals(2, run.status());
        assertEquals("", run.out());
    }

    @Test
    void shouldReplayACaseFromItsFile() throws IOException {
        String play = "conformance URI/1 --dataloss --disruptive --replay DIR/case.json";
        FuzzCase fuzz = new FuzzCase(FuzzKind.PDU_HEADERS, 1, 7, List.of(new byte[] {0x11, 0, 8, 0, 8, 0, 0, 0}));
        Files.writeString(directory.resolve("case.json"), fuzz.toJson());
        CommandRun run = run(play);
        assertEquals(0, run.status(), run::err);
        assertTrue(run.out().contains("STRESS.REPLAY.Kept"), run::out);

        assertEquals(2, run(play.replace("--disruptive ", "")).status());
        assertEquals(2, run(play + " -t TCP").status());
        Files.writeString(directory.resolve("case.json"), "{\"kind\": \"PDU_HEADERS\", \"seed\": 1}");
        CommandRun bad = run(play);
        assertEquals(2, bad.status());
        assertTrue(bad.err().contains("is no fuzz case"), bad::err);
    }

    @Test
    void shouldNeedAUriAndANamespaceThatIsThere() {
        CommandRun none = run("conformance -t " + PLAIN);
        assertEquals(2, none.status());
        assertTrue(none.err().startsWith("nvmf conformance: no target named: give nvmf-tcp|rdma://"), none::err);
        CommandRun other = run("conformance URI/7 -t " + PLAIN);
        assertEquals(2, other.status());
        assertTrue(other.err().contains("no namespace 7"), other::err);
    }

    @Test
    void shouldNotLoseDataOfANamespaceThatAnotherHostHasRegisteredWith() throws IOException {
        try (LoopbackTarget used = LoopbackTarget.serve(512, new MemoryBlockDevice(1 << 20))) {
            String register = "resv-register " + used.uri(1) + " --nrkey 7 --hostnqn " + LoopbackTarget.ALLOWED_HOST;
            assertEquals(0, run(register).status());
            String line = "conformance " + used.uri(1) + " -t " + PLAIN;
            CommandRun refused = run(line + " --dataloss");
            assertEquals(2, refused.status());
            assertTrue(refused.err().startsWith("nvmf conformance: namespace 1 is in use: host "), refused::err);
            assertEquals(0, run(line).status());
        }
    }

    // ---- what came of them

    @Test
    void shouldWriteAllReports() throws Exception {
        CommandRun run = run("conformance URI/1 -t " + PLAIN
                + " --seed 9 --junit DIR/r.xml --json DIR/r.json --html DIR/r.html --dump DIR/dump");
        assertEquals("", run.err());
        assertEquals(0, run.status());
        assertTrue(run.out().startsWith("PASS  " + PLAIN + "\n"), run::out);
        assertTrue(run.out().contains("1 passed, 0 failed"), run::out);
        JsonNode json = new ObjectMapper().readTree(directory.resolve("r.json").toFile());
        assertEquals(9, json.at("/options/seed").asInt());
        assertEquals(2048, json.at("/target/blocks").asInt());
        assertTrue(Files.readString(directory.resolve("r.xml")).contains("<testcase name=\"Plain\""));
        assertTrue(Files.readString(directory.resolve("r.html")).contains("id=\"" + PLAIN + "\""));
        assertTrue(Files.readString(directory.resolve("dump/" + PLAIN + ".txt")).contains("<- ICResp"));
    }

    @Test
    void shouldFailAndShowWhyWhenATargetDoesWrong() throws Exception {
        try (MuteTarget wrong = MuteTarget.withReservedByte(100)) {
            CommandRun run = run("conformance " + wrong.uri() + " -t " + PLAIN + " --junit DIR/r.xml");
            assertEquals(1, run.status(), run::err);
            assertTrue(run.out().startsWith("FAIL  " + PLAIN + "\n"), run::out);
            assertTrue(run.out().contains("      sent      ICReq PFV 0"), run::out);
            assertTrue(run.out().contains("      expected  reserved byte 100 0\n      got       1\n"), run::out);
            assertTrue(run.out().contains("<- ICResp"), run::out);
            assertTrue(Files.readString(directory.resolve("r.xml")).contains("<failure type=\"must\""));
        }
    }

    @Test
    void shouldDrawProgressOnATerminalAlone() {
        CommandRun run = CommandRun.onTerminal(words("conformance URI -t " + PLAIN));
        assertTrue(run.err().contains("] 0 of 1"), run::err);
        assertTrue(run.err().contains("[##############################] 1 of 1"), run::err);
        assertTrue(run.err().endsWith("\r\u001b[K"), run::err);
        assertTrue(run.out().startsWith("\u001b[32mPASS\u001b[0m  " + PLAIN), run::out);
    }

    // ---- no target, or not to its end

    @Test
    void shouldSayWhenThereIsNoTargetToTest() throws IOException {
        CommandRun nobody =
                run("conformance nvmf-tcp://127.0.0.1:" + Nobody.address().getPort());
        assertEquals(3, nobody.status());
        assertTrue(nobody.err().contains(" cannot be reached: Connection refused"), nobody::err);
        assertEquals(1, nobody.err().lines().count());
        CommandRun unknown = run("conformance nvmf-tcp://no.such.host.invalid");
        assertEquals(3, unknown.status());
        assertTrue(unknown.err().contains("host no.such.host.invalid is unknown"), unknown::err);
        CommandRun rdma = run("conformance nvmf-rdma://127.0.0.1/nqn.2026-01.com.example:x");
        assertEquals(3, rdma.status());
        assertTrue(rdma.err().contains(MissingRdma.CAUSE), rdma::err);
        CommandRun refused = run("conformance URIx");
        assertEquals(3, refused.status());
        assertTrue(refused.err().contains(" cannot be tested: expected success of Connect"), refused::err);
        try (LoopbackTarget choosy = LoopbackTarget.serveOneHost(512, new MemoryBlockDevice(1 << 20))) {
            String line = "conformance " + choosy.subsystemUri() + " -t " + PLAIN;
            assertEquals(3, run(line).status());
            assertEquals(
                    0, run(line + " --hostnqn " + LoopbackTarget.ALLOWED_HOST).status());
        }
    }

    @Test
    void shouldReportWhatRanWhenInterrupted() throws Exception {
        try (MuteTarget mute = MuteTarget.afterConnections(2)) {
            CompletableFuture<CommandRun> done = new CompletableFuture<>();
            Thread thread = new Thread(() -> done.complete(run("conformance " + mute.uri()
                    + " --timeout 600 --json DIR/r.json -t " + PLAIN + " -t TCP.IC.PfvOne")));
            thread.start();
            await().until(mute::isKeepingSilent);
            thread.interrupt();
            CommandRun run = done.get(30, TimeUnit.SECONDS);
            assertEquals(1, run.status());
            assertEquals(
                    "nvmf conformance: interrupted; the result is of the checks that had ended"
                            + System.lineSeparator(),
                    run.err());
            assertFalse(run.out().contains(PLAIN), run::out);
            assertTrue(run.out().endsWith("interrupted before the other 1\n"), run::out);
            JsonNode json =
                    new ObjectMapper().readTree(directory.resolve("r.json").toFile());
            assertFalse(json.get("complete").asBoolean(true));
            assertEquals(1, json.get("checks").size());
            await().until(mute::hasNoConnections);
        }
    }
}
