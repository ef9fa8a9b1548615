package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.rdma.RdmaProvider;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TargetCommandTest {
    @TempDir
    private Path directory;

    @Test
    void shouldServeUntilItIsTold() throws Exception {
        Path image = directory.resolve("disk.img");
        try (Served served = new Served(
                "--listen",
                "tcp://127.0.0.1:0",
                "--namespace",
                "file:" + image + ",size=8m",
                "--namespace",
                "memory:1m")) {
            assertEquals(8 << 20, Files.size(image));
            String uri = "nvmf-tcp://127.0.0.1:" + served.port() + "/" + TargetFlags.DEFAULT_NQN;
            assertEquals(0, CommandRun.of("list", uri).status());
            assertEquals("ready", served.lines.get(served.lines.size() - 1));
            assertTrue(served.lines.get(0).startsWith("subsystem " + TargetFlags.DEFAULT_NQN + " (serial "));
            assertTrue(served.lines.get(1).startsWith("  namespace 1: 8 MiB in blocks of 4096, file:" + image));
            assertTrue(served.lines.get(2).startsWith("  namespace 2: 1 MiB in blocks of 4096, memory, uuid "));
            assertTrue(served.lines.get(3).startsWith("event loops: "));
            assertEquals(0, served.stop());
        }
    }

    @Test
    void shouldServeWhatAFileSays() throws Exception {
        Path config = directory.resolve("config.json");
        Files.writeString(config, """
                {"subsystems": [{"nqn": "nqn.2026-01.com.example:a", "attr": {"allow_any_host": 1, "serial": "s1"},
                   "namespaces": [{"nsid": 5, "nvmf4j": {"backend": "memory", "size": "1m", "block_size": 512}}]}],
                 "ports": [{"portid": 1, "addr": {"trtype": "tcp", "traddr": "127.0.0.1", "trsvcid": 0},
                            "subsystems": ["nqn.2026-01.com.example:a"]}]}
                """);
        try (Served served = new Served("--config", config.toString())) {
            CommandRun run = CommandRun.of(
                    "id-ns", "nvmf-tcp://127.0.0.1:" + served.port() + "/nqn.2026-01.com.example:a/5", "-o", "json");
            assertEquals("", run.err());
            assertTrue(run.out().contains("\"nsze\" : 2048"), run::out);
            assertEquals(0, served.stop());
        }
    }

    @Test
    void shouldServeTcpAndRdmaTogether() throws Exception {
        MemoryRdma rdma = new MemoryRdma();
        try (Served served = new Served(
                rdma,
                "--listen",
                "tcp://127.0.0.1:0",
                "--listen",
                "rdma://127.0.0.1:0",
                "--namespace",
                "memory:1m",
                "--stats",
                "0",
                "-o",
                "json")) {
            String target = served.uri("rdma");
            String log = succeed(rdma, "discover", target).out();
            assertTrue(log.contains("\ntrtype:  rdma\n") && log.contains("\ntrtype:  tcp\n"), log);
            String uri = target + "/" + TargetFlags.DEFAULT_NQN + "/1";
            assertTrue(succeed(rdma, "list", target).out().contains(uri));
            byte[] data = new byte[65536];
            new Random(7).nextBytes(data);
            Path file = Files.write(directory.resolve("data"), data);
            succeed(rdma, "write", uri, "-f", file.toString());
            assertArrayEquals(
                    data, succeed(rdma, "read", uri, "--length", "64k").outBytes());
            String overTcp = served.uri("tcp") + "/" + TargetFlags.DEFAULT_NQN + "/1";
            assertArrayEquals(
                    data, succeed(rdma, "read", overTcp, "--length", "64k").outBytes());
            assertEquals(0, served.stop());
            assertTrue(served.readLine()
                    .matches(
                            "\\{\"time\":\"[^\"]*\",\"queues\":\\[],\"totals\":\\[.*\"transport\":\"rdma\",\"subsystem_nqn\":\""
                                    + TargetFlags.DEFAULT_NQN
                                    + "\",\"connected_queues\":0,\"ended_queues\":[1-9].*\"fetched_bytes\":65536,.*"));
        }
        assertEquals(MemoryRdma.Counts.NONE, rdma.counts());
    }

    private static CommandRun succeed(RdmaProvider rdma, String... words) {
        CommandRun run = CommandRun.withRdma(rdma, words);
        assertEquals(0, run.status(), run::err);
        return run;
    }

    @Test
    void shouldServeTcpAndFailAtTheEndWhenRdmaIsMissing() throws Exception {
        try (Served served = new Served(
                "--listen", "rdma://127.0.0.1:0", "--listen", "tcp://127.0.0.1:0", "--namespace", "memory:1m")) {
            String uri = "nvmf-tcp://127.0.0.1:" + served.port() + "/" + TargetFlags.DEFAULT_NQN;
            assertEquals(0, CommandRun.of("list", uri).status());
            assertEquals(1, served.stop());
            assertEquals(
                    "nvmf target: cannot listen on 127.0.0.1:0 over RDMA: " + MissingRdma.CAUSE
                            + System.lineSeparator(),
                    served.err.toString(StandardCharsets.UTF_8));
        }
    }

    @Test
    void shouldFailWithOneSentenceWhenNothingCanBeListenedOn() throws IOException {
        String err = fail("--listen", "rdma://127.0.0.1:0", "--namespace", "memory:1m");
        assertEquals(
                "nvmf target: cannot listen on 127.0.0.1:0 over RDMA: " + MissingRdma.CAUSE + System.lineSeparator(),
                err);
    }

    @Test
    void shouldShowAtTheEndHowDataHasTravelled() throws Exception {
        try (Served served = new Served("--listen", "tcp://127.0.0.1:0", "--namespace", "memory:1m", "--stats", "0");
                NvmfHost host = NvmfHost.builder().build();
                Controller controller = host.connect(
                        ConnectOptions.tcp("127.0.0.1", Integer.parseInt(served.port()), TargetFlags.DEFAULT_NQN))) {
            Namespace namespace = controller.namespace(1);
            namespace.write(0, ByteBuffer.allocateDirect(4096)).join();
            namespace.write(0, ByteBuffer.allocateDirect(65536)).join();
            namespace.read(0, ByteBuffer.allocateDirect(4096)).join();
            assertEquals(0, served.stop());
            assertTrue(served.readLine().matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"));
            assertTrue(served.readLine()
                    .matches("transport +peer +ctrl +queue +in capsule +bytes +fetched +bytes +R2T/READ +sent"
                            + " +bytes +C2HData/WRITE"));
            assertTrue(served.readLine().matches("tcp +127\\.0\\.0\\.1:\\d+ +1 +0 .*"));
            String line = served.readLine();
            assertTrue(line.matches("tcp +127\\.0\\.0\\.1:\\d+ +1 +1 +1 +4096 +1 +65536 +1 +1 +4096 +1"), line);
            assertEquals("since the start, with the queues that have ended:", served.readLine());
        }
    }

    @Test
    void shouldShowEverySoOftenHowDataTravels() throws Exception {
        try (Served served = new Served("--listen", "tcp://127.0.0.1:0", "--namespace", "memory:1m", "--stats", "1")) {
            for (int i = 0; i < 2; i++) {
                assertTrue(served.readLine().endsWith("Z no host is connected"));
            }
        }
    }

    @Test
    void shouldListenForIpv4AloneAndSaySoWhenItIsAskedTo() throws Exception {
        try (Served served = new Served("--listen", "tcp://0.0.0.0:0", "--namespace", "memory:1m")) {
            assertTrue(served.uri("tcp").startsWith("nvmf-tcp://0.0.0.0:"), served.uri("tcp"));
            assertEquals(
                    0,
                    CommandRun.of("list", "nvmf-tcp://127.0.0.1:" + served.port())
                            .status());
            Assumptions.assumeTrue(hasIpv6Loopback());
            try (Socket socket = new Socket(InetAddress.getByName("::1"), Integer.parseInt(served.port()))) {
                assertEquals(-1, socket.getInputStream().read());
            } catch (SocketException e) {
                assertTrue(e instanceof ConnectException || e.getMessage().contains("reset"), e::toString);
            }
        }
    }

    private static boolean hasIpv6Loopback() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void shouldFailWithOneSentenceWhenPortIsBusy() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + taken.getLocalPort();
            Path image = directory.resolve("disk.img");
            for (int i = 0; i < 2; i++) {
                // The second time the image would be in use, had the first not given it back.
                String err = fail("--listen", "tcp://" + address, "--namespace", "file:" + image + ",size=1m");
                assertTrue(err.contains("cannot listen on " + address), err);
                assertTrue(err.contains("in use"), err);
            }
        }
    }

    @Test
    void shouldFailWithOneSentenceWhenReservationsAreDamaged() throws IOException {
        Path damaged = Files.writeString(directory.resolve("reservations"), "nvmf4j reservations 1\nnamespace");
        String err = fail("--namespace", "memory:1m,ptpl=" + damaged);
        assertTrue(err.contains(damaged + " is damaged, its checksum does not match: remove it"), err);
        assertEquals("nvmf4j reservations 1\nnamespace", Files.readString(damaged), "it is left as it is");
    }

    @Test
    void shouldFailWithOneSentenceWhenNamespacesShareAPlaceOrAnIdentifier() throws IOException {
        Path state = directory.resolve("state");
        Path image = directory.resolve("image");
        String uuid = ",uuid=7d444840-9dc0-11d1-b245-5ffdce74fad2";
        String one = "file:" + image + ",size=1m,ptpl=" + state;
        assertTrue(fail("--namespace", one, "--namespace", "memory:1m,ptpl=" + state)
                .contains(state + " keeps the state of another namespace already: name another file"));
        assertTrue(fail("--namespace", one + uuid, "--namespace", "memory:1m" + uuid)
                .contains("two namespaces with the UUID 7d444840-9dc0-11d1-b245-5ffdce74fad2: give namespace 2"));
        assertTrue(fail("--namespace", "file:" + image + ",size=1m,ptpl=" + image)
                .contains(image + " is the image: name another file"));
        try (var files = Files.list(directory)) {
            assertEquals(List.of(), files.toList());
        }
    }

    @Test
    void shouldFailWithOneSentenceWhenFileCannotServe() throws IOException {
        Path missing = directory.resolve("missing.img");
        assertTrue(
                fail("--namespace", "file:" + missing).contains(missing + " does not exist: give a size to create it"));
        Path small = Files.write(directory.resolve("small.img"), new byte[100]);
        assertTrue(fail("--namespace", "file:" + small).contains(small + " is too short"));
        assertTrue(fail("--namespace", "file:" + directory).contains(directory + " is neither a regular file nor"));
        Path other = Files.write(directory.resolve("other.img"), new byte[8192]);
        assertTrue(fail("--namespace", "file:" + other + ",size=1m").contains("is 8192 bytes long, not the 1048576"));
    }

    @Test
    void shouldGiveBackEarlierFilesWhenALaterOneFails() throws Exception {
        Path image = directory.resolve("disk.img");
        String good = "file:" + image + ",size=1m";
        fail("--namespace", good, "--namespace", "file:" + directory.resolve("missing.img"));
        assertFalse(Files.exists(image), "what was created for a target that never was");
        try (Served served = new Served("--listen", "tcp://127.0.0.1:0", "--namespace", good)) {
            assertEquals(0, served.stop());
        }
    }

    @Test
    void shouldSayWhichConfigurationCannotBeRead() throws IOException {
        assertTrue(fail("--config", directory.toString()).contains(directory + " is a directory; name the file"));
        Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xFF, (byte) 0xFE});
        assertTrue(fail("--config", binary.toString()).contains(binary + " is not UTF-8 text; name the file"));
        Path missing = directory.resolve("none.json");
        assertEquals("nvmf target: " + missing + ": no such file\n", fail("--config", missing.toString()));
    }

    @Test
    void shouldStopWithStatusZeroOnSigterm() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Nvmf.class.getName(),
                        "target",
                        "--listen",
                        "tcp://127.0.0.1:0",
                        "--namespace",
                        "memory:1m")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader out = process.inputReader()) {
            List<String> lines = new ArrayList<>();
            String line = out.readLine();
            while (line != null && !line.equals("ready")) {
                lines.add(line);
                line = out.readLine();
            }
            assertEquals("ready", line, lines::toString);
            process.destroy();
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    private static String fail(String... flags) {
        String[] words = new String[flags.length + 1];
        words[0] = "target";
        System.arraycopy(flags, 0, words, 1, flags.length);
        CommandRun run = CommandRun.of(words);
        assertEquals(1, run.status(), run::err);
        assertEquals(1, run.err().lines().count(), run::err);
        assertFalse(run.err().contains("Exception"), run::err);
        return run.err();
    }

    /** A target command on a thread of its own. */
    private static final class Served implements AutoCloseable {
        final List<String> lines = new ArrayList<>();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        private final BufferedReader reader;
        private final Thread thread;
        private volatile int status = -1;

        Served(String... flags) throws IOException {
            this(new MissingRdma(), flags);
        }

        Served(RdmaProvider rdma, String... flags) throws IOException {
            List<String> words = new ArrayList<>(List.of("target"));
            words.addAll(List.of(flags));
            // With JSON on standard output the rest is said on standard error.
            boolean json = words.contains("json");
            PipedInputStream errorSource = new PipedInputStream();
            PipedInputStream lineSource = new PipedInputStream();
            PrintStream out = new PrintStream(new PipedOutputStream(lineSource), true, StandardCharsets.UTF_8);
            Console console = new Console(
                    new ByteArrayInputStream(new byte[0]),
                    out,
                    out,
                    new PrintStream(json ? new PipedOutputStream(errorSource) : err, true, StandardCharsets.UTF_8),
                    fd -> false,
                    rdma);
            thread = new Thread(
                    () -> {
                        status = Nvmf.run(words, console);
                        out.close();
                    },
                    "target-command");
            thread.start();
            reader = new BufferedReader(new InputStreamReader(lineSource, StandardCharsets.UTF_8));
            BufferedReader said =
                    json ? new BufferedReader(new InputStreamReader(errorSource, StandardCharsets.UTF_8)) : reader;
            while (!lines.contains("ready")) {
                lines.add(readLine(said));
            }
        }

        /** The next line on standard output. */
        String readLine() throws IOException {
            return readLine(reader);
        }

        private String readLine(BufferedReader from) throws IOException {
            String line = from.readLine();
            if (line == null) {
                throw new UncheckedIOException(new IOException(err.toString(StandardCharsets.UTF_8)));
            }
            return line;
        }

        String port() {
            return lines.stream()
                    .filter(line -> line.startsWith("listening on tcp://"))
                    .map(line -> line.substring(line.lastIndexOf(':') + 1))
                    .findFirst()
                    .orElseThrow();
        }

        /** Of the target, through a transport. */
        String uri(String transport) {
            String scheme = transport + "://";
            return lines.stream()
                    .filter(line -> line.startsWith("listening on " + scheme))
                    .map(line -> "nvmf-" + line.substring(line.indexOf(scheme)))
                    .findFirst()
                    .orElseThrow();
        }

        int stop() throws InterruptedException {
            thread.interrupt();
            thread.join();
            return status;
        }

        @Override
        public void close() {
            thread.interrupt();
        }
    }
}
