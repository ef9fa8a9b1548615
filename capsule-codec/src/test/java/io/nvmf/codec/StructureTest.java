package io.nvmf.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.log.SmartLog;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class StructureTest {
    @Test
    void shouldRefuseNumberThatDoesNotFitItsField() {
        IdentifyController controller = IdentifyController.allocate();
        controller.set(Field.MDTS, 0xFF);
        assertThrows(IllegalArgumentException.class, () -> controller.set(Field.MDTS, 0x100));
        assertThrows(IllegalArgumentException.class, () -> controller.set(Field.MDTS, -1));
        controller.set(Field.IEEE, 0xFF_FFFF);
        assertThrows(IllegalArgumentException.class, () -> controller.set(Field.IEEE, 0x100_0000));
        assertEquals(0xFF, controller.get(Field.MDTS));
    }

    @Test
    void shouldReadCounterExactlyWhenItNeedsMoreThanALong() {
        ByteBuffer buffer = Bytes.allocate(SmartLog.BYTES);
        buffer.putLong(32, -1);
        assertEquals(Long.MAX_VALUE, SmartLog.decode(buffer, 0).get(SmartLog.Field.DATA_UNITS_READ));
        buffer.put(47, (byte) 0x80);
        SmartLog log = SmartLog.decode(buffer, 0);
        assertEquals(Long.MAX_VALUE, log.get(SmartLog.Field.DATA_UNITS_READ));
        assertEquals(
                new BigInteger("800000000000000000000000000000", 16)
                        .shiftLeft(8)
                        .add(new BigInteger("FFFFFFFFFFFFFFFF", 16)),
                log.getBig(SmartLog.Field.DATA_UNITS_READ));
    }

    @Test
    void shouldClearHighHalfWhenWritingSixteenByteField() {
        ByteBuffer buffer = TestBytes.dirty(SmartLog.BYTES);
        SmartLog log = SmartLog.decode(buffer, 0);
        log.set(SmartLog.Field.DATA_UNITS_READ, -1);
        assertEquals(new BigInteger("FFFFFFFFFFFFFFFF", 16), log.getBig(SmartLog.Field.DATA_UNITS_READ));
    }

    @Test
    void shouldKeepBytesWithoutNameAndOwnItsCopy() {
        ByteBuffer source = TestBytes.dirty(IdentifyController.BYTES + 3);
        IdentifyController controller = IdentifyController.decode(source, 3);
        source.put(3 + 3100, (byte) 0);
        ByteBuffer copy = Bytes.allocate(IdentifyController.BYTES + 1);
        controller.encode(copy, 1);
        assertEquals(0, copy.get(0));
        for (int i = 0; i < IdentifyController.BYTES; i++) {
            assertEquals((byte) 0xEE, copy.get(1 + i), "byte " + i);
        }
    }

    @Test
    void shouldLeaveBufferPositionsAlone() {
        ByteBuffer source = Bytes.allocate(5000).position(7);
        IdentifyController.decode(source, 100).encode(source, 200);
        assertEquals(7, source.position());
    }

    @Test
    void shouldRefuseBufferThatEndsEarly() {
        ByteBuffer buffer = Bytes.allocate(4096);
        assertThrows(IllegalArgumentException.class, () -> IdentifyController.decode(buffer, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> IdentifyController.allocate().encode(buffer, 1));
    }

    @Test
    void shouldHaveBitsOnlyWhenAllAreSet() {
        IdentifyController controller = IdentifyController.allocate();
        controller.set(Field.ONCS, IdentifyController.ONCS_COMPARE);
        assertTrue(controller.has(Field.ONCS, IdentifyController.ONCS_COMPARE));
        assertFalse(controller.has(Field.ONCS, IdentifyController.ONCS_COMPARE | IdentifyController.ONCS_COPY));
    }
}
