package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.codec.log.TransportType;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.ConnectOptions;
import io.nvmf.initiator.controller.Controller;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.tools.output.Json;
import io.nvmf.tools.output.Rates;
import io.nvmf.tools.perf.Load;
import io.nvmf.tools.perf.Outcome;
import io.nvmf.tools.perf.Report;
import io.nvmf.tools.perf.SizeMix;
import io.nvmf.tools.perf.Workload;
import io.nvmf.tools.perf.Workload.Pattern;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.commons.cli.Options;

/** {@code nvmf perf}: how fast namespaces are, by options that fio and spdk_nvme_perf have too. */
final class PerfCommand implements Command {
    private static final String DEPTH = "io-depth";
    private static final String PATTERN = "rw";
    private static final String READ_PERCENT = "rwmixread";
    private static final String IO_SIZE = "io-size";
    private static final String QUEUES = "num-qpairs";
    private static final String THREADS = "threads";
    private static final String POLL = "poll";
    private static final String TIME = "time";
    private static final String REQUESTS = "number-ios";
    private static final String WARM_UP = "warmup-time";
    private static final String RATE = "rate-iops";
    private static final String ZIPF = "zipf";
    private static final String OFFSET = "offset";
    private static final String SIZE = "size";
    private static final String SEED = "seed";
    private static final String VERIFY = "verify";
    private static final String RAMP = "ramp";
    private static final String SCALING = "scaling";

    private static final int DEFAULT_DEPTH = 32;
    private static final int MAX_DEPTH = 16_384;
    private static final int MAX_QUEUES = 1024;
    private static final int MAX_QUEUE_SIZE = 1024;
    private static final int DEFAULT_TIME_S = 10;
    private static final int DEFAULT_WARM_UP_S = 3;
    private static final int MAX_TIME_S = 7 * 24 * 3600;
    private static final int MAX_URIS = 64;
    private static final long MAX_MEMORY_BYTES = 1L << 30;
    private static final double MAX_THETA = 10;

    @Override
    public String name() {
        return "perf";
    }

    @Override
    public String summary() {
        return "measure how fast namespaces are: requests a second and latencies";
    }

    @Override
    public String arguments() {
        return DeviceCommand.DEVICE + "...";
    }

