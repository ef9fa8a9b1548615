package io.nvmf.tools;

import java.io.PrintStream;
import java.util.Collection;
import org.apache.commons.cli.Option;

/** Writes the help texts. */
final class Help {
    private static final int WIDTH = 100;
    private static final int DESCRIPTION_COLUMN = 34;

    private Help() {}

    /** What {@code nvmf --help} shows. */
    static void overview(Collection<Command> commands, PrintStream to) {
        to.println("Usage: nvmf COMMAND [OPTIONS]");
        to.println();
        to.println("An NVMe over Fabrics target and initiator over TCP and RDMA.");
        to.println();
        to.println("Commands:");
        for (Command command : commands) {
            to.printf("  %-14s %s%n", command.name(), command.summary());
        }
        to.printf("  %-14s %s%n", "help", "show the help of a command: nvmf help COMMAND");
        to.println();
        to.println("Options:");
        to.printf("  %-14s %s%n", "--version", "show the version");
        to.printf("  %-14s %s%n", "-h, --help", "show this help");
        to.println();
        to.println(
                "A namespace is named by nvmf-tcp://HOST:PORT/SUBNQN/NSID, or nvmf-rdma://, or, but for perf and conformance, as in");
        to.println(
                "nvme-cli: --transport --traddr --trsvcid --nqn, for which -t -a -s -n stand where nvme-cli has them too.");
        to.println("Sizes may end in k, m, g or t (powers of 1024).");
        to.println("Exit status: 0 success, 1 failure, 2 wrong usage.");
        to.println();
        to.println("NVMF_JAVA_OPTS holds options for the Java virtual machine: NVMF_JAVA_OPTS=-Xmx4g nvmf target ...");
    }

    /** What {@code nvmf help COMMAND} shows. */
    static void command(Command command, PrintStream to) {
        String arguments = command.arguments().isEmpty() ? "" : " " + command.arguments();
        to.println("Usage: nvmf " + command.name() + " [OPTIONS]" + arguments);
        to.println();
        String summary = command.summary();
        to.println(Character.toUpperCase(summary.charAt(0)) + summary.substring(1) + ".");
        to.println();
        to.println("Options:");
        for (Option option : CommonOptions.withCommon(command.options()).getOptions()) {
            to.println(optionLine(option));
        }
        to.println();
        if (!command.details().isEmpty()) {
            command.details().forEach(to::println);
            to.println();
        }
        to.println("Examples:");
        command.examples().forEach(example -> to.println("  " + example));
    }

    private static String optionLine(Option option) {
        StringBuilder line = new StringBuilder("  ");
        line.append(option.getOpt() == null ? "    " : "-" + option.getOpt() + ", ");
        line.append("--").append(option.getLongOpt());
        if (option.hasArg()) {
            line.append(' ').append(option.getArgName());
        }
        int column = line.length();
        if (column >= DESCRIPTION_COLUMN) {
            line.append('\n');
            column = 0;
        }
        line.append(" ".repeat(DESCRIPTION_COLUMN - column));
        column = DESCRIPTION_COLUMN;
        for (String word : option.getDescription().split(" ")) {
            if (column + word.length() > WIDTH) {
                line.setLength(line.length() - 1);
                line.append('\n').append(" ".repeat(DESCRIPTION_COLUMN));
                column = DESCRIPTION_COLUMN;
            }
            line.append(word).append(' ');
            column += word.length() + 1;
        }
        return line.toString().stripTrailing();
    }
}
