package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.value;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.target.NvmfTarget;
import io.nvmf.target.queue.QueueReport;
import io.nvmf.target.queue.SubsystemReport;
import io.nvmf.tools.output.Json;
import io.nvmf.tools.output.QueueFields;
import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.apache.commons.cli.Options;

/**
 * How the data of a running target's queues has travelled, printed when it is asked for on the command line. May be used
 * from any thread.
 */
final class QueueStats {
    private static final String STATS = "stats";
    private static final int MAX_INTERVAL_S = 86_400;

    private final NvmfTarget target;
    private final PrintStream out;
    private final OutputFormat format;
    private final boolean wanted;
    private final int intervalS;

    private QueueStats(NvmfTarget target, PrintStream out, OutputFormat format, boolean wanted, int intervalS) {
        this.target = target;
        this.out = out;
        this.format = format;
        this.wanted = wanted;
        this.intervalS = intervalS;
    }

    static void addTo(Options options) {
        options.addOption(value(
                        null,
                        STATS,
                        "SECONDS",
                        "show every so often, and at the end, how the data of each queue that is connected travels, and of all"
                                + " queues since the start; 0 only at the end"))
                .addOption(value(
                        "o",
                        CommonOptions.OUTPUT_FORMAT,
                        "normal|json",
                        "how to show that: as tables (default), or one JSON object a line and nothing else on stdout"));
    }

    /** Refuses what cannot be, before a target is started. */
    static void check(Arguments arguments) throws UsageException {
        arguments.outputFormat();
        interval(arguments);
    }

    static QueueStats of(Arguments arguments, NvmfTarget target, PrintStream out) throws UsageException {
        return new QueueStats(target, out, arguments.outputFormat(), arguments.has(STATS), interval(arguments));
    }

    private static int interval(Arguments arguments) throws UsageException {
        return arguments.number(STATS, 0, 0, MAX_INTERVAL_S);
    }

    /** Seconds from one time to the next, 0 for never. */
    int intervalS() {
        return intervalS;
    }

    /** Prints if it was asked for. */
    synchronized void print() {
        if (!wanted) {
            return;
        }
        List<QueueReport> queues = target.queues();
        List<SubsystemReport> totals = target.traffic();
        String time = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        if (format == OutputFormat.JSON) {
            ObjectNode json = Json.object().put("time", time);
            json.setAll(QueueFields.toJson(queues, totals));
            Json.printLine(out, json);
        } else {
            printTables(time, queues, totals);
        }
        out.flush();
    }

    private void printTables(String time, List<QueueReport> queues, List<SubsystemReport> totals) {
        out.println(time + (queues.isEmpty() ? " no host is connected" : ""));
        if (!queues.isEmpty()) {
            QueueFields.queueTable(queues).print(out);
        }
        if (!totals.isEmpty()) {
            out.println("since the start, with the queues that have ended:");
            QueueFields.totalTable(totals).print(out);
        }
    }
}
