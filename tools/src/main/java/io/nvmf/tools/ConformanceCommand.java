package io.nvmf.tools;

import io.nvmf.conformance.CheckCase;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.TargetUnderTest;
import io.nvmf.conformance.report.JsonReport;
import io.nvmf.initiator.NvmfHost;
import io.nvmf.initiator.controller.HostIdentity;
import io.nvmf.tools.output.Json;
import io.nvmf.tools.output.Table;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.commons.cli.Options;

/** {@code nvmf conformance}: whether a target, any target, keeps the specifications. */
final class ConformanceCommand implements Command {
    @Override
    public String name() {
        return "conformance";
    }

    @Override
    public String summary() {
        return "check whether a target keeps the specifications";
    }

    @Override
    public String arguments() {
        return HostOptions.URI;
    }

    @Override
    public List<String> details() {
        return List.of(
                "Without a subsystem in the URI only those checks run that need none; without an NSID the first namespace",
                "is tested. Nothing is overwritten without --dataloss, and nothing is done that other hosts notice without",
                "--disruptive; what is not allowed is skipped, and says so.",
                "PASS: as expected. FAIL: not so; what was sent, expected and got follows, with the last that went over the",
                "connection. WARN: not as the specification has it, but as a target does that is in use. SKIP: not run.",
                "SIGINT and SIGTERM end the run: what ran until then is reported, the exit status is 130 or 143.",
                "Files are tried before the run and written whole at its end, those of --dump as each check ends.",
                "Exit status: 0 nothing failed, 1 something failed, 2 wrong usage, 3 no target there that could be tested.");
    }

    @Override
    public List<String> examples() {
        return List.of(
                "nvmf conformance --list",
                "nvmf conformance " + DeviceCommand.URI,
                "nvmf conformance " + DeviceCommand.URI
                        + "/1 --dataloss --disruptive --html report.html --junit report.xml",
                "nvmf conformance " + DeviceCommand.URI + " -t TCP.IC -t '*.Pfv*' --dump traces",
                "nvmf conformance " + DeviceCommand.URI
                        + "/1 --dataloss --disruptive --replay fuzz-io-commands-1-17.json");
    }

    @Override
    public Options options() {
        Options options = new Options();
        ConformanceOptions.addTo(options);
        return options;
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        OutputFormat format = arguments.outputFormat();
        ConformanceOptions options = ConformanceOptions.read(arguments);
        if (options.isList()) {
            arguments.requireWords(1);
            list(options.checks(), format, console);
            return Nvmf.SUCCESS;
        }
        if (arguments.onlyWord().isEmpty()) {
            throw new UsageException("no target named: give " + DeviceCommand.DEVICE);
        }
        HostOptions named = HostOptions.read(arguments);
        HostIdentity identity = identity(arguments);
        ConformanceFiles files = ConformanceFiles.open(arguments);
        InetSocketAddress address;
        try {
            address = named.socketAddress();
        } catch (CommandException e) {
            console.err().println("nvmf conformance: " + e.getMessage());
            return ConformanceRun.UNREACHABLE;
        }
        TargetUnderTest target = new TargetUnderTest(
                named.transport(),
                address,
                named.subsystemNqn().orElse(""),
                named.nsid(),
                identity.hostNqn(),
                identity.hostId(),
                options.answerMs(),
                options.seed(),
                console.rdma());
        return new ConformanceRun(options, format, files, arguments.words().get(0), target, console).run();
    }

    private static HostIdentity identity(Arguments arguments) throws CommandException {
        try (NvmfHost host = HostOptions.openHost(arguments, NvmfHost.builder())) {
            return host.identity();
        }
    }

    private static void list(List<CheckCase> checks, OutputFormat format, Console console) {
        if (format == OutputFormat.JSON) {
            Json.print(console.out(), JsonReport.of(checks));
            return;
        }
        Table table = new Table("check", "level", "needs", "what it says");
        for (CheckCase check : checks) {
            String needs = Arrays.stream(check.check().needs())
                    .map(Needs::option)
                    .map(option -> "--" + option)
                    .collect(Collectors.joining(" "));
            table.row(
                    check.id(),
                    check.check().level().label(),
                    needs,
                    check.check().says());
        }
        table.print(console.out());
        long suites = checks.stream().map(CheckCase::suiteId).distinct().count();
        console.out()
                .println("\n" + checks.size() + (checks.size() == 1 ? " check in " : " checks in ") + suites
                        + (suites == 1 ? " suite" : " suites"));
    }
}
