package io.nvmf.tools;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.tcp.InitializeConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** A target that says ICResp and nothing more, perhaps not even that. */
final class MuteTarget implements AutoCloseable {
    private static final int PDU_TYPE_IC_RESP = 1;

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final byte[] response;
    private final int answered;
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();

    private MuteTarget(byte[] response, int answered) throws IOException {
        this.response = response;
        this.answered = answered;
        start(this::accept);
    }

    /** Whose ICResp has a one where there must be a zero. */
    static MuteTarget withReservedByte(int offset) throws IOException {
        byte[] response = icResp();
        response[offset] = 1;
        return new MuteTarget(response, Integer.MAX_VALUE);
    }

    /** Whose ICResp comes on so many connections, which it then ends, and on no more. */
    static MuteTarget afterConnections(int answered) throws IOException {
        return new MuteTarget(icResp(), answered);
    }

    private static byte[] icResp() {
        ByteBuffer pdu = Bytes.allocate(InitializeConnection.BYTES);
        pdu.put(0, (byte) PDU_TYPE_IC_RESP).put(2, (byte) InitializeConnection.BYTES);
        pdu.putInt(4, InitializeConnection.BYTES).putInt(12, 4096);
        return pdu.array();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "mute-target");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                int number = accepted.incrementAndGet();
                open.incrementAndGet();
                start(() -> serve(socket, number));
            }
        } catch (IOException e) {
            // The end of the test.
        }
    }

    private void serve(Socket socket, int number) {
        try (socket) {
            socket.getInputStream().readNBytes(InitializeConnection.BYTES);
            if (number <= answered) {
                socket.getOutputStream().write(response);
            }
            if (answered == Integer.MAX_VALUE || number > answered) {
                socket.getInputStream().readAllBytes();
            }
        } catch (IOException e) {
            // The check has ended the connection.
        } finally {
            open.decrementAndGet();
        }
    }

    String uri() {
        return "nvmf-tcp://127.0.0.1:" + server.getLocalPort();
    }

    /** Whether somebody waits for an ICResp that does not come. */
    boolean isKeepingSilent() {
        return accepted.get() > answered && !hasNoConnections();
    }

    boolean hasNoConnections() {
        return open.get() == 0;
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
