package io.nvmf.tools;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.channel.IoEventLoop;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockCompletion;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code nvmf perf} on a target of this process. */
class PerfCommandTest {
    private static final int BLOCK_BYTES = 512;
    private static final String INTERRUPTED =
            "nvmf perf: interrupted; the result is of the time until then" + System.lineSeparator();
    private static LoopbackTarget target;

    @TempDir
    private Path directory;

    @BeforeAll
    static void serve() throws IOException {
        target = LoopbackTarget.serve(BLOCK_BYTES, new MemoryBlockDevice(1 << 20), new MemoryBlockDevice(1 << 20));
    }

    @AfterAll
    static void stop() {
        target.close();
    }

    private static CommandRun run(String line) {
        return CommandRun.of(line.replace("NS1", target.uri(1))
                .replace("NS2", target.uri(2))
                .replace("BASE", target.subsystemUri())
                .split(" "));
    }

    private static JsonNode json(String line) throws IOException {
        CommandRun run = run(line + " --output-format json");
        assertEquals("", run.err());
        assertEquals(0, run.status());
        return new ObjectMapper().readTree(run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "write", "randread", "randwrite"})
    void shouldDoAsManyRequestsAsAskedFor(String pattern) throws IOException {
        JsonNode result =
                json("perf NS1 -a 0 -d 501 -q 7 -P 3 -o 1k -w " + pattern).at("/results/0");
        assertEquals(501, result.get("ios").asInt());
        assertEquals(501 * 1024, result.get("bytes").asInt());
        assertEquals(pattern.replace("rand", ""), result.get("op").asText());
        assertTrue(result.at("/latency_us/max").asDouble()
                >= result.at("/latency_us/p50").asDouble());
        assertTrue(result.at("/latency_us/p50").asDouble() > 0);
    }

    @Test
    void shouldVerifyWhenEventLoopsPoll() throws IOException {
        JsonNode result =
                json("perf NS1 --poll -a 0 -d 2001 -q 6 -P 2 --threads 2 -o 1k -w randrw --verify --size 32k");
        assertEquals(2001, result.at("/results/2/ios").asInt());
        assertTrue(result.at("/verify/checked_blocks").asLong() > 0, result::toString);
    }

    @Test
    void shouldMixReadsWritesAndSizesAsAskedFor() throws IOException {
        JsonNode results = json("perf NS1 -a 0 -d 2000 -q 16 -w randrw -M 70 -o 512/50:4k/50")
                .get("results");
        long reads = results.get(0).get("ios").asLong();
        long writes = results.get(1).get("ios").asLong();
        assertEquals(2000, reads + writes);
        assertEquals(1400, reads, 120);
        double meanBytes = results.get(2).get("bytes").asDouble() / 2000;
        assertEquals((512 + 4096) / 2.0, meanBytes, 200);
    }

    @Test
    void shouldMeasureSeveralNamespacesAndAddThemUp() throws IOException {
        JsonNode results = json("perf NS1 NS2 -a 0 -d 300 -q 4 -o 512").get("results");
        assertEquals(3, results.size());
        assertEquals(target.uri(2), results.get(1).get("name").asText());
        assertEquals(600, results.get(2).get("ios").asInt());
        JsonNode scaling = json("perf NS1 NS2 -a 0 -d 300 -q 4 -o 512 --scaling");
        assertEquals(300, scaling.at("/alone_before/results/0/ios").asInt());
        assertEquals(600, scaling.at("/together/results/2/ios").asInt());
        assertEquals(300, scaling.at("/alone_after/results/0/ios").asInt());
        assertEquals(4, scaling.at("/options/io_depth").asInt());
        assertTrue(scaling.get("scaling").asDouble() > 0);
    }

    @Test
    void shouldWalkTheDepthUpToWhatWasAskedFor() throws IOException {
        JsonNode ramp = json("perf NS1 -a 0 -d 50 -q 6 -o 512 --ramp");
        assertEquals(4, ramp.get("ramp").size());
        assertEquals(1, ramp.at("/ramp/0/depth").asInt());
        assertEquals(6, ramp.at("/ramp/3/depth").asInt());
        assertTrue(ramp.get("rising").asBoolean() || ramp.get("knee").asInt() >= 1, ramp::toString);
        assertEquals(
                5,
                run("perf NS1 -a 0 -d 50 -q 6 -o 512 --ramp --output-format csv")
                        .out()
                        .lines()
                        .count());
    }

