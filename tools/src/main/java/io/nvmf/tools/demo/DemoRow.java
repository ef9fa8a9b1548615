package io.nvmf.tools.demo;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.tools.Sizes;
import io.nvmf.tools.output.Json;
import io.nvmf.tools.output.Rates;
import io.nvmf.tools.output.Table;
import java.util.List;
import java.util.Locale;

/**
 * What was measured for one size of blocks.
 *
 * @param travel how the data of a write got to the target
 */
public record DemoRow(int blockBytes, String travel, Timing write, Timing read) {
    private static final double NS_PER_US = 1e3;

    /** A table for people. */
    public static Table table(List<DemoRow> rows) {
        Table table =
                new Table("size", "write travels", "write MB/s", "P50 us", "P99 us", "read MB/s", "P50 us", "P99 us");
        for (DemoRow row : rows) {
            table.row(
                    Sizes.format(row.blockBytes),
                    row.travel,
                    rate(row.write),
                    percentile(row.write, 50),
                    percentile(row.write, 99),
                    rate(row.read),
                    percentile(row.read, 50),
                    percentile(row.read, 99));
        }
        return table;
    }

    /** The same for programs. */
    public ObjectNode toJson() {
        ObjectNode json = Json.object()
                .put("block_bytes", blockBytes)
                .put("blocks", write.bytes() / blockBytes)
                .put("write_travels", travel);
        json.set("write", toJson(write));
        json.set("read", toJson(read));
        return json;
    }

    private static ObjectNode toJson(Timing timing) {
        return Json.object()
                .put("mb_per_s", Rates.megabytesPerSecond(timing.bytes(), timing.elapsedNs()))
                .put("p50_us", timing.latenciesNs().getValueAtPercentile(50) / NS_PER_US)
                .put("p99_us", timing.latenciesNs().getValueAtPercentile(99) / NS_PER_US);
    }

    private static String rate(Timing timing) {
        return String.format(Locale.ROOT, "%.0f", Rates.megabytesPerSecond(timing.bytes(), timing.elapsedNs()));
    }

    private static String percentile(Timing timing, double percentile) {
        return String.format(Locale.ROOT, "%.0f", timing.latenciesNs().getValueAtPercentile(percentile) / NS_PER_US);
    }
}
