package io.nvmf.tools;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** The {@code nvmf} command: finds the sub-command in one table, runs it, and turns failures into sentences. */
public final class Nvmf {
    static final int SUCCESS = 0;
    static final int FAILURE = 1;
    static final int USAGE = 2;

    /** Commands that run until they are stopped, whose log is of interest. */
    private static final Set<String> SERVICES = Set.of("target", "export");

    /** Made when needed alone: a command that waits for nothing else starts sooner, and no logger is made too early. */
    private static final Map<String, Supplier<Command>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("target", () -> new TargetCommand());
        COMMANDS.put("ctl", () -> new CtlCommand());
        COMMANDS.put("demo", () -> new DemoCommand());
        COMMANDS.put("discover", () -> new DiscoverCommand());
        COMMANDS.put("list-subsys", () -> SubsystemsCommand.listSubsys());
        COMMANDS.put("connect-all", () -> SubsystemsCommand.connectAll());
        COMMANDS.put("list", () -> new ListCommand());
        COMMANDS.put("id-ctrl", () -> new IdCtrlCommand());
        COMMANDS.put("id-ns", () -> new IdNsCommand());
        COMMANDS.put("read", () -> new ReadCommand());
        COMMANDS.put("write", () -> new WriteCommand());
        COMMANDS.put("perf", () -> new PerfCommand());
        COMMANDS.put("conformance", () -> new ConformanceCommand());
        COMMANDS.put("smart-log", () -> new SmartLogCommand());
        COMMANDS.put("error-log", () -> new ErrorLogCommand());
        COMMANDS.put("get-log", () -> new GetLogCommand());
        COMMANDS.put("get-feature", () -> new GetFeatureCommand());
        COMMANDS.put("set-feature", () -> new SetFeatureCommand());
        COMMANDS.put("flush", () -> new FlushCommand());
        COMMANDS.put("dsm", () -> new DsmCommand());
        COMMANDS.put("write-zeroes", () -> BlockCommand.writeZeroes());
        COMMANDS.put("verify", () -> BlockCommand.verify());
        COMMANDS.put("write-uncor", () -> BlockCommand.writeUncorrectable());
        COMMANDS.put("compare", () -> new CompareCommand());
        COMMANDS.put("copy", () -> new CopyBlocksCommand());
        COMMANDS.put("resv-register", () -> new ResvRegisterCommand());
        COMMANDS.put("resv-acquire", () -> new ResvAcquireCommand());
        COMMANDS.put("resv-release", () -> new ResvReleaseCommand());
        COMMANDS.put("resv-report", () -> new ResvReportCommand());
        COMMANDS.put("show-regs", () -> new ShowRegsCommand());
        COMMANDS.put("admin-passthru", () -> PassthruCommand.admin());
        COMMANDS.put("io-passthru", () -> PassthruCommand.io());
        COMMANDS.put("export", () -> new ExportCommand());
        COMMANDS.put("gen-hostnqn", () -> new GenHostNqnCommand());
        COMMANDS.put("completion", () -> new CompletionCommand());
    }

    private Nvmf() {}

    /** Runs one sub-command and ends the process with its exit status. */
    public static void main(String[] args) {
        List<String> words = List.of(args);
        Logging.configure(isVerbose(words), !words.isEmpty() && SERVICES.contains(words.get(0)));
        int status = run(words, Console.system());
        System.out.flush();
        System.exit(status);
    }

    static List<Command> commands() {
        return COMMANDS.values().stream().map(Supplier::get).toList();
    }

    /** Null for a name that no command has. */
    private static Command command(String name) {
        Supplier<Command> command = COMMANDS.get(name);
        return command == null ? null : command.get();
    }

    /** Runs one sub-command; returns its exit status, which is no success when its output went nowhere. */
    static int run(List<String> words, Console console) {
        int status = runWords(words, console);
        if (console.out().checkError() && status == SUCCESS) {
            console.err().println("nvmf: standard output does not take all of the result");
            return FAILURE;
        }
        return status;
    }

    private static int runWords(List<String> words, Console console) {
        if (words.isEmpty()) {
            Help.overview(commands(), console.err());
            return USAGE;
        }
        String first = words.get(0);
        switch (first) {
            case "-h", "--help":
                Help.overview(commands(), console.out());
                return SUCCESS;
            case "-V", "--version":
                console.out().println(Version.text());
                return SUCCESS;
            case "help":
                return help(words, console);
            default:
                Command command = command(first);
                return command == null
                        ? unknownCommand(first, console)
                        : runCommand(command, words.subList(1, words.size()), console);
        }
    }

    private static int help(List<String> words, Console console) {
        if (words.size() == 1) {
            Help.overview(commands(), console.out());
            return SUCCESS;
        }
        Command command = command(words.get(1));
        if (command == null) {
            return unknownCommand(words.get(1), console);
        }
        Help.command(command, console.out());
        return SUCCESS;
    }

    private static int unknownCommand(String word, Console console) {
        String kind = word.startsWith("-") ? "option" : "command";
        console.err()
                .println("nvmf: unknown " + kind + " " + word
                        + Suggestion.didYouMean(word, COMMANDS.keySet(), "see nvmf --help"));
        return USAGE;
    }

    private static int runCommand(Command command, List<String> words, Console console) {
        try {
            Arguments arguments = Arguments.parse(CommonOptions.withCommon(command.options()), words);
            if (arguments.has(CommonOptions.HELP)) {
                Help.command(command, console.out());
                return SUCCESS;
            }
            return command.run(arguments, console);
        } catch (UsageException e) {
            return fail(command, e.getMessage() + " (see nvmf help " + command.name() + ")", console, USAGE);
        } catch (InterruptedException e) {
            return fail(command, "interrupted", console, FAILURE);
        } catch (Exception | LinkageError | OutOfMemoryError e) {
            if (isVerbose(words)) {
                e.printStackTrace(console.err());
            }
            return fail(command, Failures.sentence(e), console, FAILURE);
        }
    }

    private static boolean isVerbose(List<String> words) {
        return words.contains("-v") || words.contains("--" + CommonOptions.VERBOSE);
    }

    private static int fail(Command command, String sentence, Console console, int status) {
        console.out().flush();
        console.err().println("nvmf " + command.name() + ": " + sentence);
        return status;
    }
}
