package io.nvmf.target;

import static io.nvmf.target.ReservingHost.CONFLICT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationStatus;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.target.transport.rdma.RawRdmaHost;
import io.nvmf.target.transport.rdma.RawRdmaHost.Memory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** One reservation for hosts of both transports. */
class RdmaReservationsTest extends RdmaTestBase {
    private static final long KEY = 0x1234;

    private static ReservationStatus report(RawRdmaHost io) throws IOException {
        Memory memory = io.memory(4096);
        Sqe sqe = ReservationCommand.encodeReport(Sqe.allocate(), 1, 4096);
        assertEquals(0, io.execute(RawRdmaHost.keyed(sqe, memory, 4096)).status());
        ByteBuffer data = Bytes.allocate(4096).put(0, memory.copy(4096));
        return ReservationStatus.decode(data, 0, 4096);
    }

    private static int writeFetched(RawRdmaHost io) throws IOException {
        Memory memory = io.memory(random(1, 8192));
        return io.execute(RawRdmaHost.keyed(command(WRITE, 0, 8192), memory, 8192))
                .status();
    }

    @Test
    void shouldReserveForHostsOfBothTransports() throws IOException {
        start();
        RawRdmaHost io = io(32, 16);
        try (ReservingHost other = new ReservingHost(target.addresses().get(0), new UUID(7, 7), 1, 7)) {
            assertEquals(0, other.register());
            assertEquals(0, other.acquire(ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY));
            assertEquals(CONFLICT, writeFetched(io));
            Sqe register = ReservationCommand.encodeRegister(Sqe.allocate(), 1, 0, false, 0);
            Memory keys = io.memory(ReservingHost.keys(0, KEY));
            assertEquals(0, io.execute(RawRdmaHost.keyed(register, keys, 16)).status(), "by RDMA READ");
            assertEquals(0, writeFetched(io));
            assertEquals(2, report(io).registrants().size());
            assertEquals(0, other.release(ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY));
            Sqe acquire = ReservationCommand.encodeAcquire(
                    Sqe.allocate(), 1, ReservationCommand.ACQUIRE, ReservationType.EXCLUSIVE_ACCESS);
            byte[] current = ReservingHost.keys(KEY, 0);
            assertEquals(
                    0,
                    io.execute(RawRdmaHost.inCapsule(acquire, 0, 16), current).status());
            assertEquals(CONFLICT, other.write());
        }
        closeHosts();
        awaitNoConnections();
    }
}
