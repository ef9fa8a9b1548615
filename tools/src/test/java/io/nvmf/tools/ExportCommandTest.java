package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoEventLoop;
import io.nvmf.codec.log.TransportType;
import io.nvmf.target.backend.BlockChannel;
import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.memory.MemoryBlockDevice;
import io.nvmf.target.config.AnaState;
import io.nvmf.tools.nbd.NbdClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code nvmf export} while targets, paths and namespaces go and come. */
@Timeout(120)
class ExportCommandTest {
    private static final int SIZE = 4 << 20;
    private static final int BLOCK = 512;

    private final MemoryBlockDevice disk = new MemoryBlockDevice(SIZE);
    private final List<LoopbackTarget> targets = new ArrayList<>();
    private Export export;

    @AfterEach
    void stop() throws Exception {
        if (export != null) {
            export.stop();
        }
        targets.forEach(LoopbackTarget::close);
        disk.close();
    }

    /** A target of the disk, which outlives it. */
    private LoopbackTarget serve(int port) throws IOException {
        LoopbackTarget target = LoopbackTarget.serveAt(port, BLOCK, new Shared(disk));
        targets.add(target);
        return target;
    }

    /** As if its process were gone. */
    private int kill(LoopbackTarget target) {
        target.close();
        targets.remove(target);
        return target.address().getPort();
    }

    private record Shared(BlockDevice device) implements BlockDevice {
        @Override
        public long sizeBytes() {
            return device.sizeBytes();
        }

        @Override
        public int alignmentBytes() {
            return device.alignmentBytes();
        }

        @Override
        public boolean hasVolatileWriteCache() {
            return device.hasVolatileWriteCache();
        }

        @Override
        public String description() {
            return device.description();
        }

        @Override
        public BlockChannel openChannel(IoEventLoop loop) throws IOException {
            return device.openChannel(loop);
        }

        @Override
        public void close() {
            // The other target has it as well.
        }
    }

    /** The command on a thread of its own. */
    private static final class Export {
        private static final Pattern ADDRESS = Pattern.compile("listening on tcp://127\\.0\\.0\\.1:(\\d+),");

        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        private final Thread thread;
        private volatile int status = -1;

        Export(String... words) {
            List<String> line =
                    new ArrayList<>(List.of("export", "--nbd", "tcp://127.0.0.1:0", "--reconnect-delay", "1"));
            line.addAll(List.of(words));
            PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
            Console console = new Console(
                    InputStream.nullInputStream(),
                    print,
                    print,
                    new PrintStream(err, true, StandardCharsets.UTF_8),
                    fd -> false,
                    new MissingRdma());
            thread = new Thread(() -> status = Nvmf.run(line, console), "export-command");
            thread.start();
            Awaitility.await().until(() -> text().contains("ready") || !thread.isAlive());
            assertTrue(thread.isAlive(), () -> err.toString(StandardCharsets.UTF_8));
        }

        String text() {
            return out.toString(StandardCharsets.UTF_8);
        }

        NbdClient client() throws IOException {
            Matcher address = ADDRESS.matcher(text());
            assertTrue(address.find(), this::text);
            NbdClient client = new NbdClient(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(address.group(1))));
            client.greet(3);
            List<NbdClient.OptionReply> replies = client.option(7, NbdClient.info("", 3));
            assertEquals(1, replies.get(replies.size() - 1).type());
            return client;
        }

        int awaitEnd() throws InterruptedException {
            thread.join();
            return status;
        }

