package io.nvmf.tools;

import io.nvmf.initiator.NvmfHost;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf perf}: how fast namespaces are, by options that fio and spdk_nvme_perf have too. */
final class PerfCommand implements Command {
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
                "shows in all the requests that it delays, not in one alone. The depth then only bounds how many are out:",
                "those that are due beyond it wait, which counts, too. The result says what was asked for and what reached.",
                "Latency is of the requests begun while measuring; IOPS and MB/s (of a million bytes) of those done then.",
                "Before the first measurement the load runs unmeasured for " + PerfOptions.FIRST_WARM_UP_S
                        + " s, which a Java virtual machine takes to compile",
                "itself; before each later one of --ramp and --scaling for " + PerfOptions.LATER_WARM_UP_S
                        + " s. What --warmup-time says holds for all.",
                "--scaling measures the first namespace alone once more after all together, and compares with the mean.",
                "Patterns that write destroy what is there. --verify with one of them checks what it reads of what it has",
                "written; with a pattern that only reads, what an earlier run with --verify and the same seed has written.",
                "A lost controller ends the run, but with --ctrl-loss-tmo: then requests wait until it is there again.",
                "What is out at the end is waited for, for " + PerfOptions.PATIENCE_S
                        + " s. What has no answer then, and what failed, is an error: the",
                "latencies have how long it was out, IOPS and MB/s leave it out.",
                "SIGINT and SIGTERM end the measurement: what it found until then is written, the exit status is 130 or 143.",
                "A second one ends the process. What was found before an error is written, too. Each second a line on stderr",
                "tells the rates of that second, when that is a terminal.",
                "In CSV and JSON, phase is run, ramp, or alone_before, together and alone_after of --scaling; ended is complete,",
                "interrupted or failed; num_qpairs are the queues that the target granted and the load used; knee is the first",
                "depth with 90 % of the most IOPS, as CSV 1 in its line and 0 in others. There is none when the ramp ended early",
                "or was still rising at its last depth (in JSON \"rising\"): by more than 5 % over the depth before.");
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
        PerfOptions.addTo(options);
        return options;
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        PerfOptions options = PerfOptions.read(arguments);
        NvmfHost.Builder builder = NvmfHost.builder()
                .rdmaProvider(console.rdma())
                .ioThreads(options.threads())
                .poll(options.poll());
        try (NvmfHost host = HostOptions.openHost(arguments, builder)) {
            return new PerfRun(options, console, new PerfPlaces(host, options, console).connect()).run();
        }
    }
}
