package io.nvmf.target;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationKeys;
import io.nvmf.codec.reservation.ReservationStatus;
import io.nvmf.codec.reservation.ReservationType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.UUID;

/** A host of some Host Identifier with an admin and one I/O queue, which speaks of reservations of one namespace. */
final class ReservingHost implements AutoCloseable {
    static final int CONFLICT = 0x4083;
    static final int INVALID_FIELD = 0x4002;

    final RawHost admin;
    final RawHost io;
    private final long nsid;
    private final long key;

    ReservingHost(InetSocketAddress address, UUID hostId, long nsid, long key) throws IOException {
        this.nsid = nsid;
        this.key = key;
        admin = new RawHost(address).as(hostId);
        int controllerId = admin.connectAdmin(TargetTestBase.NQN, 0);
        admin.enable();
        io = new RawHost(address).as(hostId);
        io.initialize(0, 0);
        io.connectIo(controllerId, 1, 31, TargetTestBase.NQN);
    }

    /** Sends a command with its data in the capsule; returns its status. */
    int execute(Sqe sqe, byte[] data) throws IOException {
        return io.execute(inCapsule(sqe, data), data).status();
    }

    static Sqe inCapsule(Sqe sqe, byte[] data) {
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, data.length);
        return sqe;
    }

    static byte[] keys(long current, long other) {
        ByteBuffer data = Bytes.allocate(ReservationKeys.BYTES);
        new ReservationKeys(current, other).encode(data, 0);
        return data.array();
    }

    int register() throws IOException {
        return register(ReservationCommand.PERSISTENCE_UNCHANGED);
    }

    int register(int persistence) throws IOException {
        Sqe sqe = Sqe.allocate();
        return execute(
                ReservationCommand.encodeRegister(sqe, nsid, ReservationCommand.REGISTER, false, persistence),
                keys(0, key));
    }

    int unregister() throws IOException {
        Sqe sqe = Sqe.allocate();
        return execute(
                ReservationCommand.encodeRegister(sqe, nsid, ReservationCommand.UNREGISTER, false, 0), keys(key, 0));
    }

    int acquire(ReservationType type) throws IOException {
        return execute(acquireCommand(ReservationCommand.ACQUIRE, type), keys(key, 0));
    }

    int preempt(ReservationType type, long victimKey) throws IOException {
        return execute(acquireCommand(ReservationCommand.PREEMPT, type), keys(key, victimKey));
    }

    Sqe acquireCommand(int action, ReservationType type) {
        return ReservationCommand.encodeAcquire(Sqe.allocate(), nsid, action, type);
    }

    int release(ReservationType type) throws IOException {
        return execute(ReservationCommand.encodeRelease(Sqe.allocate(), nsid, type), releaseKey());
    }

    int clear() throws IOException {
        return execute(ReservationCommand.encodeClear(Sqe.allocate(), nsid), releaseKey());
    }

    private byte[] releaseKey() {
        return Bytes.allocate(ReservationKeys.RELEASE_BYTES).putLong(0, key).array();
    }

    ReservationStatus report() throws IOException {
        Sqe sqe = ReservationCommand.encodeReport(Sqe.allocate(), nsid, 1024);
        ByteBuffer data = Bytes.allocate(1024).put(0, io.executeRead(sqe, 1024));
        return ReservationStatus.decode(data, 0, 1024);
    }

    /** Tries to write the first block; returns the status. */
    int write() throws IOException {
        byte[] block = new byte[512];
        return execute(ReadWriteCommand.encode(Sqe.allocate(), 1, nsid, 0, 1), block);
    }

    @Override
    public void close() throws IOException {
        io.close();
        admin.close();
    }
}
