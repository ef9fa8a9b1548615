package io.nvmf.initiator;

import io.netty.channel.IoEventLoop;
import io.nvmf.transport.EventLoops;
import io.nvmf.transport.memory.MemoryRdma;
import io.nvmf.transport.rdma.CmId;
import io.nvmf.transport.rdma.ConnectionManager;
import io.nvmf.transport.rdma.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A small NVMe/RDMA target over RDMA inside this process, with one namespace in memory, on one event loop. It does what it
 * should unless a script takes a command over. Bytes are made and taken apart by hand.
 */
final class ScriptedRdmaTarget extends ScriptedDisk implements AutoCloseable {
    /** Takes over what it wants; returns whether it did. Runs on the target's event loop. */
    @FunctionalInterface
    interface Script {
        boolean onCommand(RdmaTargetConnection connection, ReceivedCapsule command) throws RdmaException;
    }

    /** What a host asked to connect with. */
    record ConnectRequest(byte[] privateData, int responderResources, int initiatorDepth) {
        int u16(int offset) {
            return ByteBuffer.wrap(privateData).order(ByteOrder.LITTLE_ENDIAN).getShort(offset) & 0xFFFF;
        }
    }

    final MemoryRdma rdma;
    final IoEventLoop loop;
    final ByteBuffer medium = ByteBuffer.allocateDirect(MEDIUM_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    final List<ReceivedCapsule> received = new CopyOnWriteArrayList<>();
    final List<ConnectRequest> requests = new CopyOnWriteArrayList<>();
    final List<RdmaTargetConnection> connections = new CopyOnWriteArrayList<>();
    /** What went wrong here. */
    final List<String> faults = new CopyOnWriteArrayList<>();
    /** The data of Connect commands. */
    final List<byte[]> connectData = new CopyOnWriteArrayList<>();

    /** CRQSIZE; negative for as many as the host wants. */
    volatile int crqsize = -1;
    /** Bytes to accept with instead of RECFMT and CRQSIZE. */
    volatile byte[] acceptData;
    /** Bytes to refuse every queue from this one on with. */
    volatile byte[] rejectData;

    volatile int rejectFromQueue;
    /** Leaves requests unanswered. */
    volatile boolean silent;

    volatile Script script = (connection, command) -> false;

    private final EventLoops loops = EventLoops.open(EventLoops.Kind.NIO, 1, "scripted-rdma-target");
    private ConnectionManager manager;
    private ConnectionManager.Listening listening;

    ScriptedRdmaTarget(MemoryRdma rdma) {
        this.rdma = rdma;
        loop = loops.next();
        sgls = 1 | 1 << 2 | 1 << 20;
        onLoop(() -> {
            manager = rdma.openConnectionManager(loop);
            // On every address: that stays when the device goes and comes back.
            listening = manager.listen(new InetSocketAddress(0), 128, this::onRequest);
        });
    }

    /** Something that may fail. */
    @FunctionalInterface
    interface Task {
        void run() throws RdmaException;
    }

    /** Runs on the target's loop, and waits. */
    void onLoop(Task task) {
        CompletableFuture.runAsync(
                        () -> {
                            try {
                                task.run();
                            } catch (RdmaException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        loop)
                .join();
    }

    InetSocketAddress address() {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(), listening.address().getPort());
    }

    List<ReceivedCapsule> commands(int queueId, int opcode) {
        return received.stream()
                .filter(capsule -> capsule.queueId() == queueId && capsule.opcode() == opcode)
                .toList();
    }

    /** The connection of a queue. */
    RdmaTargetConnection connection(int queueId) {
        return connections.stream()
                .filter(connection -> connection.queueId == queueId)
                .findFirst()
                .orElseThrow();
    }

    void dropConnections() {
        onLoop(() -> connections.forEach(RdmaTargetConnection::close));
    }

    @Override
    public void close() {
        onLoop(() -> {
            connections.forEach(RdmaTargetConnection::close);
            listening.close();
            manager.close();
        });
        loops.close();
    }

    private void onRequest(CmId id, ByteBuffer privateData, int responderResources, int initiatorDepth) {
        byte[] bytes = new byte[privateData.remaining()];
        privateData.get(bytes);
        ConnectRequest request = new ConnectRequest(bytes, responderResources, initiatorDepth);
        requests.add(request);
        try {
            if (silent) {
                return;
            }
            if (rejectData != null && request.u16(2) >= rejectFromQueue) {
                id.reject(ByteBuffer.wrap(rejectData));
                id.close();
            } else {
                connections.add(new RdmaTargetConnection(this, id, request));
            }
        } catch (RdmaException e) {
            faults.add(e.toString());
        }
    }

    // ---- Commands

    void onCommand(RdmaTargetConnection connection, ReceivedCapsule command) throws RdmaException {
        received.add(command);
        if (!script.onCommand(connection, command)) {
            execute(connection, command);
        }
    }

    void execute(RdmaTargetConnection connection, ReceivedCapsule command) {
        if (command.opcode() == 0x7F) {
            fabrics(connection, command);
        } else if (connection.queueId == 0) {
            admin(connection, command);
        } else {
            io(connection, command);
        }
    }

    private void fabrics(RdmaTargetConnection connection, ReceivedCapsule command) {
        int cid = command.commandId();
        switch (command.u8(4)) {
            case 0x01 ->
                connection.fetch(command, 1024, data -> {
                    connectData.add(data);
                    connection.response(cid, 0, CONTROLLER_ID);
                });
            case 0x00 -> {
                configuration = command.i32(48);
                connection.response(cid, 0, 0);
            }
            case 0x04 -> connection.response(cid, 0, property(command.i32(44)));
            default -> throw new IllegalArgumentException("unexpected FCTYPE " + command.u8(4));
        }
    }

    private void admin(RdmaTargetConnection connection, ReceivedCapsule command) {
        int cid = command.commandId();
        switch (command.opcode()) {
            case 0x06 -> connection.store(command, identify(command.cdw(10) & 0xFF, command.cdw(1)));
            case 0x09 ->
                connection.response(cid, 0, (command.cdw(10) & 0xFF) == 7 ? (grantedQueues - 1) * 0x1_0001L : 0);
            case 0x0C -> {
                // An event never comes.
            }
            case 0x18 -> connection.response(cid, 0, 0);
            default -> connection.response(cid, 0x4001, 0);
        }
    }

    private void io(RdmaTargetConnection connection, ReceivedCapsule command) {
        int cid = command.commandId();
        int offset = (int) (command.i64(40) << blockShift);
        int length = (command.cdw(12) & 0xFFFF) + 1 << blockShift;
        switch (command.opcode()) {
            case 0x00, 0x09 -> connection.response(cid, 0, 0);
            case 0x01 ->
                connection.fetch(command, length, data -> {
                    medium.put(offset, data);
                    connection.response(cid, 0, 0);
                });
            case 0x02 -> {
                byte[] data = new byte[length];
                medium.get(offset, data);
                connection.store(command, data);
            }
            default -> connection.response(cid, 0x4001, 0);
        }
    }
}
