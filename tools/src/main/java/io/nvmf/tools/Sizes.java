package io.nvmf.tools;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: {@code 4096}, {@code 512k}, {@code 10m}, {@code 2g}, {@code 1t}; powers of 1024. */
public final class Sizes {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,19})([kmgt]?)");
    private static final String SUFFIXES = "kmgt";
    private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

    private Sizes() {}

    /**
     * Bytes that a text stands for.
     *
     * @param what names the value in the error: {@code --length}
     * @throws CommandException if it is no size, or more than 2^63 - 1 bytes
     */
    public static long parse(String what, String text) throws CommandException {
        Matcher matcher = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new CommandException(
                    what + " '" + text + "' is not a number of bytes, write it as 4096, 512k, 10m or 2g");
        }
        int shift = 10 * (SUFFIXES.indexOf(matcher.group(2)) + 1);
        if (matcher.group(2).isEmpty()) {
            shift = 0;
        }
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
        } catch (ArithmeticException | NumberFormatException e) {
            throw new CommandException(what + " '" + text + "' is larger than any device can be", e);
        }
    }

    /** As {@link #parse}, for what must fit an {@code int}. */
    public static int parseInt(String what, String text) throws CommandException {
        long size = parse(what, text);
        if (size > Integer.MAX_VALUE) {
            throw new CommandException(what + " '" + text + "' is more than 2147483647 bytes");
        }
        return (int) size;
    }

    /** For people: {@code 10 GiB}, {@code 1.5 MiB}, {@code 100 bytes}. */
    public static String format(long bytes) {
        int unit = 0;
        double value = bytes;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        String number = value == Math.rint(value)
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.1f", value);
        return number + " " + UNITS[unit];
    }
}
