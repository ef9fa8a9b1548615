package io.nvmf.tools;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The {@code nvmf} command: finds the sub-command in one table, runs it, and turns failures into sentences. */
public final class Nvmf {
    static final int SUCCESS = 0;
    static final int FAILURE = 1;
    static final int USAGE = 2;

    private static final Map<String, Command> COMMANDS = table(List.of(
            new TargetCommand(),
            new CtlCommand(),
            new DemoCommand(),
            new DiscoverCommand(),
            SubsystemsCommand.listSubsys(),
            SubsystemsCommand.connectAll(),
            new ListCommand(),
            new IdCtrlCommand(),
            new IdNsCommand(),
            new ReadCommand(),
            new WriteCommand(),
            new SmartLogCommand(),
            new ErrorLogCommand(),
            new GetLogCommand(),
            new GetFeatureCommand(),
            new SetFeatureCommand(),
            new FlushCommand(),
            new DsmCommand(),
            BlockCommand.writeZeroes(),
            BlockCommand.verify(),
            BlockCommand.writeUncorrectable(),
            new CompareCommand(),
            new CopyBlocksCommand(),
            new ResvRegisterCommand(),
            new ResvAcquireCommand(),
            new ResvReleaseCommand(),
            new ResvReportCommand(),
            new ShowRegsCommand(),
            PassthruCommand.admin(),
            PassthruCommand.io(),
            new ExportCommand(),
            new GenHostNqnCommand(),
            new CompletionCommand()));

    private Nvmf() {}

    /** Runs one sub-command and ends the process with its exit status. */
    public static void main(String[] args) {
        int status = run(List.of(args), Console.system());
        System.out.flush();
        System.exit(status);
    }

    private static Map<String, Command> table(List<Command> commands) {
        Map<String, Command> table = new LinkedHashMap<>();
        commands.forEach(command -> table.put(command.name(), command));
        return table;
    }

    static Collection<Command> commands() {
        return COMMANDS.values();
    }

    /** Runs one sub-command; returns its exit status. */
    static int run(List<String> words, Console console) {
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
                Command command = COMMANDS.get(first);
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
        Command command = COMMANDS.get(words.get(1));
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
        boolean verbose = words.contains("-v") || words.contains("--" + CommonOptions.VERBOSE);
        try {
            Arguments arguments = Arguments.parse(CommonOptions.withCommon(command.options()), words);
            if (arguments.has(CommonOptions.HELP)) {
                Help.command(command, console.out());
                return SUCCESS;
            }
            verbose = arguments.has(CommonOptions.VERBOSE);
            Logging.configure(verbose, command.isService());
            return command.run(arguments, console);
        } catch (UsageException e) {
            return fail(command, e.getMessage() + " (see nvmf help " + command.name() + ")", console, USAGE);
        } catch (InterruptedException e) {
            return fail(command, "interrupted", console, FAILURE);
        } catch (Exception | LinkageError | OutOfMemoryError e) {
            if (verbose) {
                e.printStackTrace(console.err());
            }
            return fail(command, Failures.sentence(e), console, FAILURE);
        }
    }

    private static int fail(Command command, String sentence, Console console, int status) {
        console.out().flush();
        console.err().println("nvmf " + command.name() + ": " + sentence);
        return status;
    }
}
