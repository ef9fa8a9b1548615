package io.nvmf.it.speed;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.SplittableRandom;

/**
 * The least that a target does, without NVMe: answers each request of {@link #REQUEST_BYTES} with {@link #HEADER_BYTES} and
 * a payload, which is copied once, from a large array beside its header. What one read of the socket brings is answered in
 * as few writes as the send buffer allows.
 *
 * <pre>
 * request  0-7 number   8-15 place of the payload in the array   16-71 unused
 * answer   0-7 number   8-23 unused   24- payload
 * </pre>
 */
final class LimitServer {
    /** As much as a CapsuleCmd. */
    static final int REQUEST_BYTES = 72;
    /** As much as the header of a C2HData PDU. */
    static final int HEADER_BYTES = 24;
    /** Larger than any cache. */
    static final int DATA_BYTES = 256 << 20;

    private static final int RECEIVE_BUFFER_BYTES = 64 << 10;
    private static final int LEAST_BUFFER_BYTES = 64 << 10;
    private static final int ANSWERS_A_BUFFER = 8;

    private final byte[] data;
    private final int payloadBytes;
    private final ByteBuffer in = ByteBuffer.allocateDirect(RECEIVE_BUFFER_BYTES);
    private final ByteBuffer out;
    private long answered;

    LimitServer(byte[] data, int payloadBytes) {
        this.data = data;
        this.payloadBytes = payloadBytes;
        out = answerBuffer(payloadBytes);
    }

    /** Long enough for few system calls, and no longer, for what is copied should still be in the cache when it is sent. */
    static ByteBuffer answerBuffer(int payloadBytes) {
        int answersBytes = ANSWERS_A_BUFFER * (HEADER_BYTES + payloadBytes);
        return ByteBuffer.allocateDirect(Math.max(LEAST_BUFFER_BYTES, answersBytes));
    }

    /** Serves one connection until its other end closes it. A socket that does not block is polled without rest. */
    void serve(SocketChannel socket) throws IOException {
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        for (int read = 0; read >= 0; read = socket.read(in)) {
            if (read > 0) {
                in.flip();
                while (in.remaining() >= REQUEST_BYTES) {
                    answer(socket);
                }
                in.compact();
                send(socket, out);
            }
        }
    }

    private void answer(SocketChannel socket) throws IOException {
        int request = in.position();
        if (out.remaining() < HEADER_BYTES + payloadBytes) {
            send(socket, out);
        }
        out.putLong(in.getLong(request)).putLong(0).putLong(0);
        out.put(data, (int) in.getLong(request + 8), payloadBytes);
        in.position(request + REQUEST_BYTES);
        answered++;
    }

    /** Sends all that was put into the buffer, and empties it. */
    static void send(SocketChannel socket, ByteBuffer buffer) throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            socket.write(buffer);
        }
        buffer.clear();
    }

    long answered() {
        return answered;
    }

    /** {@code LimitServer spin|sleep PAYLOAD_BYTES}: prints the port, serves one connection and ends. */
    public static void main(String[] arguments) throws IOException {
        byte[] data = new byte[DATA_BYTES];
        new SplittableRandom(1).nextBytes(data);
        LimitServer server = new LimitServer(data, Integer.parseInt(arguments[1]));
        try (ServerSocketChannel listening = ServerSocketChannel.open()) {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println(listening.socket().getLocalPort());
            try (SocketChannel socket = listening.accept()) {
                socket.configureBlocking(arguments[0].equals("sleep"));
                server.serve(socket);
            }
        }
    }
}
