package io.nvmf.initiator.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.initiator.transport.Registrations.Registration;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RegistrationsTest {
    private final ByteBuffer whole = ByteBuffer.allocateDirect(10_000);
    private final long start = RegisteredMemory.addressOf(whole);

    private Registration registration(int offset, int lengthBytes) {
        return new Registration(new RegisteredMemory(null, whole.slice(offset, lengthBytes)), null);
    }

    @Test
    void shouldFindTheOneThatHoldsAllBytes() {
        Registration first = registration(1000, 500);
        Registration neighbour = registration(1500, 500);
        Registration last = registration(9000, 1000);
        Registrations known = Registrations.NONE.with(last).with(first).with(neighbour);
        assertSame(first, known.find(start + 1000, 1));
        assertSame(first, known.find(start + 1000, 500));
        assertSame(first, known.find(start + 1499, 1));
        assertSame(neighbour, known.find(start + 1500, 500));
        assertSame(last, known.find(start + 9999, 1));
        assertNull(known.find(start + 999, 2));
        assertNull(known.find(start + 1499, 2));
        assertNull(known.find(start + 2000, 1));
        assertNull(known.find(start + 9500, 501));
        assertNull(known.find(start + 10_000, 1));
        assertNull(known.without(first.memory()).find(start + 1000, 1));
        assertSame(neighbour, known.without(first.memory()).find(start + 1700, 1));
        assertTrue(Registrations.NONE.isEmpty());
        assertNull(Registrations.NONE.find(start, 1));
        assertEquals(3, known.toArray().length);
    }

    @Test
    void shouldNoticeOverlaps() {
        RegisteredMemory memory = registration(1000, 500).memory();
        assertTrue(memory.overlaps(registration(1499, 10).memory()));
        assertTrue(memory.overlaps(registration(0, 5000).memory()));
        assertTrue(!memory.overlaps(registration(1500, 10).memory()));
        assertTrue(!memory.overlaps(registration(990, 10).memory()));
    }
}
