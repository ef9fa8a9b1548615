package io.nvmf.conformance.report;

import io.nvmf.conformance.CheckCase;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.Outcome;
import io.nvmf.conformance.RunOptions;
import io.nvmf.initiator.raw.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Outcomes and numbers in words that all reports share. */
final class Words {
    private static final int HEX_LINE_BYTES = 16;
    private static final HexFormat HEX = HexFormat.ofDelimiter(" ").withUpperCase();
    private static final String REPEATED = " ".repeat(20) + "*";

    private Words() {}

    /**
     * Text from elsewhere, a target for one, made harmless: what does not print, changes the direction of writing, or is no
     * character at all becomes {@code \x1B} or {@code \u202E}. The result is one line, and all of it may stand in XML.
     */
    static String printable(String text) {
        StringBuilder printable = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (isPrintable(c)) {
                printable.appendCodePoint(c);
            } else {
                printable.append(String.format(Locale.ROOT, c < 0x100 ? "\\x%02X" : "\\u%04X", c));
            }
        });
        return printable.toString();
    }

    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.1f s", millis / 1e3);
    }

    static String hex(long value) {
        return String.format(Locale.ROOT, "%016Xh", value);
    }

    /** VS: {@code 2.0.0}. */
    static String version(long version) {
        return (version >>> 16 & 0xFFFF) + "." + (version >>> 8 & 0xFF) + "." + (version & 0xFF);
    }

    /** What {@code --level} was. */
    static String lowest(RunOptions options) {
        return options.lowest() == Level.INFO ? "all" : options.lowest().label();
    }

    /** {@code must}, and what must be allowed for it. */
    static String level(CheckCase check) {
        String needs = Arrays.stream(check.check().needs())
                .map(Needs::option)
                .map(option -> " --" + option)
                .collect(Collectors.joining());
        return check.check().level().label() + (needs.isEmpty() ? "" : "; needs" + needs);
    }

    /** What the check is about, and of a failure what was sent, expected and got; a line each, harmless. */
    static List<String> details(Outcome outcome) {
        List<String> lines = new ArrayList<>();
        add(lines, "check", outcome.check().check().says());
        add(lines, "source", outcome.check().check().source());
        add(lines, "level", level(outcome.check()));
        if (outcome.expected().isEmpty()) {
            add(lines, "reason", outcome.reason());
        }
        add(lines, "sent", outcome.sent());
        add(lines, "expected", outcome.expected());
        add(lines, "got", outcome.got());
        return lines;
    }

    private static void add(List<String> lines, String name, String value) {
        if (!value.isEmpty()) {
            lines.add(String.format(Locale.ROOT, "%-8s  %s", name, printable(value)));
        }
    }

    /** Lines of a trace, harmless, and below each its first bytes. */
    static List<String> traceWithBytes(List<Trace.Line> trace) {
        List<String> lines = new ArrayList<>();
        for (Trace.Line line : trace) {
            lines.add(printable(line.toString()));
            lines.addAll(hexDump(line.bytes()));
        }
        return lines;
    }

    /** Of lines that are alike the first is there, and a star for the others. */
    private static List<String> hexDump(byte[] bytes) {
        List<String> lines = new ArrayList<>();
        String last = "";
        for (int at = 0; at < bytes.length; at += HEX_LINE_BYTES) {
            int end = Math.min(bytes.length, at + HEX_LINE_BYTES);
            String hex = HEX.formatHex(bytes, at, end);
            if (!hex.equals(last) || end == bytes.length) {
                lines.add(String.format(Locale.ROOT, "%20s%04X: %s", "", at, hex));
            } else if (!lines.get(lines.size() - 1).equals(REPEATED)) {
                lines.add(REPEATED);
            }
            last = hex;
        }
        return lines;
    }
}
