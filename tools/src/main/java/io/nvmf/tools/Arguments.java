package io.nvmf.tools;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.cli.AlreadySelectedException;
import org.apache.commons.cli.CommandLine;
import org.apache.commons.cli.DefaultParser;
import org.apache.commons.cli.MissingArgumentException;
import org.apache.commons.cli.MissingOptionException;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;
import org.apache.commons.cli.ParseException;
import org.apache.commons.cli.UnrecognizedOptionException;

/** The options and arguments of one command line, read with errors that name the option. */
final class Arguments {
    /** Ends the argument name of an option that may be given more than once. */
    static final String REPEATABLE = "...";

    private final CommandLine line;

    private Arguments(CommandLine line) {
        this.line = line;
    }

    /**
     * Reads a command line.
     *
     * @throws UsageException if an option is unknown, repeated, or has no value
     */
    static Arguments parse(Options options, List<String> words) throws UsageException {
        try {
            DefaultParser parser = DefaultParser.builder()
                    .setAllowPartialMatching(false)
                    .setStripLeadingAndTrailingQuotes(false)
                    .get();
            CommandLine line = parser.parse(options, words.toArray(String[]::new), false);
            rejectRepeated(line);
            return new Arguments(line);
        } catch (UnrecognizedOptionException e) {
            throw new UsageException(unknownOption(options, e.getOption()));
        } catch (MissingArgumentException e) {
            throw new UsageException("option " + spell(e.getOption()) + " needs a value: "
                    + e.getOption().getArgName());
        } catch (MissingOptionException e) {
            throw new UsageException("option "
                    + spell(options.getOption((String) e.getMissingOptions().get(0))) + " is missing");
        } catch (AlreadySelectedException e) {
            throw new UsageException("option " + spell(e.getOption()) + " cannot stand beside --"
                    + e.getOptionGroup().getSelected());
        } catch (ParseException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private static void rejectRepeated(CommandLine line) throws UsageException {
        Set<Option> seen = new HashSet<>();
        for (Option option : line.getOptions()) {
            boolean repeatable = option.hasArg() && option.getArgName().endsWith(REPEATABLE);
            if (option.hasArg() && !seen.add(option) && !repeatable) {
                throw new UsageException("option " + spell(option) + " was given twice");
            }
        }
    }

    private static String unknownOption(Options options, String word) {
        List<String> names = options.getOptions().stream()
                .flatMap(option -> Stream.of(option.getLongOpt(), option.getOpt()))
                .filter(name -> name != null && name.length() > 1)
                .collect(Collectors.toList());
        String name = word.replaceFirst("^-+", "").replaceFirst("=.*", "");
        return "unknown option " + word
                + Suggestion.closest(name, names)
                        .map(candidate -> "; did you mean --" + candidate + "?")
                        .orElse("");
    }

    private static String spell(Option option) {
        return option.getLongOpt() == null ? "-" + option.getOpt() : "--" + option.getLongOpt();
    }

    boolean has(String option) {
        return line.hasOption(option);
    }

    Optional<String> text(String option) {
        return Optional.ofNullable(line.getOptionValue(option));
    }

    String text(String option, String otherwise) {
        return line.getOptionValue(option, otherwise);
    }

    /** All values of an option that may be repeated. */
    List<String> texts(String option) {
        String[] values = line.getOptionValues(option);
        return values == null ? List.of() : Arrays.asList(values);
    }

    /** A size in bytes, see {@link Sizes}. */
    long size(String option, long otherwise) throws UsageException {
        String text = line.getOptionValue(option);
        try {
            return text == null ? otherwise : Sizes.parse("--" + option, text);
        } catch (CommandException e) {
            throw UsageException.of(e);
        }
    }

    /** A size in bytes that fits an int. */
    int sizeInt(String option, int otherwise) throws UsageException {
        String text = line.getOptionValue(option);
        try {
            return text == null ? otherwise : Sizes.parseInt("--" + option, text);
        } catch (CommandException e) {
            throw UsageException.of(e);
        }
    }

    /** A whole number of a range. */
    int number(String option, int otherwise, int min, int max) throws UsageException {
        return (int) number(option, (long) otherwise, min, max);
    }

    /** A whole number of a range. */
    long number(String option, long otherwise, long min, long max) throws UsageException {
        String text = line.getOptionValue(option);
        if (text == null) {
            return otherwise;
        }
        if (text.matches("-?\\d{1,18}")) {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        }
        throw new UsageException("--" + option + " '" + text + "' is not a number from " + min + " to " + max);
    }

    /**
     * A number as nvme-cli takes it: decimal, or hexadecimal after 0x.
     *
     * @param max unsigned, -1 for any of 64 bits
     */
    long unsigned(String option, long otherwise, long max) throws UsageException {
        String text = line.getOptionValue(option);
        return text == null ? otherwise : parseUnsigned(option, text, max);
    }

    /** As {@link #unsigned}, of an option that must be given. */
    long requiredUnsigned(String option, long max) throws UsageException {
        if (!has(option)) {
            throw new UsageException("option --" + option + " is missing");
        }
        return unsigned(option, 0, max);
    }

    /** As {@link #unsigned}, numbers with commas between them; none without the option. */
    List<Long> unsignedList(String option, long max) throws UsageException {
        List<Long> numbers = new ArrayList<>();
        String text = line.getOptionValue(option);
        if (text != null) {
            for (String part : text.split(",", -1)) {
                numbers.add(parseUnsigned(option, part, max));
            }
        }
        return numbers;
    }

    private static long parseUnsigned(String option, String text, long max) throws UsageException {
        boolean isHex = text.startsWith("0x") || text.startsWith("0X");
        try {
            long number = Long.parseUnsignedLong(isHex ? text.substring(2) : text, isHex ? 16 : 10);
            if (!text.startsWith("+") && Long.compareUnsigned(number, max) <= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new UsageException("--" + option + " '" + text + "' is not a number from 0 to "
                + Long.toUnsignedString(max) + ", decimal or hexadecimal after 0x");
    }

    OutputFormat outputFormat() throws UsageException {
        return OutputFormat.parse(text(CommonOptions.OUTPUT_FORMAT, "normal"));
    }

    /** The words that are no options. */
    List<String> words() {
        return line.getArgList();
    }

    /** The only word that is no option, if there is one. */
    Optional<String> onlyWord() throws UsageException {
        requireWords(1);
        return words().stream().findFirst();
    }

    /** Refuses more words than a command can use. */
    void requireWords(int atMost) throws UsageException {
        if (words().size() > atMost) {
            throw new UsageException("unexpected argument '" + words().get(atMost) + "'");
        }
    }
}
