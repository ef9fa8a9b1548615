package io.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import io.nvmf.codec.reservation.ReservationCommand;
import io.nvmf.codec.reservation.ReservationStatus;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Reservations;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reservation commands as they leave, and what is made of a report. */
class ReservationsTest extends InitiatorTest {
    private static final int REGISTER = 0x0D;
    private static final int REPORT = 0x0E;
    private static final int ACQUIRE = 0x11;
    private static final int RELEASE = 0x15;

    private int registrants = 1;
    private volatile int status;

    @BeforeEach
    void takeReservations() {
        target.script = (connection, command) -> {
            if (connection.queueId == 0) {
                return false;
            }
            switch (command.opcode()) {
                case REGISTER, ACQUIRE, RELEASE -> connection.response(command.commandId(), status, 0);
                case REPORT -> target.sendAll(connection, command.commandId(), report(command.sglLength()));
                default -> {
                    return false;
                }
            }
            return true;
        };
    }

    private byte[] report(int lengthBytes) {
        ByteBuffer data = ByteBuffer.allocate(64 + 64 * registrants).order(ByteOrder.LITTLE_ENDIAN);
        data.putInt(0, 5).put(4, (byte) 3).putShort(5, (short) registrants);
        for (int i = 0; i < registrants; i++) {
            int at = 64 + 64 * i;
            data.putShort(at, (short) i).put(at + 2, (byte) (i == 0 ? 1 : 0)).putLong(at + 8, 100 + i);
        }
        return java.util.Arrays.copyOf(data.array(), lengthBytes);
    }

    /** CDW10 and the keys of a command. */
    private void check(int opcode, int index, int cdw10, long... keys) {
        ReceivedPdu sent = target.commands(1, opcode).get(index);
        assertEquals(1, sent.cdw(1));
        assertEquals(cdw10, sent.cdw(10));
        assertEquals(8 * keys.length, sent.data().length);
        ByteBuffer data = ByteBuffer.wrap(sent.data()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < keys.length; i++) {
            assertEquals(keys[i], data.getLong(8 * i));
        }
    }

    @Test
    void shouldSendEachCommandAsItIsMeant() {
        try (Controller controller = connect()) {
            Reservations reservations = controller.namespace(1).reservations();
            reservations.register(7, ReservationCommand.PERSISTENCE_ON).join();
            reservations.replace(7, 8).join();
            reservations.unregister(8).join();
            reservations.acquire(7, ReservationType.EXCLUSIVE_ACCESS).join();
            reservations
                    .preempt(7, 9, ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS, false)
                    .join();
            reservations.preempt(7, 9, ReservationType.WRITE_EXCLUSIVE, true).join();
            reservations.release(7, ReservationType.EXCLUSIVE_ACCESS).join();
            reservations.clear(7).join();
        }
        check(REGISTER, 0, 0xC000_0000, 0, 7);
        check(REGISTER, 1, 2, 7, 8);
        check(REGISTER, 2, 1, 8, 0);
        check(ACQUIRE, 0, 2 << 8, 7, 0);
        check(ACQUIRE, 1, 5 << 8 | 1, 7, 9);
        check(ACQUIRE, 2, 1 << 8 | 2, 7, 9);
        check(RELEASE, 0, 2 << 8, 7);
        check(RELEASE, 1, 1, 7);
    }

    @Test
    void shouldReadAReport() {
        try (Controller controller = connect()) {
            ReservationStatus report =
                    controller.namespace(1).reservations().report().join();
            assertEquals(5, report.generation());
            assertEquals(ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY, report.type());
            assertFalse(report.persistent());
            assertEquals(1, report.registrants().size());
            assertTrue(report.registrants().get(0).holdsReservation());
            assertEquals(100, report.registrants().get(0).key());
        }
        assertEquals(1023, target.commands(1, REPORT).get(0).cdw(10));
        assertEquals(1, target.commands(1, REPORT).get(0).cdw(11)); // EDS
    }

    @Test
    void shouldReadAReportThatIsLongerThanExpected() {
        registrants = 200;
        try (Controller controller = connect()) {
            ReservationStatus report =
                    controller.namespace(1).reservations().report().join();
            assertEquals(200, report.registrants().size());
            assertEquals(299, report.registrants().get(199).key());
        }
        assertEquals(
                List.of(4096, 64 + 200 * 64),
                target.commands(1, REPORT).stream().map(ReceivedPdu::sglLength).toList());
    }

    @Test
    void shouldTellOfAConflict() {
        status = Status.RESERVATION_CONFLICT;
        try (Controller controller = connect()) {
            assertEquals(
                    Status.RESERVATION_CONFLICT,
                    statusOf(controller.namespace(1).reservations().acquire(7, ReservationType.EXCLUSIVE_ACCESS)));
        }
    }
}