    @Override
    public List<String> details() {
        return List.of(
                "Without --rate-iops as many requests are out as the depth says, and the next begins when one is done. At a",
                "rate each begins when it is due, whatever becomes of the others, and its latency counts from then: a stall",
                "shows in all the requests that it delays, not in one alone.",
                "Latency is of the requests begun while measuring; IOPS and MB/s (of a million bytes) of those done then.",
                "Patterns that write destroy what is there. --verify with one of them checks what it reads of what it has",
                "written; with a pattern that only reads, what an earlier run with --verify and the same seed has written.",
                "A lost controller ends the run, but with --ctrl-loss-tmo: then requests wait until it is there again.",
                "SIGINT and SIGTERM end the measurement: what it found until then is written, the exit status is 130 or 143.");
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf perf -q 32 -o 4k -w randread -t 10 " + DeviceCommand.URI + "/1",
                "nvmf perf -q 128 -o 4k/60:64k/40 -w randrw -M 70 --verify " + DeviceCommand.URI + "/1",
                "nvmf perf --ramp -q 256 -o 128k -w randread " + DeviceCommand.URI + "/1 --output-format csv",
                "nvmf perf --rate-iops 20000 -q 256 --zipf 1.1 -t 60 " + DeviceCommand.URI + "/1",
                "nvmf perf --scaling " + DeviceCommand.URI + "/1 " + DeviceCommand.URI + "/2");
    }

    @Override
    public Options options() {
        Options options = new Options();
        options.addOption(value(
                        "q",
                        DEPTH,
                        "N",
                        "requests out at a time for each namespace, over all its queues (default " + DEFAULT_DEPTH
                                + ")"))
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
                        "a", WARM_UP, "SECONDS", "the same before, not measured (default " + DEFAULT_WARM_UP_S + ")"))
                .addOption(value(null, RATE, "N", "begin so many requests a second for each namespace"))
                .addOption(value("F", ZIPF, "THETA", "random addresses by Zipf's law, 1 for the law itself"))
                .addOption(value(null, OFFSET, "SIZE", "first byte of each namespace to use (default 0)"))
                .addOption(value(null, SIZE, "SIZE", "bytes of each namespace to use (default: up to the end)"))
                .addOption(value(null, SEED, "N", "of addresses, mixes and data (default 1)"))
                .addOption(flag(null, VERIFY, "check the data that is read"))
                .addOption(flag(null, RAMP, "measure at depth 1, 2, 4 and so on up to --io-depth, and name the knee"))
                .addOption(flag(null, SCALING, "measure the first namespace alone, then all together, and compare"))
                .addOption(value(null, CommonOptions.OUTPUT_FORMAT, "normal|json|csv", "how to write the result"));
        HostOptions.addHost(options);
        HostOptions.addLossTimeout(options);
        return options;
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        return new Run(arguments, console).run();
    }

    /** One command line. */
    private static final class Run {
        private final Arguments arguments;
        private final Console console;
        private final String format;
        private final int depth;
        private final int queues;
        private final Workload workload;
        private final List<HostOptions> uris = new ArrayList<>();
        private final boolean showsProgress;
        /** The last measurement ended early. */
        private boolean interrupted;

        Run(Arguments arguments, Console console) throws CommandException {
            this.arguments = arguments;
            this.console = console;
            format = arguments.text(CommonOptions.OUTPUT_FORMAT, "normal");
            if (!format.matches("normal|json|csv")) {
                throw new UsageException("output format '" + format + "' is neither normal, json nor csv");
            }
            depth = arguments.number(DEPTH, DEFAULT_DEPTH, 1, MAX_DEPTH);
            queues = arguments.number(QUEUES, 1, 1, MAX_QUEUES);
            if (queues > depth) {
                throw new UsageException("--" + QUEUES + " " + queues + " is more than --" + DEPTH + " " + depth
                        + ", which is of all queues together: each needs one request at least");
            }
            workload = workload();
            requireTogether();
            List<String> words = arguments.words();
            if (words.isEmpty() || words.size() > MAX_URIS) {
                throw new UsageException("give 1 to " + MAX_URIS + " namespaces as " + DeviceCommand.DEVICE);
            }
            for (String word : words) {
                uris.add(HostOptions.readUri(arguments, word));
            }
            requireMemory();
            showsProgress = console.errIsTerminal();
        }

        private Workload workload() throws CommandException {
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

        int run() throws Exception {
            NvmfHost.Builder builder = NvmfHost.builder()
                    .rdmaProvider(console.rdma())
                    .ioThreads(threads())
                    .poll(arguments.has(POLL));
            try (NvmfHost host = HostOptions.openHost(arguments, builder)) {
                List<Load.Place> places = new ArrayList<>();
                for (HostOptions uri : uris) {
                    places.add(place(host, uri));
                }
                requireDistinct(places);
                return measureAndReport(places);
            }
        }

        /** Returns the exit status, which the one of a signal takes the place of. */
        private int measureAndReport(List<Load.Place> places) throws CommandException {
            PerfInterrupt signals = PerfInterrupt.register();
            try {
                if (arguments.has(RAMP)) {
                    ramp(places);
                } else if (arguments.has(SCALING)) {
                    scale(places);
                } else {
                    report(measure(places, depth));
                }
                console.out().flush();
                if (interrupted) {
                    console.err().println("nvmf perf: interrupted; the result is of the time until then");
                }
                return interrupted ? Nvmf.FAILURE : Nvmf.SUCCESS;
            } catch (InterruptedException e) {
                console.err().println("nvmf perf: interrupted before there was a result");
                return Nvmf.FAILURE;
            } finally {
                signals.close();
            }
        }

        /** Two that write the same blocks cannot both know what is there. */
        private void requireDistinct(List<Load.Place> places) throws CommandException {
            Set<String> seen = new HashSet<>();
            for (Load.Place place : places) {
                String identity = place.identity();
                if (workload.verify() && workload.pattern().writes() && !seen.add(identity)) {
                    throw new CommandException(place.name() + " is a namespace that was named before: with --" + VERIFY
                            + " each is written by one load alone");
                }
            }
        }

        private int threads() throws UsageException {
            return arguments.number(THREADS, Math.min(4, Runtime.getRuntime().availableProcessors()), 1, 256);
        }

        private Load.Place place(NvmfHost host, HostOptions uri) throws CommandException {
            int perQueue = (depth + queues - 1) / queues;
            ConnectOptions options = uri.connectAdmin()
                    .ioQueues(queues)
                    .queueDepth(Math.min(MAX_QUEUE_SIZE, Math.max(2, perQueue + 1)))
                    // The host never fills a queue, and spares itself a response for each read.
                    .sqFlowControl(false)
                    .waitingRequests(perQueue);
            Controller controller =
                    uri.connect(host, HostOptions.isToReconnect(arguments) ? uri.reconnecting(options) : options);
            if (controller.ioQueueCount() < queues) {
                console.warn(
                        uri.subsystemUri() + " grants " + controller.ioQueueCount() + " of " + queues + " I/O queues");
            }
            Namespace namespace = Namespaces.choose(controller, uri);
            requireBlocks(namespace);
            long offset = arguments.size(OFFSET, 0);
            if (offset >= namespace.sizeBytes()) {
                throw new CommandException("--" + OFFSET + " " + offset + " is beyond the end of namespace "
                        + namespace.nsid() + ", " + namespace.sizeBytes() + " bytes");
            }
            long size = arguments.size(SIZE, namespace.sizeBytes() - offset);
            int used = Math.min(queues, controller.ioQueueCount());
            requireRange(namespace, offset, size, used);
            ByteBuffer memory = ByteBuffer.allocateDirect((int) Load.memoryBytes(workload, depth));
            fill(memory);
            if (uri.transport() == TransportType.RDMA) {
                host.register(memory);
            }
            String name = uri.subsystemUri() + "/" + namespace.nsid();
            String identity = controller.subsystemNqn() + "/" + namespace.nsid();
            return new Load.Place(name, identity, namespace, used, offset, size, memory);
        }

        private void requireBlocks(Namespace namespace) throws CommandException {
            int blockBytes = namespace.blockSizeBytes();
            for (int size : workload.sizes().sizes()) {
                if (size % blockBytes != 0) {
                    throw new CommandException(
                            "--" + IO_SIZE + " " + size + " is no multiple of the block size " + blockBytes);
                }
            }
            for (String option : new String[] {OFFSET, SIZE}) {
                if (arguments.size(option, 0) % blockBytes != 0) {
                    throw new CommandException("--" + option + " " + arguments.size(option, 0)
                            + " is no multiple of the block size " + blockBytes);
                }
            }
        }

        private void requireRange(Namespace namespace, long offset, long size, int used) throws CommandException {
            if (size <= 0 || offset > namespace.sizeBytes() - size) {
                throw new CommandException(size + " bytes from byte " + offset + " on are not inside namespace "
                        + namespace.nsid() + ", which has " + namespace.sizeBytes());
            }
            long part = size / used;
            if (part < workload.sizes().largest()) {
                throw new CommandException("each of " + used + " queues has " + part + " bytes of namespace "
                        + namespace.nsid() + ", fewer than one request: give a larger --" + SIZE);
            }
            if (workload.verify() && part / namespace.blockSizeBytes() > Load.MAX_VERIFIED_BLOCKS) {
                throw new CommandException("--" + VERIFY + " can follow " + Load.MAX_VERIFIED_BLOCKS
                        + " blocks a queue: give a smaller --" + SIZE + ", or more queues");
            }
        }

        /** Zeros are written faster than data by some. */
        private void fill(ByteBuffer memory) {
            byte[] bytes = new byte[4096];
            Random random = new Random(workload.seed());
            while (memory.hasRemaining()) {
                random.nextBytes(bytes);
                memory.put(bytes, 0, Math.min(bytes.length, memory.remaining()));
            }
            memory.clear();
        }

        // ---- Measuring

        private Outcome measure(List<Load.Place> places, int atDepth) throws InterruptedException, CommandException {
            Load.Extent extent = new Load.Extent(
                    atDepth,
                    TimeUnit.SECONDS.toMillis(arguments.number(WARM_UP, DEFAULT_WARM_UP_S, 0, MAX_TIME_S)),
                    TimeUnit.SECONDS.toMillis(arguments.number(TIME, DEFAULT_TIME_S, 1, MAX_TIME_S)));
            Load load = new Load(places, workload, extent, this::showProgress);
            try {
                return load.run();
            } finally {
                interrupted = load.wasInterrupted();
                showLine("");
            }
        }

        private void ramp(List<Load.Place> places) throws InterruptedException, CommandException {
            List<Outcome> outcomes = new ArrayList<>();
            for (int at = 1; at <= depth && !interrupted; at = at == depth ? depth + 1 : Math.min(at * 2, depth)) {
                outcomes.add(measure(places, at));
            }
            switch (format) {
                case "json" -> Json.print(console.out(), Report.rampToJson(outcomes));
                case "csv" -> Report.printCsv(console.out(), outcomes);
                default -> Report.printRamp(console.out(), outcomes);
            }
        }

        private void scale(List<Load.Place> places) throws InterruptedException, CommandException {
            Outcome alone = measure(places.subList(0, 1), depth);
            if (interrupted) {
                report(alone);
                return;
            }
            Outcome together = measure(places, depth);
            switch (format) {
                case "json" -> Json.print(console.out(), Report.scalingToJson(alone, together));
                case "csv" -> Report.printCsv(console.out(), List.of(alone, together));
                default -> {
                    Report.print(console.out(), together);
                    Report.printScaling(console.out(), alone, together);
                }
            }
        }

        private void report(Outcome outcome) {
            switch (format) {
                case "json" -> Json.print(console.out(), Report.toJson(outcome));
                case "csv" -> Report.printCsv(console.out(), List.of(outcome));
                default -> Report.print(console.out(), outcome);
            }
        }

        private void showProgress(boolean isMeasuring, long requests, long bytes, long elapsedNs) {
            double seconds = elapsedNs / 1e9;
            showLine(
                    isMeasuring
                            ? String.format(
                                    Locale.ROOT,
                                    "%.0f s: %.0f IOPS, %s",
                                    seconds,
                                    requests / seconds,
                                    Rates.format(bytes, elapsedNs))
                            : String.format(Locale.ROOT, "%.0f s of warm-up", seconds));
        }

        private void showLine(String line) {
            if (showsProgress) {
                console.err().print("\r\u001b[K" + line);
                console.err().flush();
            }
        }
    }
}