    @Test
    void shouldMeasureForATimeAfterAWarmUp() throws IOException {
        JsonNode json = json("perf NS1 -a 1 -t 1 -q 4 -o 512 --zipf 0.9");
        assertTrue(json.get("seconds").asDouble() >= 1, json::toString);
        assertTrue(json.at("/results/0/ios").asLong() > 0, json::toString);
    }

    @Test
    void shouldShowOnATerminalHowItGetsOn() {
        CommandRun run = CommandRun.onTerminal("perf", target.uri(1), "-a", "1", "-t", "1", "--ramp", "-q", "1");
        assertEquals(0, run.status(), run::err);
        assertTrue(
                run.err()
                        .matches("(\r\u001b\\[Kdepth 1, \\d+ s of warm-up)+(\r\u001b\\[Kdepth 1, \\d+ s: \\d+ IOPS,"
                                + " [0-9.]+ MB/s)+\r\u001b\\[K"),
                run::err);
    }

    @Test
    void shouldSayHowToCheckMoreWhenItCouldCheckLittle() {
        CommandRun run = run("perf NS2 -a 0 -d 100 -q 4 -o 512 -w randrw --verify");
        assertEquals(0, run.status());
        assertEquals(
                "nvmf perf: most of the blocks read could not be checked, for this run had not written them: to check all,"
                        + " write them first with -w write --verify, then read them with -w read or randread, --verify and"
                        + " the same --seed" + System.lineSeparator(),
                run.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "perf URI/1 -a 0 -t 600 -q 4 -o 512 --output-format json | /",
                "perf URI/1 -a 0 -t 600 -q 4 -o 512 --rate-iops 3000 --output-format json | /",
                "perf URI/1 -a 0 -d 1000000000 -q 4 -P 2 -o 512 --ramp --output-format json | /ramp/0/",
            })
    void shouldTellWhatItHasMeasuredWhenTheTargetIsLost(String line, String at) throws Exception {
        LoopbackTarget own = LoopbackTarget.serve(BLOCK_BYTES, new MemoryBlockDevice(1 << 20));
        AtomicReference<CommandRun> ended = new AtomicReference<>();
        Thread thread = new Thread(() ->
                ended.set(CommandRun.of(line.replace("URI", own.subsystemUri()).split(" "))));
        try (own) {
            thread.start();
            awaitReads(own);
        }
        thread.join();
        CommandRun run = ended.get();
        assertEquals(1, run.status(), run::err);
        assertTrue(run.err().matches("nvmf perf: a read of 1 blocks at .* failed: .*\\R"), run::err);
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertTrue(json.at(at + "results/0/ios").asLong() > 0, run::out);
        assertEquals("failed", json.at(at + "ended").asText());
        assertEquals("nvmf perf: " + json.at(at + "error").asText() + System.lineSeparator(), run.err());
    }

    @Test
    void shouldKeepTheFirstOfARampWhenInterruptedBeforeTheNextIsMeasured() throws IOException {
        String betweenTwo = "(?s).*\r\u001b\\[K";
        JsonNode json = interruptedAt(
                betweenTwo, "perf " + target.uri(1) + " -a 1 -d 1 -q 2 -o 512 --ramp --output-format json");
        assertEquals(1, json.get("ramp").size(), json::toString);
        assertEquals("complete", json.at("/ramp/0/ended").asText());
        assertFalse(json.get("complete").asBoolean());
    }

    @Test
    void shouldCountNoMoreWaitingRequestsThanWereToBegin() throws IOException {
        try (LoopbackTarget slow = LoopbackTarget.serve(BLOCK_BYTES, device("read", 1, 3_600_000))) {
            JsonNode json = interruptedAt(
                    "(?s).* IOPS, .*",
                    "perf " + slow.uri(1) + " -a 0 -d 3 -q 1 -o 512 --rate-iops 1000 --output-format json");
            // Two were due at the start, and waited all the time; of a thousand, half waited less than half of it.
            assertTrue(
                    json.at("/results/0/latency_us/p50").asDouble()
                            > 0.9e6 * json.get("seconds").asDouble(),
                    json::toString);
        }
    }

