package io.nvmf.initiator.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BackOffTest {
    /** Gives the least or the most each time. */
    private static RandomGenerator always(boolean most) {
        return new RandomGenerator() {
            @Override
            public long nextLong() {
                throw new UnsupportedOperationException();
            }

            @Override
            public long nextLong(long bound) {
                return most ? bound - 1 : 0;
            }
        };
    }

    private static List<Long> first(int count, BackOff backOff) {
        return LongStream.generate(backOff::next).limit(count).boxed().toList();
    }

    @Test
    void shouldWaitTwiceAsLongEachTimeUpToTheMost() {
        assertEquals(List.of(75L, 150L, 300L, 375L, 375L), first(5, new BackOff(100, 500, always(false))));
        assertEquals(List.of(125L, 250L, 500L, 500L, 500L), first(5, new BackOff(100, 500, always(true))));
    }

    @Test
    void shouldBeginAnewAfterReset() {
        BackOff backOff = new BackOff(100, 500, always(false));
        first(4, backOff);
        backOff.reset();
        assertEquals(75, backOff.next());
    }

    @Test
    void shouldSpreadAttemptsByChance() {
        long seed = System.nanoTime();
        BackOff backOff = new BackOff(1000, 1000, new Random(seed));
        List<Long> delays = first(100, backOff);
        assertTrue(delays.stream().allMatch(delay -> delay >= 750 && delay <= 1000), "seed " + seed + ": " + delays);
        assertTrue(delays.stream().distinct().count() > 10, "seed " + seed + ": " + delays);
    }

    @Test
    void shouldWorkWithTheShortestDelay() {
        assertEquals(List.of(0L, 1L), first(2, new BackOff(1, 1000, always(false))));
    }
}
