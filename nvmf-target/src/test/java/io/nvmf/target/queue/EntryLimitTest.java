package io.nvmf.target.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.target.backend.memory.MemoryBlockDevice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryLimitTest {
    /** Measured: of a command whose data is fetched, with what is reckoned for each. */
    private static final int ENTRY_BYTES = 600;

    @ParameterizedTest
    @ValueSource(longs = {64, 96, 128, 300, 1024, 64 << 10})
    void shouldLeaveRoomInTheHeapWhenMemoryDevicesAreFullAndAllEntriesInUse(long heapMebibytes) {
        long heapBytes = heapMebibytes << 20;
        long entriesBytes = EntryLimit.of(heapBytes).most() * ENTRY_BYTES;
        long restBytes = heapBytes - MemoryBlockDevice.mostBytes(heapBytes) - entriesBytes;
        assertTrue(restBytes >= 16 << 20, () -> restBytes + " bytes are left");
        assertTrue(restBytes >= heapBytes / 8, () -> restBytes + " bytes are left");
    }

    @ParameterizedTest
    @ValueSource(longs = {16, 32, 64, 300, 1024})
    void shouldLetSomeHostsConnectHoweverSmallTheHeapIs(long heapMebibytes) {
        long most = EntryLimit.of(heapMebibytes << 20).most();
        assertTrue(most >= 50 * heapMebibytes, () -> most + " entries");
    }

    @Test
    void shouldTakeAllEntriesOrNone() {
        EntryLimit limit = new EntryLimit(100);
        assertTrue(limit.tryTake(60));
        assertFalse(limit.tryTake(41));
        assertEquals(40, limit.free());
        assertTrue(limit.tryTake(40));
        limit.giveBack(60);
        assertEquals(60, limit.free());
    }
}
