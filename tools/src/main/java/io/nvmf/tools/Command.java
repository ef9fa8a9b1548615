package io.nvmf.tools;

import java.util.List;
import org.apache.commons.cli.Options;

/** One sub-command of {@code nvmf}. Stateless; making one opens nothing. */
interface Command {
    /** The word on the command line. */
    String name();

    /** What it does, in a few words, for the list of commands. */
    String summary();

    /** What follows the options on the command line, for its help: {@code [URI]}; empty when nothing may. */
    default String arguments() {
        return "";
    }

    /** What its first word may be, for a shell to complete; none when that is anything. */
    default List<String> firstWords() {
        return List.of();
    }

    /** Lines that explain more than the options can, for its help. */
    default List<String> details() {
        return List.of();
    }

    /** Command lines that work, for its help. */
    List<String> examples();

    /** Its options without the ones that every command has. */
    Options options();

    /**
     * Does it. Blocks until it is done; an interrupt stops a command that would run for ever.
     *
     * @return exit status
     * @throws CommandException with a sentence for the person
     */
    int run(Arguments arguments, Console console) throws Exception;
}
