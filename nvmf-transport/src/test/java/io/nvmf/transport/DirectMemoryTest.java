package io.nvmf.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DirectMemoryTest {
    private static final long MOST_BYTES = 512 << 20;

    @BeforeEach
    void requireALowBound() {
        Assumptions.assumeTrue(
                PlatformDependent.maxDirectMemory() < MOST_BYTES, "run with -XX:MaxDirectMemorySize=128m");
    }

    @Test
    void shouldSayWhatToDoWhenThereIsTooLittle() throws IOException {
        assertEquals(4096, DirectMemory.allocate(4096).capacity());
        String message = assertThrows(IOException.class, () -> DirectMemory.allocate((int) MOST_BYTES))
                .getMessage();
        assertEquals("there is no memory for 536870912 bytes: raise -XX:MaxDirectMemorySize", message);
    }

    @Test
    void shouldLeaveTheSlabAsItWasWhenAChunkCannotBeMade() throws IOException {
        MemorySlab slab = new MemorySlab(MOST_BYTES);
        List<MemoryBlock> blocks = new ArrayList<>();
        String message = assertThrows(IOException.class, () -> {
                    while (true) {
                        blocks.add(slab.tryAllocate(MemorySlab.CHUNK_BYTES));
                    }
                })
                .getMessage();
        assertTrue(message.contains("raise -XX:MaxDirectMemorySize"), message);
        long used = (long) blocks.size() * MemorySlab.CHUNK_BYTES;
        assertEquals(MOST_BYTES - used, slab.freeBytes());
        blocks.get(0).release();
        assertNotNull(slab.tryAllocate(MemorySlab.CHUNK_BYTES), "what is made and free is handed out");
    }
}
