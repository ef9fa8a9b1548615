package io.nvmf.tools.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
    private static final long SECOND_NS = 1_000_000_000;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    private long nowNs;

    @Test
    void shouldShowShareRateAndTimeLeft() {
        ProgressBar bar = new ProgressBar(out, true, 400 << 20, () -> nowNs);
        nowNs = 10 * SECOND_NS;
        bar.update(100 << 20);
        assertEquals(
                "\r\u001b[K[#######-----------------------]  25%  100 MiB of 400 MiB, 10.5 MB/s, 00:30 left", drawn());
    }

    @Test
    void shouldShowWhatIsDoneWhenTotalIsUnknown() {
        ProgressBar bar = new ProgressBar(out, true, ProgressBar.UNKNOWN, () -> nowNs);
        nowNs = SECOND_NS;
        bar.update(5 << 20);
        assertEquals("\r\u001b[K5 MiB, 5.2 MB/s", drawn());
    }

    @Test
    void shouldDrawNoMoreThanTenTimesASecond() {
        ProgressBar bar = new ProgressBar(out, true, ProgressBar.UNKNOWN, () -> nowNs);
        for (int ms = 0; ms < 1000; ms++) {
            nowNs = ms * SECOND_NS / 1000;
            bar.update(ms);
        }
        assertEquals(10, drawn().split("\r", -1).length - 1);
    }

    @Test
    void shouldTakeItsLineAway() {
        new ProgressBar(out, true, 1, () -> nowNs).clear();
        assertEquals("\r\u001b[K", drawn());
    }

    @Test
    void shouldDrawNothingWhenNobodyWatches() {
        ProgressBar bar = new ProgressBar(out, false, 100, () -> nowNs);
        nowNs = SECOND_NS;
        bar.update(50);
        bar.clear();
        assertEquals("", drawn());
    }

    private String drawn() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
