package io.nvmf.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class BytesTest {
    @Test
    void shouldReadUnsignedWhenTopBitIsSet() {
        ByteBuffer buffer = TestBytes.of("80 FF FE FF FF FF 01 02");
        assertEquals(0x80, Bytes.u8(buffer, 0));
        assertEquals(0xFEFF, Bytes.u16(buffer, 1));
        assertEquals(0xFFFF_FFFEL, Bytes.u32(buffer, 2));
        assertEquals(0x80FF_FEFF_FFFF_0102L, Bytes.i64BigEndian(buffer, 0));
    }

    @Test
    void shouldKeepFirstByteMostSignificantInEitherBufferOrder() {
        ByteBuffer bigEndian = ByteBuffer.allocate(8).order(ByteOrder.BIG_ENDIAN);
        ByteBuffer littleEndian = Bytes.allocate(8);
        Bytes.putI64BigEndian(bigEndian, 0, 0x0102_0304_0506_0708L);
        Bytes.putI64BigEndian(littleEndian, 0, 0x0102_0304_0506_0708L);
        TestBytes.assertBytes("01 02 03 04 05 06 07 08", bigEndian, 0);
        TestBytes.assertBytes("01 02 03 04 05 06 07 08", littleEndian, 0);
        assertEquals(0x0102_0304_0506_0708L, Bytes.i64BigEndian(bigEndian, 0));
    }

    @Test
    void shouldRefuseBigEndianBuffer() {
        assertThrows(IllegalArgumentException.class, () -> Bytes.requireLittleEndian(ByteBuffer.allocate(8)));
    }

    @Test
    void shouldRefuseRangeThatDoesNotFit() {
        ByteBuffer buffer = Bytes.allocate(8);
        Bytes.requireRange(buffer, 0, 8);
        Bytes.requireRange(buffer, 8, 0);
        assertThrows(IllegalArgumentException.class, () -> Bytes.requireRange(buffer, 1, 8));
        assertThrows(IllegalArgumentException.class, () -> Bytes.requireRange(buffer, -1, 4));
        assertThrows(IllegalArgumentException.class, () -> Bytes.requireRange(buffer, 0, -1));
        assertThrows(IllegalArgumentException.class, () -> Bytes.requireRange(buffer, Integer.MAX_VALUE, 8));
        assertThrows(IllegalArgumentException.class, () -> Bytes.requireRange(ByteBuffer.allocate(8), 0, 8));
        buffer.limit(7);
        assertThrows(IllegalArgumentException.class, () -> Bytes.requireRange(buffer, 0, 8), "beyond the limit");
    }

    @Test
    void shouldZeroOnlyGivenRange() {
        for (int length = 0; length <= 20; length++) {
            ByteBuffer buffer = TestBytes.dirty(24);
            Bytes.zero(buffer, 2, length);
            for (int i = 0; i < 24; i++) {
                boolean inside = i >= 2 && i < 2 + length;
                assertEquals(inside ? 0 : (byte) 0xEE, buffer.get(i), "byte " + i + " for length " + length);
            }
        }
    }

    @Test
    void shouldPadAndCutAscii() {
        ByteBuffer buffer = TestBytes.dirty(8);
        Bytes.putAscii(buffer, 1, 4, "AB", ' ');
        TestBytes.assertBytes("ee 41 42 20 20 ee", buffer, 0);
        Bytes.putAscii(buffer, 1, 4, "ABCDE", ' ');
        TestBytes.assertBytes("ee 41 42 43 44 ee", buffer, 0);
    }

    @Test
    void shouldTrimBothPaddingsWhenReadingAscii() {
        assertEquals("AB", Bytes.getAscii(TestBytes.of("41 42 20 20"), 0, 4));
        assertEquals("AB", Bytes.getAscii(TestBytes.of("41 42 00 58"), 0, 4));
        assertEquals("AB", Bytes.getAscii(TestBytes.of("41 42 20 00"), 0, 4));
        assertEquals(" A B", Bytes.getAscii(TestBytes.of("20 41 20 42"), 0, 4));
        assertEquals("", Bytes.getAscii(TestBytes.of("20 20"), 0, 2));
    }

    @Test
    void shouldTerminateUtf8AndRefuseTextThatLeavesNoRoomForTerminator() {
        ByteBuffer buffer = TestBytes.dirty(5);
        Bytes.putUtf8(buffer, 0, 4, "\u00e9a");
        TestBytes.assertBytes("c3 a9 61 00 ee", buffer, 0);
        assertEquals("\u00e9a", Bytes.getUtf8(buffer, 0, 4));
        assertThrows(IllegalArgumentException.class, () -> Bytes.putUtf8(buffer, 0, 4, "abcd"));
    }

    @Test
    void shouldTellWhetherTextIsTerminated() {
        ByteBuffer buffer = TestBytes.of("41 42 43 00");
        assertTrue(Bytes.isTerminated(buffer, 0, 4));
        assertFalse(Bytes.isTerminated(buffer, 0, 3));
        assertEquals("ABC", Bytes.getUtf8(buffer, 0, 3));
    }
}
