package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.tools.output.Json;
import io.nvmf.tools.perf.Load;
import io.nvmf.tools.perf.Measured.Mode;
import io.nvmf.tools.perf.SizeMix;
import io.nvmf.tools.perf.Workload;
import io.nvmf.tools.perf.Workload.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.commons.cli.Options;

/** The command line of {@code nvmf perf}, all of which is read and checked before anything is connected. */
final class PerfOptions {
    static final String DEPTH = "io-depth";
    private static final String PATTERN = "rw";
    private static final String READ_PERCENT = "rwmixread";
    static final String IO_SIZE = "io-size";
    private static final String QUEUES = "num-qpairs";
    private static final String THREADS = "threads";
    private static final String POLL = "poll";
    static final String TIME = "time";
    private static final String REQUESTS = "number-ios";
    static final String WARM_UP = "warmup-time";
    private static final String RATE = "rate-iops";
    private static final String ZIPF = "zipf";
    static final String OFFSET = "offset";
    static final String SIZE = "size";
    static final String SEED = "seed";
    static final String VERIFY = "verify";
    private static final String RAMP = "ramp";
    static final String SCALING = "scaling";

    /** About as long as the compilers of a Java virtual machine need on a processor that they share with the load. */
    static final int FIRST_WARM_UP_S = 10;

    static final int LATER_WARM_UP_S = 1;

    static final int PATIENCE_S = 10;

    private static final int DEFAULT_DEPTH = 32;
    private static final int MAX_DEPTH = 16_384;
    private static final int MAX_QUEUES = 1024;
    private static final int DEFAULT_TIME_S = 10;
    private static final int MAX_TIME_S = 7 * 24 * 3600;
    private static final int MAX_URIS = 64;
    private static final long MAX_MEMORY_BYTES = 1L << 30;
    private static final double MAX_THETA = 10;

    private final Arguments arguments;
    private final String format;
    private final int depth;
    private final int queues;
    private final int threads;
    private final int timeS;
    private final int warmUpS;
    private final long offset;
    private final OptionalLong size;
    private final Workload workload;
    private final List<HostOptions> uris = new ArrayList<>();

    private PerfOptions(Arguments arguments) throws CommandException {
        this.arguments = arguments;
        format = arguments.text(CommonOptions.OUTPUT_FORMAT, "normal");
        if (!format.matches("normal|json|csv")) {
            throw new UsageException("output format '" + format + "' is neither normal, json nor csv");
        }
        depth = arguments.number(DEPTH, DEFAULT_DEPTH, 1, MAX_DEPTH);
        queues = arguments.number(QUEUES, 1, 1, MAX_QUEUES);
        threads = arguments.number(THREADS, Math.min(4, Runtime.getRuntime().availableProcessors()), 1, 256);
        timeS = arguments.number(TIME, DEFAULT_TIME_S, 1, MAX_TIME_S);
        warmUpS = arguments.number(WARM_UP, FIRST_WARM_UP_S, 0, MAX_TIME_S);
        offset = arguments.size(OFFSET, 0);
        size = arguments.has(SIZE) ? OptionalLong.of(arguments.size(SIZE, 0)) : OptionalLong.empty();
        workload = readWorkload();
        requireTogether();
        List<String> words = arguments.words();
        if (words.isEmpty() || words.size() > MAX_URIS) {
            throw new UsageException("give 1 to " + MAX_URIS + " namespaces as " + DeviceCommand.DEVICE);
        }
        for (String word : words) {
            uris.add(HostOptions.readUri(arguments, word));
        }
        if (mode() == Mode.SCALING && uris.size() < 2) {
            throw new UsageException(
                    "--" + SCALING + " compares one namespace with several together: give two of them or more");
        }
        requireMemory();
    }

    static PerfOptions read(Arguments arguments) throws CommandException {
        return new PerfOptions(arguments);
    }

