package io.nvmf.tools.output;

import io.nvmf.tools.Sizes;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * One line on a terminal that is drawn over and over: how much is done, how fast, how long it will still take. Owned by
 * one thread.
 */
public final class ProgressBar {
    /** Of data whose length is not known. */
    public static final long UNKNOWN = -1;

    private static final long REDRAW_NS = 100_000_000;
    private static final int BAR_WIDTH = 30;
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final PrintStream out;
    private final boolean isShown;
    private final long totalBytes;
    private final LongSupplier clockNs;
    private final long startNs;
    private long lastDrawNs;

    /**
     * @param isShown false draws nothing
     * @param totalBytes or {@link #UNKNOWN}
     * @param clockNs tells the time
     */
    public ProgressBar(PrintStream out, boolean isShown, long totalBytes, LongSupplier clockNs) {
        this.out = out;
        this.isShown = isShown;
        this.totalBytes = totalBytes;
        this.clockNs = clockNs;
        this.startNs = clockNs.getAsLong();
        this.lastDrawNs = startNs - REDRAW_NS;
    }

    /** Draws, but not more often than an eye can follow. */
    public void update(long doneBytes) {
        long now = clockNs.getAsLong();
        if (isShown && now - lastDrawNs >= REDRAW_NS) {
            lastDrawNs = now;
            out.print(CLEAR_LINE + line(doneBytes, now - startNs));
            out.flush();
        }
    }

    /** Takes the line away. */
    public void clear() {
        if (isShown) {
            out.print(CLEAR_LINE);
            out.flush();
        }
    }

    private String line(long doneBytes, long elapsedNs) {
        String rate = Rates.format(doneBytes, elapsedNs);
        if (totalBytes <= 0) {
            return Sizes.format(doneBytes) + ", " + rate;
        }
        double fraction = Math.min(1, (double) doneBytes / totalBytes);
        int filled = (int) (fraction * BAR_WIDTH);
        String bar = "#".repeat(filled) + "-".repeat(BAR_WIDTH - filled);
        String eta = doneBytes == 0 ? "--:--" : time((long) (elapsedNs * (1 - fraction) / fraction));
        return String.format(
                Locale.ROOT,
                "[%s] %3d%%  %s of %s, %s, %s left",
                bar,
                (int) (fraction * 100),
                Sizes.format(doneBytes),
                Sizes.format(totalBytes),
                rate,
                eta);
    }

    private static String time(long ns) {
        long s = ns / 1_000_000_000;
        return s < 3600
                ? String.format(Locale.ROOT, "%02d:%02d", s / 60, s % 60)
                : String.format(Locale.ROOT, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
    }
}