        int stop() throws InterruptedException {
            thread.interrupt();
            return awaitEnd();
        }
    }

    /** Clients that write and read what they wrote, each in a part of the disk that is its own. */
    private static final class Load implements AutoCloseable {
        private static final int CLIENTS = 3;
        private static final int PART = SIZE / CLIENTS / BLOCK * BLOCK;

        private final AtomicLong done = new AtomicLong();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final List<Thread> threads = new ArrayList<>();
        private volatile boolean stopped;

        Load(Export export) throws IOException {
            for (int i = 0; i < CLIENTS; i++) {
                int part = i;
                NbdClient client = export.client();
                Thread thread = new Thread(() -> run(client, (long) part * PART, new Random(part)), "load-" + part);
                threads.add(thread);
                thread.start();
            }
        }

        private void run(NbdClient client, long start, Random random) {
            byte[] model = new byte[PART];
            try (client) {
                while (!stopped) {
                    int at = random.nextInt(PART);
                    int length = 1 + random.nextInt(Math.min(20_000, PART - at));
                    byte[] data = new byte[length];
                    random.nextBytes(data);
                    assertEquals(
                            0,
                            client.request(1, random.nextInt(2), start + at, length, data)
                                    .error());
                    System.arraycopy(data, 0, model, at, length);
                    int from = random.nextInt(PART);
                    int to = from + 1 + random.nextInt(Math.min(20_000, PART - from));
                    NbdClient.Reply read = client.request(0, 0, start + from, to - from, null);
                    assertEquals(0, read.error());
                    assertArrayEquals(Arrays.copyOfRange(model, from, to), read.data());
                    done.incrementAndGet();
                }
                assertArrayEquals(model, client.request(0, 0, start, PART, null).data());
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }

        void awaitProgress() {
            long before = done.get();
            Awaitility.await().until(() -> done.get() > before + 50 || failure.get() != null);
            assertEquals(null, failure.get());
        }

        @Override
        public void close() {
            stopped = true;
            Awaitility.await().until(() -> threads.stream().noneMatch(Thread::isAlive));
            assertEquals(null, failure.get());
        }
    }

    @Test
    void shouldHideThatPathsAreLostFromClients() throws Exception {
        LoopbackTarget one = serve(0);
        LoopbackTarget other = serve(0);
        export = new Export(one.uri(1), other.uri(1), "--iopolicy", "queue-depth");
        assertTrue(export.text().contains(", by 2 paths\n"), export.text());
        try (Load load = new Load(export)) {
            load.awaitProgress();
            for (int round = 0; round < 2; round++) {
                int port = kill(one);
                load.awaitProgress();
                LoopbackTarget again = serve(port);
                Awaitility.await().until(() -> again.ioQueues() > 0);
                one = other;
                other = again;
            }
            int port = kill(one);
            kill(other);
            LoopbackTarget last = serve(port);
            Awaitility.await().until(() -> last.ioQueues() > 0);
            load.awaitProgress();
        }
    }

    @Test
    void shouldTakeTheOtherPathWhenItsAnaStateSaysSo() throws Exception {
        LoopbackTarget one = serve(0);
        LoopbackTarget other = serve(0);
        export = new Export(one.uri(1), other.uri(1));
        try (Load load = new Load(export)) {
            for (LoopbackTarget each : List.of(one, other, one)) {
                ana(each, AnaState.INACCESSIBLE);
                load.awaitProgress();
                ana(each, AnaState.OPTIMIZED);
                load.awaitProgress();
            }
        }
    }

    private static void ana(LoopbackTarget target, AnaState state) {
        target.administration().anaState(LoopbackTarget.NQN, TransportType.TCP, target.address(), 0, state);
    }

    @Test
    void shouldUseAPathThatIsThereLater() throws Exception {
        int port = nobody();
        LoopbackTarget one = serve(0);
        export = new Export(uri(port), one.uri(1));
        assertTrue(
                export.err.toString(StandardCharsets.UTF_8).contains("no path by tcp://127.0.0.1:" + port + " yet: "));
        try (Load load = new Load(export)) {
            LoopbackTarget late = serve(port);
            Awaitility.await().until(() -> late.ioQueues() > 0);
            kill(one);
            load.awaitProgress();
        }
    }

    @Test
    void shouldEndWithASentenceWhenTheLastPathIsGivenUp() throws Exception {
        LoopbackTarget one = serve(0);
        export = new Export(
                one.uri(1), uri(Nobody.address().getPort()), "--ctrl-loss-tmo", "2", "--export-name", "disk 1");
        assertTrue(export.text().matches("(?s).*, for clients nbd://127.0.0.1:\\d+/disk%201\n.*"), export.text());
        try (NbdClient client = export.client()) {
            assertEquals(0, client.request(0, 0, 0, BLOCK, null).error());
            int port = kill(one);
            assertEquals(1, export.awaitEnd());
            String err = export.err.toString(StandardCharsets.UTF_8);
            assertTrue(err.contains("nvmf export: 127.0.0.1:" + port + " could not be connected again for "), err);
        }
    }

    @Test
    void shouldFailAWriteThatWaitsWhenTheTimeIsOver() throws Exception {
        LoopbackTarget one = serve(0);
        export = new Export(one.uri(1), "--ctrl-loss-tmo", "2");
        try (NbdClient client = export.client()) {
            kill(one);
            int error;
            try {
                error = client.request(1, 0, 0, BLOCK, new byte[BLOCK]).error();
            } catch (IOException e) {
                error = 5; // the connection ended before the reply was sent
            }
            assertEquals(5, error);
            assertEquals(1, export.awaitEnd());
        }
    }

    @Test
    void shouldRefuseToServeTwoNamespacesAsOne() throws Exception {
        LoopbackTarget one = LoopbackTarget.serve(BLOCK, new MemoryBlockDevice(SIZE), new MemoryBlockDevice(SIZE));
        targets.add(one);
        CommandRun run = CommandRun.of("export", "--nbd", "tcp://127.0.0.1:0", one.uri(1), one.uri(2));
        assertEquals(2, run.status());
        assertTrue(run.err().contains("names another namespace than"), run::err);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nvmf-tcp://h/nqn.2026-01.x:a/1 nvmf-tcp://h/nqn.2026-01.x:a/1 | was given twice",
                "nvmf-tcp://h/nqn.2026-01.x:a/1 nvmf-tcp://i/nqn.2026-01.x:b/1 | names another namespace than",
                "nvmf-tcp://h/nqn.2026-01.x:a/1 nvmf-tcp://i/nqn.2026-01.x:a/1 -s 5 | --trsvcid cannot stand beside a URI",
                "nvmf-tcp://h/nqn.2026-01.x:a/1 --iopolicy numa | --iopolicy 'numa' is not one of round-robin|queue-depth",
                "nvmf-tcp://127.0.0.1/nqn.2026-01.x:a/1 --ctrl-loss-tmo -2 | --ctrl-loss-tmo '-2' is not a number from -1",
                "nvmf-tcp://127.0.0.1/nqn.2026-01.x:a/1 --reconnect-delay 0 | --reconnect-delay '0' is not a number from 1",
            })
    void shouldSayWhatIsWrongWithTheCommandLine(String words, String sentence) {
        List<String> line = new ArrayList<>(List.of("export", "--nbd", "tcp://127.0.0.1:0"));
        line.addAll(List.of(words.split(" ")));
        CommandRun run = CommandRun.of(line.toArray(String[]::new));
        assertEquals(2, run.status());
        assertTrue(run.err().contains(sentence), run::err);
    }

    private static String uri(int port) {
        return "nvmf-tcp://127.0.0.1:" + port + "/" + LoopbackTarget.NQN + "/1";
    }

    /** A port where nobody listens, which a target may take. */
    private static int nobody() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }
}
