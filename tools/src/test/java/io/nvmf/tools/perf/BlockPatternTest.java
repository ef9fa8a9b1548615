package io.nvmf.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class BlockPatternTest {
    private static final int BLOCK = 512;
    private final BlockPattern pattern = new BlockPattern(BLOCK, 42, -5);
    private final ByteBuffer data = ByteBuffer.allocate(2 * BLOCK);

    @Test
    void shouldKnowItsOwnDataAndItsGeneration() {
        pattern.write(data, BLOCK, 7, 3);
        assertEquals(BlockPattern.GOOD, pattern.firstWrong(data, BLOCK, 7));
        assertEquals(3, pattern.generation(data, BLOCK));
    }

    @Test
    void shouldTellAnotherRunsDataOfTheSameSeedAndGeneration() {
        new BlockPattern(BLOCK, 42, 6).write(data, 0, 7, 3);
        assertEquals(BlockPattern.GOOD, pattern.firstWrong(data, 0, 7));
        assertEquals(3, pattern.generation(data, 0));
        assertFalse(pattern.isOf(3, data, 0));
        pattern.write(data, 0, 7, 3);
        assertTrue(pattern.isOf(3, data, 0));
        assertFalse(pattern.isOf(2, data, 0));
    }

    @Test
    void shouldFindEveryByteThatIsWrong() {
        pattern.write(data, BLOCK, 7, 3);
        for (int i = 0; i < BLOCK; i++) {
            data.put(BLOCK + i, (byte) (data.get(BLOCK + i) ^ 1));
            // A wrong generation makes the rest wrong.
            long expected = i >= 8 && i < 16 ? 16 : i / 8 * 8L;
            assertEquals(expected, pattern.firstWrong(data, BLOCK, 7));
            data.put(BLOCK + i, (byte) (data.get(BLOCK + i) ^ 1));
        }
    }

    @Test
    void shouldRefuseDataOfAnotherBlockOrSeedAndZeros() {
        assertEquals(0, pattern.firstWrong(data, 0, 7));
        assertEquals(16, pattern.firstWrong(data, 0, 0));
        pattern.write(data, 0, 8, 1);
        assertEquals(0, pattern.firstWrong(data, 0, 7));
        new BlockPattern(BLOCK, 43, -5).write(data, 0, 7, 1);
        assertEquals(16, pattern.firstWrong(data, 0, 7));
    }
}