    static void addTo(Options options) {
        options.addOption(value(
                        "q",
                        DEPTH,
                        "N",
                        "requests out at a time for each namespace, over all its queues; at a rate at most so many"
                                + " (default " + DEFAULT_DEPTH + ")"))
                .addOption(value("w", PATTERN, Pattern.words(), "what to do (default randread)"))
                .addOption(value("M", READ_PERCENT, "PERCENT", "reads of rw and randrw (default 50)"))
                .addOption(
                        value(
                                "o",
                                IO_SIZE,
                                "SIZE",
                                "data of a request, or a mix as 4k/60:64k/40, whose percents count requests, not bytes (default 4k)"))
                .addOption(value("P", QUEUES, "N", "I/O queues for each namespace, which share the depth (default 1)"))
                .addOption(value(null, THREADS, "N", "event loops (default: one for each processor, at most 4)"))
                .addOption(flag(null, POLL, "event loops that never sleep: lower latencies, a whole processor each"))
                .addOption(value("t", TIME, "SECONDS", "how long to measure (default " + DEFAULT_TIME_S + ")"))
                .addOption(value("d", REQUESTS, "N", "measure so many requests for each namespace, instead of a time"))
                .addOption(value(
                        "a",
                        WARM_UP,
                        "SECONDS",
                        "the same before each measurement, not measured (default " + FIRST_WARM_UP_S + ", then "
                                + LATER_WARM_UP_S + ": see below)"))
                .addOption(value(null, RATE, "N", "begin so many requests a second for each namespace"))
                .addOption(value("F", ZIPF, "THETA", "random addresses by Zipf's law, 1 for the law itself"))
                .addOption(value(null, OFFSET, "SIZE", "first byte of each namespace to use (default 0)"))
                .addOption(value(null, SIZE, "SIZE", "bytes of each namespace to use (default: up to the end)"))
                .addOption(value(null, SEED, "N", "of addresses, mixes and data (default 1)"))
                .addOption(flag(null, VERIFY, "check the data that is read"))
                .addOption(flag(
                        null,
                        RAMP,
                        "measure at depth 1, 2, 4 and so on up to --io-depth, for each namespace, and name the knee"))
                .addOption(flag(
                        null,
                        SCALING,
                        "measure the first namespace alone, then all together, and compare; two or more"))
                .addOption(value(null, CommonOptions.OUTPUT_FORMAT, "normal|json|csv", "how to write the result"));
        HostOptions.addHost(options);
        HostOptions.addLossTimeout(options);
    }

    // ---- Reading

    private Workload readWorkload() throws CommandException {
        String word = arguments.text(PATTERN, Pattern.RANDREAD.toString());
        Pattern pattern = Pattern.of(word)
                .orElseThrow(() -> new UsageException("--" + PATTERN + " '" + word + "' is none of "
                        + Pattern.words().replace("|", ", ")));
        SizeMix sizes;
        try {
            sizes = SizeMix.parse("--" + IO_SIZE, arguments.text(IO_SIZE, "4k"));
        } catch (CommandException e) {
            throw UsageException.of(e);
        }
        return new Workload(
                pattern,
                arguments.number(READ_PERCENT, 50, 0, 100),
                sizes,
                theta(),
                arguments.number(RATE, 0L, 1, 1_000_000_000L),
                arguments.number(REQUESTS, 0L, 1, Long.MAX_VALUE >> 16),
                arguments.has(VERIFY),
                arguments.number(SEED, 1L, 0, Long.MAX_VALUE >> 8));
    }

    private double theta() throws UsageException {
        String text = arguments.text(ZIPF, "0");
        if (text.matches("\\d{1,2}(\\.\\d{1,6})?") && Double.parseDouble(text) <= MAX_THETA) {
            return Double.parseDouble(text);
        }
        throw new UsageException("--" + ZIPF + " '" + text + "' is not a number from 0 to " + (int) MAX_THETA);
    }

    private void requireTogether() throws UsageException {
        refuse(READ_PERCENT, !workload.pattern().isMixed(), "--" + PATTERN + " " + workload.pattern());
        refuse(ZIPF, !workload.pattern().isRandom(), "--" + PATTERN + " " + workload.pattern());
        refuse(REQUESTS, arguments.has(TIME), "--" + TIME);
        refuse(SCALING, arguments.has(RAMP), "--" + RAMP);
        refuse(RAMP, arguments.has(RATE), "--" + RATE + ", which begins as many requests at any depth");
        if (queues > depth) {
            throw new UsageException("--" + QUEUES + " " + queues + " is more than --" + DEPTH + " " + depth
                    + ", which is of all queues together: each needs one request at least");
        }
    }

