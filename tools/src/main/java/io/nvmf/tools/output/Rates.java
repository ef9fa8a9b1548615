package io.nvmf.tools.output;

import java.util.Locale;

/** Throughput in units of a million bytes a second. */
public final class Rates {
    private Rates() {}

    public static double megabytesPerSecond(long bytes, long elapsedNs) {
        return elapsedNs <= 0 ? 0 : bytes * 1e3 / elapsedNs;
    }

    /** {@code 123.4 MB/s}. */
    public static String format(long bytes, long elapsedNs) {
        return String.format(Locale.ROOT, "%.1f MB/s", megabytesPerSecond(bytes, elapsedNs));
    }
}
