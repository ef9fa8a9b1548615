package io.nvmf.it.speed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The two programs exchange what they say, and count it. */
@Timeout(60)
class LimitTest {
    private static final int DATA_BYTES = 1 << 20;

    private final byte[] data = new byte[DATA_BYTES];
    private SocketChannel near;
    private SocketChannel far;

    @BeforeEach
    void connect() throws IOException {
        new SplittableRandom(7).nextBytes(data);
        try (ServerSocketChannel listening = ServerSocketChannel.open()) {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            near = SocketChannel.open(listening.getLocalAddress());
            far = listening.accept();
        }
    }

    @AfterEach
    void close() throws IOException {
        near.close();
        far.close();
    }

    private CompletableFuture<LimitServer> serve(int payloadBytes) {
        LimitServer server = new LimitServer(data, payloadBytes);
        return CompletableFuture.supplyAsync(() -> {
            try {
                server.serve(far);
                return server;
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"4096, true", "4096, false", "131072, true", "131072, false"})
    void shouldAnswerWithTheBytesThatWereAskedFor(int payloadBytes, boolean blocking) throws Exception {
        int requests = 40;
        far.configureBlocking(blocking);
        CompletableFuture<LimitServer> served = serve(payloadBytes);
        ByteBuffer sent = ByteBuffer.allocate(requests * LimitServer.REQUEST_BYTES);
        for (int i = 0; i < requests; i++) {
            sent.putLong(i * LimitServer.REQUEST_BYTES, i).putLong(i * LimitServer.REQUEST_BYTES + 8, place(i));
        }
        // Cut inside a request.
        near.write(sent.limit(100));
        near.write(sent.limit(sent.capacity()));
        DataInputStream answers = new DataInputStream(Channels.newInputStream(near));
        for (int i = 0; i < requests; i++) {
            assertEquals(i, answers.readLong());
            assertArrayEquals(new byte[16], answers.readNBytes(16));
            byte[] expected = Arrays.copyOfRange(data, place(i), place(i) + payloadBytes);
            assertArrayEquals(expected, answers.readNBytes(payloadBytes), "payload " + i);
        }
        near.shutdownOutput();
        assertEquals(requests, served.get(30, TimeUnit.SECONDS).answered());
        far.close();
        assertEquals(-1, answers.read());
    }

    private static int place(int i) {
        return i * 4096 * 5;
    }

    @ParameterizedTest
    @CsvSource({"4096, 1, true", "4096, 32, false", "131072, 32, true", "131072, 32, false"})
    void shouldCountWhatWasExchangedWhenTheTimeIsOver(int payloadBytes, int depth, boolean blocking) throws Exception {
        near.configureBlocking(blocking);
        far.configureBlocking(blocking);
        CompletableFuture<LimitServer> served = serve(payloadBytes);
        LimitClient.Result result = new LimitClient(near, DATA_BYTES, payloadBytes, depth)
                .run(TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.MILLISECONDS.toNanos(100));
        near.close();
        assertEquals(served.get(30, TimeUnit.SECONDS).answered(), result.allAnswers());
        assertEquals(0.1, result.seconds());
        assertTrue(result.allAnswers() >= depth && result.answers() <= result.allAnswers());
    }

    @Test
    void shouldAskForPlacesInsideTheArrayAndNoticeAnAnswerOutOfTurn() throws Exception {
        int depth = 8;
        int payloadBytes = 131072;
        LimitClient client = new LimitClient(near, DATA_BYTES, payloadBytes, depth);
        CompletableFuture<LimitClient.Result> run = CompletableFuture.supplyAsync(() -> {
            try {
                return client.run(0, TimeUnit.HOURS.toNanos(1));
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        });
        DataInputStream requests = new DataInputStream(Channels.newInputStream(far));
        ByteBuffer answer = ByteBuffer.allocate(LimitServer.HEADER_BYTES + payloadBytes);
        int total = 200;
        for (int i = 0; i < total; i++) {
            if (i >= depth) {
                far.write(answer.clear().putLong(0, i - depth));
            }
            assertEquals(i, requests.readLong());
            long place = requests.readLong();
            assertTrue(place >= 0 && place <= DATA_BYTES - payloadBytes && place % 4096 == 0, "place " + place);
            requests.skipNBytes(LimitServer.REQUEST_BYTES - 16);
        }
        // An answer out of turn.
        far.write(answer.clear().putLong(0, total));
        CompletionException failure = assertThrows(CompletionException.class, run::join);
        assertEquals(
                "answer " + total + " instead of " + (total - depth),
                failure.getCause().getMessage());
    }
}
