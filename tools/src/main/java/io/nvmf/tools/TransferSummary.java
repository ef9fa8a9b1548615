package io.nvmf.tools;

import io.nvmf.tools.output.Json;
import io.nvmf.tools.output.Rates;
import java.io.PrintStream;
import java.util.Locale;

/** What a copy did. */
record TransferSummary(String verb, long offsetBytes, long bytes, long elapsedNs) {
    private static final double NS_PER_S = 1e9;

    void print(OutputFormat format, PrintStream out) {
        if (format == OutputFormat.JSON) {
            Json.print(
                    out,
                    Json.object()
                            .put("offset", offsetBytes)
                            .put("bytes", bytes)
                            .put("seconds", elapsedNs / NS_PER_S)
                            .put("mb_per_s", Rates.megabytesPerSecond(bytes, elapsedNs)));
            return;
        }
        out.println(String.format(
                Locale.ROOT,
                "%s %d bytes at byte %d in %.1f s, %s",
                verb,
                bytes,
                offsetBytes,
                elapsedNs / NS_PER_S,
                Rates.format(bytes, elapsedNs)));
    }
}
