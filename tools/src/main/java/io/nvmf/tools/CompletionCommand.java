package io.nvmf.tools;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;

/** {@code nvmf completion}: lets a shell complete commands and options, from the table of commands. */
final class CompletionCommand implements Command {
    private static final String BASH = "bash";
    /** An option's value that is one of a few words. */
    private static final String WORDS = "[a-z-]+(\\|[a-z-]+)+";

    @Override
    public String name() {
        return "completion";
    }

    @Override
    public String summary() {
        return "write what lets bash complete commands and options";
    }

    @Override
    public String arguments() {
        return BASH;
    }

    @Override
    public List<String> firstWords() {
        return List.of(BASH);
    }

    @Override
    public List<String> examples() {
        return List.of("nvmf completion bash > /etc/bash_completion.d/nvmf", "source <(nvmf completion bash)");
    }

    @Override
    public Options options() {
        return new Options();
    }

    @Override
    public int run(Arguments arguments, Console console) throws CommandException {
        String shell = arguments.onlyWord().orElse("");
        if (!shell.equals(BASH)) {
            throw new UsageException(
                    (shell.isEmpty() ? "no shell named" : "there is nothing for '" + shell + "'") + ": give bash");
        }
        print(Nvmf.commands(), console.out());
        return Nvmf.SUCCESS;
    }

    private static void print(Collection<Command> commands, PrintStream out) {
        String names = commands.stream().map(Command::name).collect(Collectors.joining(" "));
        out.println("# bash completion of nvmf, made by: nvmf completion bash");
        out.println("_nvmf() {");
        out.println("  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=");
        out.println("  COMPREPLY=()");
        out.println("  if [ \"$COMP_CWORD\" = 1 ]; then");
        out.println("    words=\"" + names + " help --help --version\"");
        out.println("  else");
        out.println("    case ${COMP_WORDS[1]}:$previous in");
        out.println("      help:help) words=\"" + names + "\" ;;");
        for (Command command : commands) {
            printValues(command, out);
        }
        out.println("      *) case $current:${COMP_WORDS[1]} in");
        for (Command command : commands) {
            out.println("        -*:" + command.name() + ") words=\"" + options(command) + "\" ;;");
        }
        for (Command command : commands) {
            if (!command.firstWords().isEmpty()) {
                out.println("        *:" + command.name() + ") [ \"$COMP_CWORD\" != 2 ] || words=\""
                        + String.join(" ", command.firstWords()) + "\" ;;");
            }
        }
        out.println("      esac ;;");
        out.println("    esac");
        out.println("  fi");
        out.println("  [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))");
        out.println("}");
        out.println("complete -o default -F _nvmf nvmf");
    }

    private static void printValues(Command command, PrintStream out) {
        for (Option option : CommonOptions.withCommon(command.options()).getOptions()) {
            if (option.hasArg() && option.getArgName().matches(WORDS)) {
                List<String> patterns = new ArrayList<>(List.of(command.name() + ":--" + option.getLongOpt()));
                if (option.getOpt() != null) {
                    patterns.add(command.name() + ":-" + option.getOpt());
                }
                out.println("      " + String.join("|", patterns) + ") words=\""
                        + option.getArgName().replace('|', ' ') + "\" ;;");
            }
        }
    }

    private static String options(Command command) {
        return CommonOptions.withCommon(command.options()).getOptions().stream()
                .map(option -> "--" + option.getLongOpt())
                .collect(Collectors.joining(" "));
    }
}