    private void refuse(String option, boolean when, String beside) throws UsageException {
        if (arguments.has(option) && when) {
            throw new UsageException("--" + option + " cannot stand beside " + beside);
        }
    }

    private void requireMemory() throws UsageException {
        long bytes = Load.memoryBytes(workload, depth) * uris.size();
        if (bytes > MAX_MEMORY_BYTES) {
            throw new UsageException("the requests would take " + Sizes.format(bytes) + ", more than "
                    + Sizes.format(MAX_MEMORY_BYTES) + ": give a smaller --" + DEPTH + " or --" + IO_SIZE);
        }
    }

    // ---- What was read

    /** normal, json or csv. */
    String format() {
        return format;
    }

    Mode mode() {
        return arguments.has(RAMP) ? Mode.RAMP : arguments.has(SCALING) ? Mode.SCALING : Mode.RUN;
    }

    int depth() {
        return depth;
    }

    int queues() {
        return queues;
    }

    int threads() {
        return threads;
    }

    boolean poll() {
        return arguments.has(POLL);
    }

    /** What is given holds for all; else the Java virtual machine is warm after the first. */
    long warmUpMs(boolean isFirst) {
        return TimeUnit.SECONDS.toMillis(isFirst || arguments.has(WARM_UP) ? warmUpS : LATER_WARM_UP_S);
    }

    long timeMs() {
        return TimeUnit.SECONDS.toMillis(timeS);
    }

    /** How long requests that are out at the end are waited for. */
    long patienceMs() {
        return TimeUnit.SECONDS.toMillis(PATIENCE_S);
    }

    long offset() {
        return offset;
    }

    /** Empty for all there is after the offset. */
    OptionalLong size() {
        return size;
    }

    Workload workload() {
        return workload;
    }

    boolean reconnects() {
        return HostOptions.isToReconnect(arguments);
    }

    List<HostOptions> uris() {
        return uris;
    }

    /** All that was asked for, defaults included, by the names of the options; what becomes of the queues is the target's to say. */
    ObjectNode toJson() {
        ObjectNode json = Json.object().put("version", Version.text()).put("mode", mode().toString());
        ArrayNode names = json.putArray("uris");
        arguments.words().forEach(names::add);
        addWorkload(json);
        json.put("io_depth", depth)
                .put("asked_num_qpairs", queues)
                .put("threads", threads)
                .put("poll", poll());
        if (workload.requests() > 0) {
            json.put("number_ios", workload.requests());
        } else {
            json.put("time", timeS);
        }
        json.put("warmup_time", TimeUnit.MILLISECONDS.toSeconds(warmUpMs(true)));
        if (mode() != Mode.RUN) {
            json.put("later_warmup_time", TimeUnit.MILLISECONDS.toSeconds(warmUpMs(false)));
        }
        return HostOptions.addConnectionTo(json, arguments);
    }

    private void addWorkload(ObjectNode json) {
        json.put("rw", workload.pattern().toString());
        if (workload.pattern().isMixed()) {
            json.put("rwmixread", workload.readPercent());
        }
        SizeMix sizes = workload.sizes();
        ArrayNode mix = json.putArray("io_size");
        for (int i = 0; i < sizes.sizes().size(); i++) {
            mix.addObject()
                    .put("bytes", sizes.sizes().get(i))
                    .put("percent", sizes.percents().get(i));
        }
        if (workload.ratePerSecond() > 0) {
            json.put("rate_iops", workload.ratePerSecond());
        }
        if (workload.zipfTheta() > 0) {
            json.put("zipf", workload.zipfTheta());
        }
        json.put("offset", offset);
        size.ifPresent(bytes -> json.put("size", bytes));
        json.put("seed", workload.seed()).put("verify", workload.verify());
    }
}
