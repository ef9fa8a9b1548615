package io.nvmf.initiator;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A small NVMe/TCP target on plain blocking sockets, a thread a connection, with one namespace in memory. It does what it
 * should unless a script takes a command over. Settings are made before the host connects.
 */
final class ScriptedTarget extends ScriptedDisk implements AutoCloseable {
    /** Takes over what it wants; returns whether it did. Runs on the connection's thread. */
    @FunctionalInterface
    interface Script {
        boolean onCommand(TargetConnection connection, ReceivedPdu command) throws IOException;
    }

    private final ServerSocket server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "scripted-target");
        thread.setDaemon(true);
        return thread;
    });
    private final List<TargetConnection> connections = new CopyOnWriteArrayList<>();

    /** Everything received, in order of arrival. */
    final List<ReceivedPdu> received = new CopyOnWriteArrayList<>();
    /** What broke a connection. */
    final List<String> faults = new CopyOnWriteArrayList<>();

    final AtomicInteger refused = new AtomicInteger();

    final byte[] medium;
    int cpda;
    int digests = 3;
    int maxH2cData = 1 << 17;
    int r2tBytes = Integer.MAX_VALUE;
    int readPduBytes = 1 << 17;
    boolean successFlag;
    int writeBytes = Integer.MAX_VALUE;
    /** Closes every new connection at once. */
    volatile boolean refusing;

    volatile Script script = (connection, command) -> false;

    /** Takes over answering ICReq. */
    volatile Script initializeScript = (connection, request) -> false;

    ScriptedTarget() throws IOException {
        this(new byte[MEDIUM_BYTES]);
    }

    ScriptedTarget(byte[] medium) throws IOException {
        this.medium = medium;
        server = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        threads.execute(this::accept);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    /** How many connections are still open. */
    int openConnections() {
        return connections.size();
    }

    List<TargetConnection> connections() {
        return connections;
    }

    /** Closes all connections, not the listener. */
    void dropConnections() throws IOException {
        for (TargetConnection connection : connections) {
            connection.close();
        }
    }

    List<ReceivedPdu> commands(int queueId, int opcode) {
        return received.stream()
                .filter(pdu ->
                        pdu.type() == ReceivedPdu.CAPSULE_CMD && pdu.opcode() == opcode && pdu.queueId() == queueId)
                .toList();
    }

    List<ReceivedPdu> ofType(int type) {
        return received.stream().filter(pdu -> pdu.type() == type).toList();
    }

    @Override
    public void close() throws IOException {
        server.close();
        dropConnections();
        threads.shutdownNow();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                if (refusing) {
                    refused.incrementAndGet();
                    socket.close();
                    continue;
                }
                TargetConnection connection = new TargetConnection(socket);
                connections.add(connection);
                threads.execute(() -> serve(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(TargetConnection connection) {
        try (connection) {
            connection.writeBytes = writeBytes;
            while (true) {
                ReceivedPdu pdu = connection.early.poll();
                if (pdu == null) {
                    pdu = connection.receive();
                    received.add(pdu);
                }
                switch (pdu.type()) {
                    case ReceivedPdu.IC_REQ -> initialize(connection, pdu);
                    case ReceivedPdu.CAPSULE_CMD -> {
                        if (!script.onCommand(connection, pdu)) {
                            execute(connection, pdu);
                        }
                    }
                    case ReceivedPdu.H2C_TERM_REQ -> {
                        return;
                    }
                    default -> throw new IOException("unexpected PDU " + pdu.type());
                }
            }
        } catch (java.io.EOFException | java.net.SocketException e) {
            // The host has closed, or the test has.
        } catch (IOException | RuntimeException e) {
            faults.add(e.toString());
        } finally {
            connections.remove(connection);
        }
    }

    private void initialize(TargetConnection connection, ReceivedPdu request) throws IOException {
        if (initializeScript.onCommand(connection, request)) {
            return;
        }
        int agreed = request.u8(11) & digests;
        connection.icResp(cpda, agreed, maxH2cData);
        connection.headerDigest = (agreed & 1) != 0;
        connection.dataDigest = (agreed & 2) != 0;
        connection.hostDataAlignment = 4 * (cpda + 1);
    }

    void execute(TargetConnection connection, ReceivedPdu command) throws IOException {
        if (command.opcode() == 0x7F) {
            fabrics(connection, command);
        } else if (connection.queueId == 0) {
            admin(connection, command);
        } else {
            io(connection, command);
        }
    }

    private void fabrics(TargetConnection connection, ReceivedPdu command) throws IOException {
        long result = 0;
        switch (command.fabricsType()) {
            case 0x01 -> {
                connection.queueId = command.u16(8 + 42);
                result = CONTROLLER_ID;
            }
            case 0x00 -> configuration = command.i32(8 + 48);
            case 0x04 -> result = property(command.i32(8 + 44));
            default -> throw new IOException("unexpected FCTYPE " + command.fabricsType());
        }
        connection.response(command.commandId(), 0, result);
    }

    private void admin(TargetConnection connection, ReceivedPdu command) throws IOException {
        int cid = command.commandId();
        switch (command.opcode()) {
            case 0x06 -> sendAll(connection, cid, identify(command.cdw(10) & 0xFF, command.cdw(1)));
            case 0x09 ->
                connection.response(cid, 0, (command.cdw(10) & 0xFF) == 7 ? (grantedQueues - 1) * 0x1_0001L : 0);
            case 0x0C -> {
                // An event never comes.
            }
            case 0x18 -> connection.response(cid, 0, 0);
            default -> connection.response(cid, 0x4001, 0);
        }
    }

    private void io(TargetConnection connection, ReceivedPdu command) throws IOException {
        int cid = command.commandId();
        int offset = (int) (command.i64(8 + 40) << blockShift);
        int length = (command.cdw(12) & 0xFFFF) + 1 << blockShift;
        switch (command.opcode()) {
            case 0x00, 0x09 -> connection.response(cid, 0, 0);
            case 0x01 -> {
                byte[] data = command.data().length > 0 ? command.data() : pull(connection, cid, length);
                System.arraycopy(data, 0, medium, offset, data.length);
                connection.response(cid, 0, 0);
            }
            case 0x02 -> sendAll(connection, cid, Arrays.copyOfRange(medium, offset, offset + length));
            case 0x08 -> {
                Arrays.fill(medium, offset, offset + length, (byte) 0);
                connection.response(cid, 0, 0);
            }
            default -> connection.response(cid, 0x4001, 0);
        }
    }

    /** Sends read data and a response, or the SUCCESS flag. */
    void sendAll(TargetConnection connection, int cid, byte[] data) throws IOException {
        for (int at = 0; at < data.length; ) {
            int n = Math.min(readPduBytes, data.length - at);
            boolean last = at + n == data.length;
            int flags = last ? TargetConnection.LAST | (successFlag ? TargetConnection.SUCCESS : 0) : 0;
            connection.readData(cid, at, data, at, n, flags);
            at += n;
        }
        if (!successFlag) {
            connection.response(cid, 0, 0);
        }
    }

    /** Asks for write data by R2T and checks how it comes. Other commands that come meanwhile are kept for later. */
    byte[] pull(TargetConnection connection, int cid, int length) throws IOException {
        byte[] data = new byte[length];
        int tag = 0x5000;
        for (int at = 0; at < length; ) {
            int n = Math.min(r2tBytes, length - at);
            connection.r2t(cid, ++tag, at, n);
            pullPiece(connection, cid, tag, data, at, n);
            at += n;
        }
        return data;
    }

    private void pullPiece(TargetConnection connection, int cid, int tag, byte[] data, int from, int length)
            throws IOException {
        for (int at = from; at < from + length; ) {
            ReceivedPdu pdu = connection.receive();
            received.add(pdu);
            if (pdu.type() == ReceivedPdu.CAPSULE_CMD) {
                connection.early.add(pdu);
                continue;
            }
            int n = pdu.data().length;
            boolean last = at + n == from + length;
            boolean right = pdu.type() == ReceivedPdu.H2C_DATA
                    && pdu.u16(8) == cid
                    && pdu.u16(10) == tag
                    && pdu.i32(12) == at
                    && pdu.i32(16) == n
                    && n > 0
                    && n <= maxH2cData
                    && ((pdu.flags() & TargetConnection.LAST) != 0) == last;
            if (!right) {
                throw new IOException("wrong H2CData: " + Arrays.toString(pdu.header()));
            }
            System.arraycopy(pdu.data(), 0, data, at, n);
            at += n;
        }
    }
}
