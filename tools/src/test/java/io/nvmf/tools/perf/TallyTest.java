package io.nvmf.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TallyTest {
    @ParameterizedTest
    @CsvSource({
        "1000000, 1",
        "999, 0.7",
        "123456789, 1234.5",
        "5000000000, 40000",
        "7200000000000, 1000000000",
        "5, 10",
        "0, 1"
    })
    void shouldCountRequestsThatWereDueAsIfOneByOne(long longestNs, double intervalNs) {
        Tally oneByOne = new Tally();
        long count = 0;
        for (double left = longestNs; left > 0; left = longestNs - ++count * intervalNs) {
            oneByOne.addLatency((long) left);
        }
        Tally tally = new Tally();
        tally.addLatencies(longestNs, intervalNs, Long.MAX_VALUE);
        assertEquals(count, tally.latencies().getTotalCount());
        for (double percent : new double[] {0, 1, 50, 90, 99, 100}) {
            assertEquals(
                    oneByOne.latencies().getValueAtPercentile(percent),
                    tally.latencies().getValueAtPercentile(percent));
        }
    }

    @Test
    void shouldCountABillionRequestsASecondOfAWeek() {
        Tally tally = new Tally();
        long week = TimeUnit.DAYS.toNanos(7);
        tally.addLatencies(week, 1, Long.MAX_VALUE);
        assertEquals(week, tally.latencies().getTotalCount());
        assertEquals(TimeUnit.HOURS.toNanos(1), tally.latencies().getMaxValue(), 1e10);
    }

    @Test
    void shouldCountNoMoreThanThereAre() {
        Tally tally = new Tally();
        tally.addLatencies(1000, 100, 3);
        assertEquals(3, tally.latencies().getTotalCount());
        assertEquals(800, tally.latencies().getMinValue());
    }
}
