package io.nvmf.codec.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.TestBytes;
import io.nvmf.codec.log.ReservationNotification;
import io.nvmf.codec.reservation.ReservationStatus.Registrant;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReservationTest {
    private static final UUID HOST = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    @Test
    void shouldPlaceEachFieldOfTheCommands() {
        Sqe sqe = Sqe.allocate();
        ReservationCommand.encodeRegister(sqe, 7, ReservationCommand.REPLACE, true, ReservationCommand.PERSISTENCE_ON);
        TestBytes.assertBytes("0d 40 00 00 07 00 00 00", sqe.buffer(), 0);
        TestBytes.assertBytes("0a 00 00 c0", sqe.buffer(), 40);
        TestBytes.assertZero(sqe.buffer(), 44, 64);
        ReservationType type = ReservationType.EXCLUSIVE_ACCESS_ALL_REGISTRANTS;
        ReservationCommand.encodeAcquire(sqe, 7, ReservationCommand.PREEMPT_AND_ABORT, type);
        TestBytes.assertBytes("11 40 00 00 07 00 00 00", sqe.buffer(), 0);
        TestBytes.assertBytes("02 06 00 00", sqe.buffer(), 40);
        ReservationCommand.encodeRelease(sqe, 7, ReservationType.WRITE_EXCLUSIVE);
        TestBytes.assertBytes("15 40", sqe.buffer(), 0);
        TestBytes.assertBytes("00 01 00 00", sqe.buffer(), 40);
        ReservationCommand.encodeClear(sqe, 7);
        TestBytes.assertBytes("01 00 00 00", sqe.buffer(), 40);
        ReservationCommand.encodeReport(sqe, 7, 4096);
        TestBytes.assertBytes("0e 40", sqe.buffer(), 0);
        TestBytes.assertBytes("ff 03 00 00 01 00 00 00", sqe.buffer(), 40);
        assertThrows(IllegalArgumentException.class, () -> ReservationCommand.encodeReport(sqe, 7, 0));
        assertThrows(IllegalArgumentException.class, () -> ReservationCommand.encodeReport(sqe, 7, 66));
    }

    @Test
    void shouldReadEachFieldOfTheCommands() {
        ByteBuffer buffer = Bytes.allocate(Sqe.BYTES);
        Sqe sqe = new Sqe().wrap(buffer, 0);
        buffer.put(40, TestBytes.of("FD A5 00 80"), 0, 4);
        assertEquals(5, ReservationCommand.action(sqe));
        assertTrue(ReservationCommand.ignoresExistingKey(sqe));
        assertEquals(0xA5, ReservationCommand.type(sqe));
        assertEquals(ReservationCommand.PERSISTENCE_OFF, ReservationCommand.persistence(sqe));
        buffer.put(40, TestBytes.of("F7 FF FF FF FE FF FF FF"), 0, 8);
        assertFalse(ReservationCommand.ignoresExistingKey(sqe));
        assertEquals(0xFFFF_FFF8L * 4, ReservationCommand.lengthBytes(sqe));
        assertFalse(ReservationCommand.isExtended(sqe));
        buffer.putInt(40, -1);
        assertEquals(1L << 34, ReservationCommand.lengthBytes(sqe));
    }

    @Test
    void shouldKnowTheFourCommands() {
        assertEquals(
                List.of(0x0D, 0x0E, 0x11, 0x15),
                IntStream.range(0, 256).filter(ReservationCommand::is).boxed().toList());
    }

    @Test
    void shouldKnowTheSixTypesAndNoOther() {
        assertNull(ReservationType.of(0));
        assertNull(ReservationType.of(7));
        assertNull(ReservationType.of(255));
        StringBuilder facts = new StringBuilder();
        for (int number = 1; number <= 6; number++) {
            ReservationType type = ReservationType.of(number);
            assertEquals(number, type.number());
            facts.append(type.excludesReads() ? 'R' : '-');
            facts.append(type.letsRegistrantsIn() ? 'I' : '-');
            facts.append(type.isHeldByAllRegistrants() ? "A " : "- ");
        }
        assertEquals("--- R-- -I- RI- -IA RIA ", facts.toString());
    }

    @Test
    void shouldPlaceTheKeys() {
        ByteBuffer data = TestBytes.dirty(16);
        new ReservationKeys(0x8102_0304_0506_0708L, 0x11).encode(data, 0);
        TestBytes.assertBytes("08 07 06 05 04 03 02 81 11 00 00 00 00 00 00 00", data, 0);
        assertEquals(new ReservationKeys(0x8102_0304_0506_0708L, 0x11), ReservationKeys.decode(data, 0));
        assertEquals(new ReservationKeys(0x8102_0304_0506_0708L, 0), ReservationKeys.decodeRelease(data, 0));
        assertThrows(IllegalArgumentException.class, () -> ReservationKeys.decode(data, 1));
        assertThrows(IllegalArgumentException.class, () -> ReservationKeys.decodeRelease(data, 9));
    }

    @Test
    void shouldPlaceEachFieldOfAReport() {
        ReservationStatus status = new ReservationStatus(
                0x8102_0304L,
                ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY,
                true,
                List.of(new Registrant(0xFFFF, false, 5, HOST), new Registrant(0x1234, true, -2, HOST)));
        ByteBuffer data = TestBytes.dirty(200);
        status.encode(data, 4);
        assertEquals(192, status.lengthBytes());
        TestBytes.assertBytes("04 03 02 81 03 02 00 00 00 01 00", data, 4);
        TestBytes.assertZero(data, 14, 68);
        TestBytes.assertBytes("ff ff 00 00 00 00 00 00 05 00 00 00 00 00 00 00", data, 68);
        TestBytes.assertBytes("00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff", data, 84);
        TestBytes.assertZero(data, 100, 132);
        TestBytes.assertBytes("34 12 01 00 00 00 00 00 fe ff ff ff ff ff ff ff", data, 132);
        TestBytes.assertBytes("ee ee ee ee", data, 196);
        assertEquals(status, ReservationStatus.decode(data, 4, 192));
    }

    @Test
    void shouldReadOnlyWholeRegistrantsOfAReport() {
        ByteBuffer data = Bytes.allocate(256);
        data.putShort(5, (short) 0xFFFF);
        assertEquals(0xFFFF, ReservationStatus.registrantCount(data, 0));
        assertEquals(3, ReservationStatus.decode(data, 0, 256).registrants().size());
        assertEquals(1, ReservationStatus.decode(data, 0, 191).registrants().size());
        assertEquals(0, ReservationStatus.decode(data, 0, 64).registrants().size());
        assertEquals(0, ReservationStatus.decode(data, 0, 4).registrants().size());
        assertThrows(IllegalArgumentException.class, () -> ReservationStatus.decode(Bytes.allocate(63), 0, 63));
        assertThrows(IllegalArgumentException.class, () -> ReservationStatus.decode(data, 0, 257));
    }

    @Test
    void shouldPlaceEachFieldOfANotification() {
        ReservationNotification page = new ReservationNotification(
                0x8102_0304_0506_0708L, ReservationNotification.TYPE_RESERVATION_PREEMPTED, 0xAA, 0xF1F2_F3F4L);
        ByteBuffer data = TestBytes.dirty(64);
        page.encode(data, 0);
        TestBytes.assertBytes("08 07 06 05 04 03 02 81 03 aa 00 00 f4 f3 f2 f1", data, 0);
        TestBytes.assertZero(data, 16, 64);
        assertEquals(page, ReservationNotification.decode(data, 0));
        assertThrows(IllegalArgumentException.class, () -> ReservationNotification.decode(data, 1));
    }
}
