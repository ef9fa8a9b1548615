package io.nvmf.initiator.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PagePoolTest {
    @Test
    void shouldCountWholePages() {
        assertEquals(1, PagePool.pagesFor(1));
        assertEquals(1, PagePool.pagesFor(4096));
        assertEquals(2, PagePool.pagesFor(4097));
    }

    @Test
    void shouldGiveRunsThatAreInOnePieceOnly() {
        PagePool pool = new PagePool(8);
        assertEquals(0, pool.take(3));
        assertEquals(3, pool.take(2));
        assertEquals(5, pool.take(3));
        assertTrue(pool.take(1) < 0);
        pool.giveBack(0, 3);
        pool.giveBack(5, 3);
        assertTrue(pool.take(4) < 0);
        pool.giveBack(3, 2);
        assertTrue(pool.take(9) < 0);
        assertEquals(0, pool.take(8));
    }

    @Test
    void shouldNeverGiveAPageTwice() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        PagePool pool = new PagePool(100);
        boolean[] taken = new boolean[100];
        List<int[]> runs = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (random.nextBoolean()) {
                int count = 1 + random.nextInt(20);
                int first = pool.take(count);
                assertEquals(longestRun(taken) >= count, first >= 0, "seed " + seed);
                if (first >= 0) {
                    mark(taken, first, count, true, seed);
                    runs.add(new int[] {first, count});
                }
            } else if (!runs.isEmpty()) {
                int[] run = runs.remove(random.nextInt(runs.size()));
                pool.giveBack(run[0], run[1]);
                mark(taken, run[0], run[1], false, seed);
            }
        }
    }

    private static void mark(boolean[] taken, int first, int count, boolean as, long seed) {
        for (int page = first; page < first + count; page++) {
            assertFalse(taken[page] == as, "page " + page + ", seed " + seed);
            taken[page] = as;
        }
    }

    private static int longestRun(boolean[] taken) {
        int longest = 0;
        int run = 0;
        for (boolean each : taken) {
            run = each ? 0 : run + 1;
            longest = Math.max(longest, run);
        }
        return longest;
    }
}