    /** The JSON of a command that is interrupted by itself, once what it shows on a terminal looks so. */
    private static JsonNode interruptedAt(String shown, String line) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream() {
            private boolean done;

            @Override
            public void flush() {
                if (!done && toString(StandardCharsets.UTF_8).matches(shown)) {
                    done = true;
                    Thread.currentThread().interrupt(); // which is the one that measures
                }
            }
        };
        Console console = new Console(
                InputStream.nullInputStream(),
                new PrintStream(out, false, StandardCharsets.UTF_8),
                out,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                fd -> true,
                new MissingRdma());
        int status = Nvmf.run(List.of(line.split(" ")), console);
        Thread.interrupted();
        assertEquals(1, status, err::toString);
        assertTrue(err.toString(StandardCharsets.UTF_8).contains(INTERRUPTED.strip()), err::toString);
        return new ObjectMapper().readTree(out.toByteArray());
    }

    @Test
    void shouldFindDataThatIsNotWhatWasWritten() throws IOException {
        String size = " --size 64k";
        JsonNode written = json("perf NS2 -a 0 -d 128 -q 4 -o 512 -w write --verify" + size);
        assertEquals(128, written.at("/results/0/ios").asInt());
        JsonNode read = json("perf NS2 -a 0 -d 300 -q 4 -o 1k -w randread --verify" + size);
        assertEquals(600, read.at("/verify/checked_blocks").asInt());
        Path zeros = Files.write(directory.resolve("zeros"), new byte[BLOCK_BYTES]);
        assertEquals(0, run("write NS2 --start-block 77 -f " + zeros).status());
        CommandRun wrong = run("perf NS2 -a 0 -d 128 -q 1 -o 512 -w read --verify" + size);
        assertEquals(1, wrong.status());
        assertTrue(wrong.out().contains("ended early by an error"), wrong::out);
        assertTrue(wrong.out().matches("(?s).*\\R77 blocks read had the right data\\R"), wrong::out);
        assertEquals(
                "nvmf perf: block 77 of namespace 2 has wrong data from its byte 0 on, or was not written with this seed"
                        + " and --verify" + System.lineSeparator(),
                wrong.err());
    }

    @Test
    void shouldFindLostWrites() throws IOException {
        try (LoopbackTarget forgetful = LoopbackTarget.serve(BLOCK_BYTES, device("write", 3, 0))) {
            CommandRun run = CommandRun.of(
                    "perf",
                    forgetful.uri(1),
                    "-a",
                    "0",
                    "-d",
                    "4000",
                    "-q",
                    "4",
                    "-o",
                    "512",
                    "-w",
                    "randrw",
                    "--size",
                    "16k",
                    "--verify");
            assertEquals(1, run.status(), run::err);
            assertTrue(
                    run.err()
                            .matches(
                                    "(?s)nvmf perf: block \\d+ of namespace 1 has (the data of write \\d+ of it, not of"
                                            + " the latest, \\d+|wrong data .*)\\R"),
                    run::err);
        }
    }

    @Test
    void shouldCountTheTimeThatRequestsWaitWhileTheyAreDue() throws IOException {
        try (LoopbackTarget slow = LoopbackTarget.serve(BLOCK_BYTES, device("read", 1, 40))) {
            CommandRun run = CommandRun.of(
                    "perf",
                    slow.uri(1),
                    "-a",
                    "0",
                    "-t",
                    "1",
                    "-q",
                    "1",
                    "-o",
                    "512",
                    "--rate-iops",
                    "1000",
                    "--output-format",
                    "json");
            JsonNode result = new ObjectMapper().readTree(run.out()).at("/results/0");
            // At most 25 are done, each in 40 ms; half of those that were due waited half the time.
            assertTrue(result.get("ios").asInt() <= 26, run::out);
            assertTrue(result.at("/latency_us/p50").asDouble() > 300_000, run::out);
        }
    }

    private static Process startPerf(LoopbackTarget own) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Nvmf.class.getName(),
                        "perf",
                        own.uri(1),
                        "-a",
                        "0",
                        "-t",
                        "600",
                        "--output-format",
                        "json")
                .start();
    }

    @Test
    void shouldTellOnSigtermWhatHadNoAnswer() throws Exception {
        try (LoopbackTarget own = LoopbackTarget.serve(BLOCK_BYTES, device("read", 1001, 3_600_000))) {
            Process process = startPerf(own);
            try {
                awaitReads(own);
                process.toHandle().destroy();
                assertTrue(process.waitFor(60, TimeUnit.SECONDS));
                String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
                assertEquals(143, process.exitValue(), said);
                assertTrue(said.matches(INTERRUPTED.strip() + ", without answers to \\d+ requests\\R"), said);
                JsonNode result =
                        new ObjectMapper().readTree(process.getInputStream()).at("/results/0");
                assertTrue(result.get("errors").asLong() > 0, result::toString);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    @Test
    void shouldShowAStallInTheLineOfTheLastSecond() throws IOException {
        try (LoopbackTarget stalling = LoopbackTarget.serve(BLOCK_BYTES, device("read", 11, 3_600_000))) {
            JsonNode json = interruptedAt(
                    "(?s).* s: 0 IOPS.*", "perf " + stalling.uri(1) + " -a 0 -t 5 -q 1 -o 512 --output-format json");
            assertEquals(10, json.at("/results/0/ios").asInt(), json::toString);
            assertEquals(1, json.at("/results/0/errors").asInt(), json::toString);
            // The stall has taken all the time but for ten reads, and counts.
            assertTrue(
                    json.at("/results/0/latency_us/max").asDouble()
                            > 0.5e6 * json.get("seconds").asDouble(),
                    json::toString);
        }
    }

    @Test
    void shouldGiveEachQueueItsShareOfTheDepthWhenFewerAreGranted() throws IOException {
        CommandRun run = run("perf NS1 -a 0 -d 4000 -q 100 -P 20 -o 512 --output-format json");
        assertEquals(0, run.status(), run::err);
        assertEquals(
                "nvmf: warning: " + target.subsystemUri() + " grants 8 of 20 I/O queues" + System.lineSeparator(),
                run.err());
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertEquals(20, json.at("/options/asked_num_qpairs").asInt());
        assertEquals(8, json.at("/results/0/num_qpairs").asInt());
        assertEquals(4000, json.at("/results/0/ios").asInt());
    }

    @Test
    void shouldWarnOfADepthThatTheQueuesOfTheTargetDoNotTake() {
        CommandRun run = run("perf NS1 -a 0 -d 500 -q 256 -P 2 -o 512");
        assertEquals(0, run.status(), run::err);
        assertEquals(
                "nvmf: warning: an I/O queue to " + target.subsystemUri()
                        + " takes 127 requests at a time: of --io-depth" + " 256 the others wait in this host"
                        + System.lineSeparator(),
                run.err());
    }

    @Test
    void shouldTellWhatItHasMeasuredOnSigterm() throws Exception {
        try (LoopbackTarget own = LoopbackTarget.serve(BLOCK_BYTES, new MemoryBlockDevice(1 << 20))) {
            Process process = startPerf(own);
            try {
                awaitReads(own);
                process.toHandle().destroy();
                assertTrue(process.waitFor(60, TimeUnit.SECONDS));
                String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
                assertEquals(143, process.exitValue(), said);
                assertTrue(said.endsWith(INTERRUPTED), said);
                JsonNode json = new ObjectMapper().readTree(process.getInputStream());
                assertTrue(json.at("/results/0/ios").asLong() > 0, json::toString);
                assertTrue(json.get("seconds").asDouble() < 600, json::toString);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "perf URI/1 -a 0 -t 600 -q 4 -o 512 --output-format json | 1 | /results/0/ios",
                "perf URI/1 -a 0 -d 1000000000 -q 4 -o 512 --output-format json | 1 | /results/0/ios",
                "perf URI/1 -a 0 -t 600 -q 4 -o 512 --output-format json --ramp | 1 | /ramp/0/results/0/ios",
                "perf URI/1 URI/2 -a 0 -t 600 -q 4 -o 512 --output-format json --scaling | 1 | /alone_before/results/0/ios",
                "perf URI/1 -a 600 -t 600 -q 4 -o 512 --output-format json | 0 | /",
            })
    void shouldTellWhatItHasMeasuredWhenInterrupted(String line, int results, String requests) throws Exception {
        try (LoopbackTarget own =
                LoopbackTarget.serve(BLOCK_BYTES, new MemoryBlockDevice(1 << 20), new MemoryBlockDevice(1 << 20))) {
            AtomicReference<CommandRun> ended = new AtomicReference<>();
            Thread thread = new Thread(() -> ended.set(
                    CommandRun.of(line.replace("URI", own.subsystemUri()).split(" "))));
            thread.start();
            awaitReads(own);
            thread.interrupt();
            thread.join();
            CommandRun run = ended.get();
            assertEquals(1, run.status(), run::err);
            assertEquals(
                    results == 1
                            ? INTERRUPTED
                            : "nvmf perf: interrupted before there was a result" + System.lineSeparator(),
                    run.err());
            JsonNode json = new ObjectMapper().readTree(run.out());
            assertEquals(results == 0, json.isMissingNode(), run::out);
            assertTrue(results == 0 || json.at(requests).asLong() > 0, run::out);
        }
    }

    @Test
    void shouldWaitForALostControllerWhenToldTo() throws Exception {
        LoopbackTarget first = LoopbackTarget.serve(BLOCK_BYTES, new MemoryBlockDevice(1 << 20));
        AtomicReference<CommandRun> ended = new AtomicReference<>();
        Thread thread = new Thread(() -> ended.set(CommandRun.of(
                ("perf " + first.uri(1) + " -a 0 -t 600 -q 4 -P 2 --ctrl-loss-tmo 60 --output-format json")
                        .split(" "))));
        try (first) {
            thread.start();
            awaitReads(first);
        }
        try (LoopbackTarget second =
                LoopbackTarget.serveAt(first.address().getPort(), BLOCK_BYTES, new MemoryBlockDevice(1 << 20))) {
            awaitReads(second);
            thread.interrupt();
            thread.join();
        }
        assertEquals(INTERRUPTED, ended.get().err());
        JsonNode json = new ObjectMapper().readTree(ended.get().out());
        assertEquals(2, json.get("queues").size(), json::toString);
        assertEquals(
                json.at("/results/0/ios").asLong(),
                json.at("/queues/0/ios").asLong() + json.at("/queues/1/ios").asLong());
    }

    private static void awaitReads(LoopbackTarget own) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> own.administration().ioCounts(LoopbackTarget.NQN).readCommands() > 1000);
    }

    @Test
    void shouldFailWithTheFirstStatus() throws IOException {
        try (LoopbackTarget broken = LoopbackTarget.serve(BLOCK_BYTES, device("fail", 1, 0))) {
            CommandRun run = CommandRun.of("perf", broken.uri(1), "-a", "0", "-d", "100", "-o", "512", "-w", "write");
            assertEquals(1, run.status());
            assertTrue(
                    run.err().matches("nvmf perf: a write of 1 blocks at block \\d+ of namespace 1 failed: .*\\R"),
                    run::err);
        }
    }

    /**
     * Memory whose every so-manieth operation is odd.
     *
     * @param kind read: late; write: not done; fail: fails
     */
    private static BlockDevice device(String kind, int every, long delayMs) {
        BlockDevice memory = new MemoryBlockDevice(1 << 20);
        return (BlockDevice) Proxy.newProxyInstance(
                BlockDevice.class.getClassLoader(), new Class<?>[] {BlockDevice.class}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(memory, arguments);
                    return answer instanceof BlockChannel channel
                            ? new OddChannel(channel, (IoEventLoop) arguments[0], kind, every, delayMs).proxy()
                            : answer;
                });
    }

    private static final class OddChannel {
        private final BlockChannel channel;
        private final IoEventLoop loop;
        private final String kind;
        private final int every;
        private final long delayMs;
        private int count;

        OddChannel(BlockChannel channel, IoEventLoop loop, String kind, int every, long delayMs) {
            this.channel = channel;
            this.loop = loop;
            this.kind = kind;
            this.every = every;
            this.delayMs = delayMs;
        }

        BlockChannel proxy() {
            return (BlockChannel) Proxy.newProxyInstance(
                    BlockChannel.class.getClassLoader(),
                    new Class<?>[] {BlockChannel.class},
                    (proxy, method, arguments) -> {
                        String name = method.getName();
                        if (name.equals("readNow") || name.equals("writeNow")) {
                            return false; // all come by read and write
                        }
                        boolean isOdd = (name.equals(kind) || kind.equals("fail") && name.equals("write"))
                                && ++count % every == 0;
                        if (!isOdd) {
                            return method.invoke(channel, arguments);
                        }
                        BlockCompletion completion = (BlockCompletion) arguments[arguments.length - 1];
                        switch (kind) {
                            case "read" ->
                                loop.schedule(() -> method.invoke(channel, arguments), delayMs, TimeUnit.MILLISECONDS);
                            case "write" -> completion.onComplete(BlockError.NONE);
                            default -> completion.onComplete(BlockError.WRITE_ERROR);
                        }
                        return null;
                    });
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "perf | 'give 1 to 64 namespaces as nvmf-tcp|rdma://HOST:PORT/SUBNQN[/NSID]'",
                "perf nvmf-tcp://127.0.0.1 | 'URI ''nvmf-tcp://127.0.0.1'' names no subsystem; see nvmf discover for those there are'",
                "perf NS1 -w trim | --rw 'trim' is none of read, write, rw, randread, randwrite, randrw",
                "perf NS1 -M 20 | --rwmixread cannot stand beside --rw randread",
                "perf NS1 -w read -F 1 | --zipf cannot stand beside --rw read",
                "perf NS1 -F x | --zipf 'x' is not a number from 0 to 10",
                "perf NS1 -t 1 -d 1 | --number-ios cannot stand beside --time",
                "perf NS1 --ramp --scaling | --scaling cannot stand beside --ramp",
                "perf NS1 --ramp --rate-iops 5 | '--ramp cannot stand beside --rate-iops, which begins as many requests at any depth'",
                "perf NS1 --scaling | --scaling compares one namespace with several together: give two of them or more",
                "perf NS1 -t 0 | --time '0' is not a number from 1 to 604800",
                "perf NS1 -a x | --warmup-time 'x' is not a number from 0 to 604800",
                "perf NS1 --size x | '--size ''x'' is not a number of bytes, write it as 4096, 512k, 10m or 2g'",
                "perf NS1 -q 2 -P 4 | '--num-qpairs 4 is more than --io-depth 2, which is of all queues together: each needs one request at least'",
                "perf NS1 -q 0 | --io-depth '0' is not a number from 1 to 16384",
                "perf NS1 -q 1024 -o 4m | the requests would take 4 GiB, more than 1 GiB: give a smaller --io-depth or --io-size",
                "perf NS1 -o 4k/10:8k/10 | --io-size '4k/10:8k/10': the percentages do not make 100 together",
                "perf NS1 --output-format xml | output format 'xml' is neither normal, json nor csv",
            })
    void shouldRefuseWhatCannotBeBeforeItConnects(String line, String sentence) {
        CommandRun run = run(line);
        assertEquals("nvmf perf: " + sentence + " (see nvmf help perf)" + System.lineSeparator(), run.err());
        assertEquals(2, run.status());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "perf NS1 NS1 -w randrw --verify -o 512 | NS1 is a namespace that was named before: with --verify each is written by one load alone",
                "perf NS1 NS1 --scaling -a 0 -d 1 | NS1 is a namespace that was named before: --scaling compares one with several",
                "perf NS1 -o 700 | --io-size 700 is no multiple of the block size 512",
                "perf NS1 --size 700 | --size 700 is no multiple of the block size 512",
                "perf NS1 --offset 2m --size 1k -o 512 | --offset 2097152 is beyond the end of namespace 1, 1048576 bytes",
                "perf NS1 --offset 1m -o 512 | --offset 1048576 is beyond the end of namespace 1, 1048576 bytes",
                "perf NS1 --offset 512k --size 1m -o 512 | 1048576 bytes from byte 524288 on are not inside namespace 1, which has 1048576",
                "perf BASE/7 | BASE has no namespace 7 for this host; it has 1, 2",
                "perf BASE | BASE has namespaces 1, 2; end the URI with /1",
                "perf NS1 --size 4k -o 4k -P 2 | each of 2 queues has 2048 bytes of namespace 1, fewer than one request: give a larger --size",
            })
    void shouldRefuseWhatTheNamespaceCannotDo(String line, String sentence) {
        CommandRun run = run(line);
        assertEquals(
                "nvmf perf: "
                        + sentence.replace("NS1", target.uri(1)).replace("BASE", target.subsystemUri())
                        + System.lineSeparator(),
                run.err());
        assertEquals(1, run.status());
    }
}
