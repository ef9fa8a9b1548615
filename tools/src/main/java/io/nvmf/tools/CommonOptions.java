package io.nvmf.tools;

import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;

/** Options that several commands share, and short ways to make one. */
final class CommonOptions {
    static final String HELP = "help";
    static final String VERBOSE = "verbose";
    static final String OUTPUT_FORMAT = "output-format";

    private CommonOptions() {}

    /** What every command understands. */
    static Options withCommon(Options own) {
        Options all = new Options();
        own.getOptions().forEach(all::addOption);
        all.addOption(flag("v", VERBOSE, "show the debug log on stderr"));
        all.addOption(flag("h", HELP, "show this help"));
        return all;
    }

    static Option outputFormat() {
        return value("o", OUTPUT_FORMAT, "normal|json", "how to write the result (default normal)");
    }

    /** An option without a value; {@code letter} may be null. */
    static Option flag(String letter, String name, String description) {
        return Option.builder(letter).longOpt(name).desc(description).get();
    }

    /** An option with a value; {@code letter} may be null. */
    static Option value(String letter, String name, String argument, String description) {
        return Option.builder(letter)
                .longOpt(name)
                .hasArg()
                .argName(argument)
                .desc(description)
                .get();
    }

    /** An option with a value that may be given more than once. */
    static Option values(String letter, String name, String argument, String description) {
        return value(letter, name, argument + Arguments.REPEATABLE, description);
    }
}
