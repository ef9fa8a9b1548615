package io.nvmf.it.speed;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The least that a host does, without NVMe: keeps so many requests out at a {@link LimitServer} through one socket, and
 * looks at nothing of an answer but its header. What one read of the socket brings is followed by new requests in one write.
 */
final class LimitClient {
    private static final int PLACE_BYTES = 4096;

    private final SocketChannel socket;
    private final int payloadBytes;
    private final int places;
    private final SplittableRandom random = new SplittableRandom(1);
    private final ByteBuffer in;
    private final ByteBuffer out;
    /** When each request that is out was sent, in ns; answers come in the order of the requests. */
    private final long[] sentNanos;

    private final Histogram latencies = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
    /** Recorded too, so that nothing is compiled for the first time while measuring. */
    private final Histogram uncounted = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);

    private long requested;
    private long answered;
    private int payloadLeft;

    /**
     * @param answers those that came in the time measured
     * @param allAnswers those before and after it, too
     * @param latencies in ns, of the answers in the time measured
     */
    record Result(long answers, long allAnswers, double seconds, Histogram latencies) {}

    /** @param dataBytes length of the server's array */
    LimitClient(SocketChannel socket, int dataBytes, int payloadBytes, int depth) throws IOException {
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.socket = socket;
        this.payloadBytes = payloadBytes;
        places = (dataBytes - payloadBytes) / PLACE_BYTES + 1;
        in = LimitServer.answerBuffer(payloadBytes);
        out = ByteBuffer.allocateDirect(depth * LimitServer.REQUEST_BYTES);
        sentNanos = new long[depth];
    }

    /** Runs and ends with nothing outstanding. A socket that does not block is polled without rest. */
    Result run(long warmUpNanos, long measuredNanos) throws IOException {
        long now = System.nanoTime();
        long from = now + warmUpNanos;
        long to = from + measuredNanos;
        request(sentNanos.length, now);
        while (answered < requested) {
            int read = socket.read(in);
            if (read < 0) {
                throw new EOFException("the server has closed the connection");
            }
            if (read > 0) {
                now = System.nanoTime();
                int answers = takeAnswers(now, now - from >= 0 && now - to < 0);
                if (now - to < 0) {
                    request(answers, now);
                }
            }
        }
        return new Result(latencies.getTotalCount(), answered, measuredNanos / 1e9, latencies);
    }

    private void request(int count, long now) throws IOException {
        for (int i = 0; i < count; i++) {
            int start = out.position();
            out.putLong(start, requested).putLong(start + 8, (long) random.nextInt(places) * PLACE_BYTES);
            out.position(start + LimitServer.REQUEST_BYTES);
            sentNanos[(int) (requested++ % sentNanos.length)] = now;
        }
        LimitServer.send(socket, out);
    }

    private int takeAnswers(long now, boolean measured) throws IOException {
        long before = answered;
        in.flip();
        while (payloadLeft > 0 && in.hasRemaining() || payloadLeft == 0 && in.remaining() >= LimitServer.HEADER_BYTES) {
            if (payloadLeft == 0) {
                takeHeader();
            }
            int taken = Math.min(payloadLeft, in.remaining());
            in.position(in.position() + taken);
            payloadLeft -= taken;
            if (payloadLeft == 0) {
                (measured ? latencies : uncounted).recordValue(now - sentNanos[(int) (answered % sentNanos.length)]);
                answered++;
            }
        }
        in.compact();
        return (int) (answered - before);
    }

    private void takeHeader() throws IOException {
        long number = in.getLong(in.position());
        if (number != answered) {
            throw new IOException("answer " + number + " instead of " + answered);
        }
        in.position(in.position() + LimitServer.HEADER_BYTES);
        payloadLeft = payloadBytes;
    }

    /** {@code LimitClient spin|sleep PAYLOAD_BYTES PORT DEPTH WARM_UP_SECONDS SECONDS}: prints a line of JSON. */
    public static void main(String[] arguments) throws IOException {
        int payloadBytes = Integer.parseInt(arguments[1]);
        int port = Integer.parseInt(arguments[2]);
        int depth = Integer.parseInt(arguments[3]);
        long warmUpNanos = TimeUnit.SECONDS.toNanos(Integer.parseInt(arguments[4]));
        long nanos = TimeUnit.SECONDS.toNanos(Integer.parseInt(arguments[5]));
        try (SocketChannel socket = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            socket.configureBlocking(arguments[0].equals("sleep"));
            Result result =
                    new LimitClient(socket, LimitServer.DATA_BYTES, payloadBytes, depth).run(warmUpNanos, nanos);
            double perSecond = result.answers() / result.seconds();
            Object[] figures = {
                arguments[0],
                payloadBytes,
                depth,
                perSecond,
                perSecond * payloadBytes / 1e6,
                result.latencies().getValueAtPercentile(50) / 1e3,
                result.latencies().getValueAtPercentile(99) / 1e3
            };
            System.out.printf(
                    Locale.ROOT,
                    "{\"mode\": \"%s\", \"size\": %d, \"depth\": %d, \"requests_per_s\": %.0f, \"mb_per_s\": %.1f,"
                            + " \"p50_us\": %.1f, \"p99_us\": %.1f}%n",
                    figures);
        }
    }
}
