package io.nvmf.tools.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** JSON-RPC 2.0 over a socket, and what bad clients can do, which is nothing to others. */
@Timeout(120)
class RpcTest {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    @TempDir
    Path directory;

    private final AtomicInteger calls = new AtomicInteger();
    /** One permit for each call of {@code hang} that has begun, and for each that may end. */
    private final Semaphore hanging = new Semaphore(0);

    private final Semaphore release = new Semaphore(0);
    private Path path;
    private RpcServer server;

    @BeforeEach
    void start() throws IOException {
        path = directory.resolve("socket");
        server = RpcServer.start(path, methods(), RpcLimits.DEFAULT);
    }

    private Map<String, RpcMethod> methods() {
        return Map.of(
                "echo",
                        params -> {
                            calls.incrementAndGet();
                            return TextNode.valueOf(params.text("text").orElse("nothing"));
                        },
                "refuse",
                        params -> {
                            throw new IllegalArgumentException("it cannot be");
                        },
                "fail",
                        params -> {
                            throw new IOException("the machine says no");
                        },
                "break",
                        params -> {
                            throw new NullPointerException("a bug");
                        },
                "hang",
                        params -> {
                            hanging.release();
                            release.acquireUninterruptibly();
                            return NullNode.instance;
                        });
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    /** A client that sends what it likes. */
    private final class Raw implements AutoCloseable {
        private final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        private final JsonStream stream = new JsonStream(channel, 64 << 20, () -> {});

        Raw() throws IOException {
            channel.connect(UnixDomainSocketAddress.of(path));
        }

        void send(String text) throws IOException {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        }

        JsonNode read() throws IOException {
            try {
                return stream.read();
            } catch (RpcException e) {
                throw new IOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private JsonNode answer(String request) throws IOException {
        try (Raw raw = new Raw()) {
            // A word or number alone ends only with what comes after it.
            raw.send(request + "\n");
            return raw.read();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "\"one\"", "null", "-7", "1.5", "12345678901234567890"})
    void shouldGiveBackTheIdWhateverItIs(String id) throws IOException {
        JsonNode answer = answer(
                "{\"jsonrpc\": \"2.0\", \"id\": " + id + ", \"method\": \"echo\", \"params\": {\"text\": \"hello\"}}");
        assertEquals(MAPPER.readTree(id), answer.get("id"));
        assertEquals("hello", answer.get("result").asText());
        assertEquals("2.0", answer.get("jsonrpc").asText());
        assertNull(answer.get("error"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"id\": 1, \"method\": \"no\"} | -32601 | 1",
                "{\"id\": 1, \"method\": 3} | -32600 | 1",
                "{\"id\": 1} | -32600 | 1",
                "{\"id\": 1, \"jsonrpc\": \"1.0\", \"method\": \"echo\"} | -32600 | 1",
                "{\"id\": {}, \"method\": \"echo\"} | -32600 | null",
                "{\"id\": true, \"method\": \"echo\"} | -32600 | null",
                "{\"id\": 1e999999999, \"method\": \"echo\"} | -32600 | null",
                "3 | -32600 | null",
                "[] | -32600 | null",
                "{\"id\": 1, \"method\": \"echo\", \"params\": [1]} | -32602 | 1",
                "{\"id\": 1, \"method\": \"refuse\"} | -32602 | 1",
                "{\"id\": 1, \"method\": \"fail\"} | -32603 | 1",
                "{\"id\": 1, \"method\": \"break\"} | -32603 | 1",
                "{\"id\": 1, \"method\" \"echo\"} | -32700 | null",
                "rubbish | -32700 | null"
            })
    void shouldAnswerABadRequestWithItsCode(String request, int code, String id) throws IOException {
        JsonNode answer = answer(request);
        assertEquals(code, answer.get("error").get("code").asInt());
        assertFalse(answer.get("error").get("message").asText().isEmpty());
        assertEquals(MAPPER.readTree(id), answer.get("id"));
        assertNull(answer.get("result"));
    }

    @Test
    void shouldAnswerABatchWithoutItsNotifications() throws IOException {
        JsonNode answer = answer("""
                [{"id": 1, "method": "echo"}, {"method": "echo"}, {"id": 2, "method": "no"}, 7]
                """);
        assertEquals(3, answer.size());
        assertEquals("nothing", answer.get(0).get("result").asText());
        assertEquals(-32601, answer.get(1).get("error").get("code").asInt());
        assertEquals(-32600, answer.get(2).get("error").get("code").asInt());
        assertEquals(2, calls.get());
    }

    @Test
    void shouldAnswerNothingToNotifications() throws IOException {
        JsonNode answer = answer("""
                {"method": "echo"} {"method": "no"} {"method": "refuse"} [{"method": "echo"}] {"id": 5, "method": "echo"}
                """);
        assertEquals(5, answer.get("id").asInt(), "the first answer is to the request");
        assertEquals(3, calls.get());
    }

    @Test
    void shouldReadRequestsHoweverTheSocketCutsThem() throws IOException {
        String requests = "{\"id\":1,\"method\":\"echo\",\"params\":{\"text\":\"ä\"}}{\"id\":2,\"method\":\"echo\"}";
        byte[] bytes = requests.getBytes(StandardCharsets.UTF_8);
        for (int cut = 1; cut < bytes.length; cut++) {
            try (Raw raw = new Raw()) {
                raw.channel.write(ByteBuffer.wrap(bytes, 0, cut));
                raw.channel.write(ByteBuffer.wrap(bytes, cut, bytes.length - cut));
                assertEquals("ä", raw.read().get("result").asText());
                assertEquals(2, raw.read().get("id").asInt());
            }
        }
    }

    @Test
    void shouldEndAClientThatSendsRubbishAndNoOther() throws IOException {
        try (Raw good = new Raw();
                Raw bad = new Raw()) {
            bad.send("}}}");
            assertEquals(-32700, bad.read().get("error").get("code").asInt());
            assertNull(bad.read());
            good.send("{\"id\": 1, \"method\": \"echo\"}");
            assertEquals(1, good.read().get("id").asInt());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[*65 | -32600 | this is no request: it is nested deeper than 64",
                "9*2000 | -32600 | this is no request: a number or a name in it is too long",
                "{\"id\":1,\"id\":2,\"method\":\"echo\"}*1 | -32700 | Parse error: a key stands twice in one object",
                "}*1 | -32700 | Parse error: this is no JSON",
            })
    void shouldSayWhatIsWrongWithWhatItDoesNotRead(String text, int code, String message) throws IOException {
        int star = text.lastIndexOf('*');
        JsonNode answer = answer(text.substring(0, star).repeat(Integer.parseInt(text.substring(star + 1))));
        assertEquals(message, answer.get("error").get("message").asText());
        assertEquals(code, answer.get("error").get("code").asInt());
    }

    @Test
    void shouldAnswerARequestThatIsTooLongAlsoToAClientThatSendsAllOfItFirst() throws IOException {
        try (Raw raw = new Raw()) {
            raw.send("{\"id\": 1, \"method\": \"" + "x".repeat(8 << 20) + "\"}");
            JsonNode error = raw.read().get("error");
            assertEquals(-32600, error.get("code").asInt());
            assertEquals(
                    "this is no request: it is longer than 1048576 bytes",
                    error.get("message").asText());
            assertNull(raw.read());
        }
    }

    // ---- clients that keep the server waiting

    private void restart(RpcLimits limits) throws IOException {
        server.close();
        server = RpcServer.start(path, methods(), limits);
    }

    @Test
    void shouldServeANewcomerWhenAllOthersAreIdle() throws IOException {
        List<Raw> idle = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                Raw raw = new Raw();
                idle.add(raw);
                raw.send("{\"id\": 1, \"method\": \"echo\"}");
                assertEquals("nothing", raw.read().get("result").asText());
            }
            assertEquals(
                    1, answer("{\"id\": 1, \"method\": \"echo\"}").get("id").asInt());
            assertNull(idle.get(0).read(), "the one that was idle longest is ended");
            Raw last = idle.get(39);
            last.send("{\"id\": 2, \"method\": \"echo\"}");
            assertEquals(2, last.read().get("id").asInt());
        } finally {
            for (Raw client : idle) {
                client.close();
            }
        }
    }

    @Test
    void shouldTellANewcomerWhenAllOthersAreBusy() throws IOException, InterruptedException {
        restart(new RpcLimits(2, 60_000, 60_000));
        try (Raw one = new Raw();
                Raw two = new Raw()) {
            one.send("{\"id\": 1, \"method\": \"hang\"}");
            two.send("{\"id\": 1, \"method\": \"hang\"}");
            hanging.acquire(2);
            try (Raw more = new Raw()) {
                assertEquals(-32603, more.read().get("error").get("code").asInt());
                assertNull(more.read());
            }
            release.release(2);
            assertEquals(1, one.read().get("id").asInt());
            assertEquals(1, two.read().get("id").asInt());
        }
    }

    @Test
    void shouldEndAClientThatIsIdleTooLongAndNoneThatIsServed() throws IOException, InterruptedException {
        restart(new RpcLimits(2, 200, 60_000));
        try (Raw busy = new Raw();
                Raw idle = new Raw()) {
            busy.send("{\"id\": 1, \"method\": \"hang\"}");
            hanging.acquire();
            assertNull(idle.read());
            release.release();
            assertEquals(1, busy.read().get("id").asInt());
        }
    }

    /** As slow as it may be, each byte in good time: the request as a whole must come. */
    @Test
    void shouldEndAClientThatSendsAByteAtATime() throws IOException {
        restart(new RpcLimits(2, 60_000, 300));
        try (Raw raw = new Raw()) {
            startSending(raw);
            JsonNode error = raw.read().get("error");
            assertEquals(
                    "Parse error: the JSON ends before it is complete",
                    error.get("message").asText());
            assertNull(raw.read());
        }
    }

    private static void startSending(Raw raw) {
        Thread slow = new Thread(() -> {
            try {
                raw.send("{\"id\": 1, \"method\": \"");
                while (true) {
                    raw.send("x");
                    LockSupport.parkNanos(10_000_000);
                }
            } catch (IOException e) {
                // It has been ended.
            }
        });
        slow.setDaemon(true);
        slow.start();
    }

    @Test
    void shouldEndAClientThatTakesNoAnswers() throws IOException {
        restart(new RpcLimits(2, 60_000, 300));
        try (Raw raw = new Raw()) {
            String request =
                    "{\"id\": 1, \"method\": \"echo\", \"params\": {\"text\": \"" + "x".repeat(1 << 19) + "\"}}";
            assertThrows(IOException.class, () -> {
                for (int i = 0; i < 64; i++) {
                    raw.send(request);
                }
            });
        }
        assertEquals(1, answer("{\"id\": 1, \"method\": \"echo\"}").get("id").asInt());
    }

    // ---- the socket's name

    @Test
    void shouldLetNobodyElseUseTheSocket() throws IOException {
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
    }

    @Test
    void shouldRefuseASocketThatAnotherTargetUses() {
        IOException e = assertThrows(IOException.class, () -> RpcServer.start(path, methods(), RpcLimits.DEFAULT));
        assertTrue(e.getMessage().endsWith("is in use by another nvmf: stop that, or name another socket"));
    }

    @Test
    void shouldReplaceASocketThatWasLeftBehindAndNothingElse() throws IOException {
        Path left = directory.resolve("left");
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(left));
            IOException e = assertThrows(IOException.class, () -> RpcServer.start(left, methods(), RpcLimits.DEFAULT));
            assertTrue(e.getMessage().contains("another program"), e.getMessage());
        }
        assertTrue(Files.exists(left));
        RpcServer.start(left, methods(), RpcLimits.DEFAULT).close();
        assertFalse(Files.exists(left), "it is gone with the target");

        Path file = Files.writeString(directory.resolve("file"), "precious");
        assertThrows(IOException.class, () -> RpcServer.start(file, methods(), RpcLimits.DEFAULT));
        assertEquals("precious", Files.readString(file));
        assertThrows(
                IOException.class, () -> RpcServer.start(directory.resolve("no/socket"), methods(), RpcLimits.DEFAULT));
        assertThrows(
                IOException.class,
                () -> RpcServer.start(directory.resolve("x".repeat(120)), methods(), RpcLimits.DEFAULT));
    }

    @Test
    void shouldEndClientsWhenItIsClosed() throws IOException {
        try (Raw raw = new Raw()) {
            raw.send("{\"id\": 1, \"method\": \"echo\"}");
            raw.read();
            server.close();
            assertNull(raw.read());
        }
        assertFalse(Files.exists(path));
    }
}
