package io.nvmf.it.conformance;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Crc32c;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.initiator.raw.RawPdu;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A target that is wrong in one way: our own, and between it and the host something that changes PDUs on their way. What a
 * fault changes gets right digests again, so that it is the fault alone that shows.
 */
final class FaultProxy implements AutoCloseable {
    /** What is wrong. Either method may answer with the same PDU, another, or none at all. */
    interface Fault {
        default List<RawPdu> toHost(Connection connection, RawPdu pdu) {
            return List.of(pdu);
        }

        default List<RawPdu> toTarget(Connection connection, RawPdu pdu) {
            return List.of(pdu);
        }

        /** Whether the host learns that the target has ended a connection. */
        default boolean tellsTheEnd() {
            return true;
        }
    }

    /** What a fault may need to know of the connection that a PDU travels on. */
    static final class Connection {
        private final Map<Integer, Sqe> commands = new ConcurrentHashMap<>();

        /** The command that has, or had last, this CID; null when none had. */
        Sqe command(int commandId) {
            return commands.get(commandId);
        }

        private void remember(RawPdu pdu) {
            if (pdu.is(PduType.CAPSULE_CMD)) {
                commands.put(pdu.command().commandId(), pdu.command());
            }
        }
    }

    private final ServerSocket server;
    private final InetSocketAddress target;
    private final Fault fault;
    private volatile boolean wrong = true;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    FaultProxy(InetSocketAddress target, Fault fault) throws IOException {
        this.target = target;
        this.fault = fault;
        server = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        start("accept", this::accept);
    }

    /** Whether PDUs are changed. */
    void wrong(boolean isWrong) {
        wrong = isWrong;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, "fault-proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket host = server.accept();
                sockets.add(host);
                Socket served = new Socket(target.getAddress(), target.getPort());
                sockets.add(served);
                host.setTcpNoDelay(true);
                served.setTcpNoDelay(true);
                Connection connection = new Connection();
                start("to-target", () -> pump(host, served, connection, true));
                start("to-host", () -> pump(served, host, connection, false));
            } catch (IOException e) {
                // Closed, or a host that left at once.
            }
        }
    }

    private void pump(Socket from, Socket to, Connection connection, boolean toTarget) {
        try {
            DataInputStream in = new DataInputStream(from.getInputStream());
            OutputStream out = to.getOutputStream();
            for (RawPdu pdu = read(in); pdu != null; pdu = read(in)) {
                if (toTarget) {
                    connection.remember(pdu);
                }
                for (RawPdu one : passed(connection, pdu, toTarget)) {
                    out.write(one.bytes());
                }
                out.flush();
            }
            if (toTarget || fault.tellsTheEnd()) {
                to.shutdownOutput();
            }
        } catch (IOException e) {
            close(from);
            close(to);
        }
    }

    private List<RawPdu> passed(Connection connection, RawPdu pdu, boolean toTarget) {
        if (!wrong) {
            return List.of(pdu);
        }
        return toTarget ? fault.toTarget(connection, pdu) : fault.toHost(connection, pdu);
    }

    /** The next PDU, null at the end. What is no PDU passes as it comes. */
    private static RawPdu read(DataInputStream in) throws IOException {
        byte[] start = in.readNBytes(PduHeader.BYTES);
        if (start.length < PduHeader.BYTES) {
            return start.length == 0 ? null : new RawPdu(start);
        }
        long length = Bytes.u32(ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN), PduHeader.PLEN_OFFSET);
        if (length < PduHeader.BYTES || length > 64 << 20) {
            return new RawPdu(start);
        }
        byte[] all = Arrays.copyOf(start, (int) length);
        int more = in.readNBytes(all, PduHeader.BYTES, all.length - PduHeader.BYTES);
        return new RawPdu(Arrays.copyOf(all, PduHeader.BYTES + more));
    }

    /** The PDU with other bytes, and digests that fit them. */
    static RawPdu changed(RawPdu pdu, Consumer<ByteBuffer> change) {
        byte[] bytes = pdu.bytes().clone();
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        change.accept(buffer);
        int header = pdu.headerLength();
        if (pdu.has(PduHeader.HEADER_DIGEST) && header + Crc32c.BYTES <= bytes.length) {
            buffer.putInt(header, new Crc32c().of(bytes, 0, header));
        }
        int dataBytes = pdu.data().length;
        if (pdu.has(PduHeader.DATA_DIGEST) && dataBytes > 0) {
            int at = pdu.dataOffset();
            buffer.putInt(at + dataBytes, new Crc32c().of(bytes, at, dataBytes));
        }
        return new RawPdu(bytes);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        sockets.forEach(FaultProxy::close);
    }
}
