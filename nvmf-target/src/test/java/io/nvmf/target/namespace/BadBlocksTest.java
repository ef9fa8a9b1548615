package io.nvmf.target.namespace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Status;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BadBlocksTest {
    private static final long FIRST = 10;

    private final BadBlocks blocks = new BadBlocks(new KeptState(null));

    @Test
    void shouldForgetExactlyWhatIsWritten() {
        assertEquals(Status.SUCCESS, blocks.mark(10, 20).join());
        blocks.clear(13, 15);
        assertTrue(blocks.overlap(12, 13));
        assertFalse(blocks.overlap(13, 15));
        assertTrue(blocks.overlap(14, 16));
        assertFalse(blocks.overlap(0, 10));
        assertFalse(blocks.overlap(20, Long.MAX_VALUE));
        blocks.clear(0, Long.MAX_VALUE);
        assertFalse(blocks.overlap(0, Long.MAX_VALUE));
    }

    @Test
    void shouldBeAsASetOfBlocks() {
        long seed = System.nanoTime();
        System.out.println("BadBlocksTest seed " + seed);
        Random random = new Random(seed);
        BitSet expected = new BitSet();
        for (int step = 0; step < 20_000; step++) {
            int start = random.nextInt(200);
            int end = start + 1 + random.nextInt(12);
            if (random.nextBoolean()) {
                assertEquals(Status.SUCCESS, blocks.mark(start, end).join());
                expected.set(start, end);
            } else {
                blocks.clear(start, end);
                expected.clear(start, end);
            }
            int from = random.nextInt(200);
            int to = from + 1 + random.nextInt(12);
            int next = expected.nextSetBit(from);
            assertEquals(next >= 0 && next < to, blocks.overlap(from, to), "step " + step);
        }
    }

    @Test
    void shouldRememberNoMoreThanItMay() {
        for (int i = 0; i < BadBlocks.MAX_RANGES; i++) {
            assertEquals(
                    Status.SUCCESS,
                    blocks.mark(FIRST + 4L * i, FIRST + 4L * i + 3).join());
        }
        assertEquals(Status.CAPACITY_EXCEEDED, blocks.mark(1, 2).join());
        assertEquals(Status.SUCCESS, blocks.mark(FIRST + 1, FIRST + 2).join(), "which is marked already");
        for (int i = 0; i < BadBlocks.MAX_RANGES; i++) {
            blocks.clear(FIRST + 4L * i + 1, FIRST + 4L * i + 2);
        }
        assertTrue(blocks.overlap(FIRST + 2, FIRST + 3));
        blocks.mark(FIRST - 3, FIRST);
        blocks.clear(FIRST - 2, FIRST - 1);
        assertFalse(blocks.overlap(FIRST - 2, FIRST - 1));
    }
}
