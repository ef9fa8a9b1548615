package io.nvmf.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.tools.perf.Workload.Pattern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class AddressesTest {
    private static final int UNIT = 4096;

    private static Addresses addresses(Pattern pattern, double theta, long units) {
        Workload workload = new Workload(pattern, 50, new SizeMix(List.of(UNIT), List.of(100)), theta, 0, 0, false, 1);
        return Addresses.of(workload, units * UNIT, UNIT, new SplittableRandom(1));
    }

    @Test
    void shouldGoFromBeginToEndAndBeginAnew() {
        Addresses sequential = addresses(Pattern.READ, 0, 5);
        List<Long> units = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            units.add(sequential.next(2 * UNIT) / UNIT);
        }
        assertEquals(List.of(0L, 2L, 0L, 2L), units);
    }

    @Test
    void shouldReachAllUnitsAlikeAndStayInside() {
        Addresses uniform = addresses(Pattern.RANDREAD, 0, 16);
        Map<Long, Integer> hits = new HashMap<>();
        for (int i = 0; i < 16_000; i++) {
            hits.merge(uniform.next(UNIT) / UNIT, 1, Integer::sum);
            long at = uniform.next(3 * UNIT);
            assertTrue(at >= 0 && at <= 13 * UNIT && at % UNIT == 0, () -> "at " + at);
        }
        assertEquals(
                new TreeSet<>(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L, 13L, 14L, 15L)),
                new TreeSet<>(hits.keySet()));
        hits.values().forEach(count -> assertEquals(1000, count, 200));
    }

    @Test
    void shouldGoToFewPlacesOftenByZipfsLaw() {
        Addresses zipf = addresses(Pattern.RANDREAD, 1, 1000);
        Map<Long, Integer> hits = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            hits.merge(zipf.next(UNIT), 1, Integer::sum);
        }
        List<Integer> counts = new ArrayList<>(hits.values());
        counts.sort((a, b) -> b - a);
        // 1/1 + 1/2 + ... + 1/1000 = 7.485: the first has a share of 1 in so many, the second half as much.
        assertEquals(13_359, counts.get(0), 700);
        assertEquals(6680, counts.get(1), 500);
        assertTrue(hits.size() > 990, () -> hits.size() + " places");
    }
}
