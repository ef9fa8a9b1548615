package io.nvmf.target.state;

import io.nvmf.codec.Crc32c;
import io.nvmf.codec.reservation.ReservationType;
import io.nvmf.target.reservation.ReservationState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A {@link NamespaceState} as the lines of a file.
 *
 * <pre>
 * nvmf4j namespace state 1
 * namespace UUID
 * persistent true|false
 * generation NUMBER
 * reservation TYPE HOLDER       TYPE 0: none; HOLDER a UUID or -
 * write-protected true|false
 * registrant HOSTID KEY         one line each, KEY of 16 hexadecimal digits
 * bad-blocks START END          one line each, END is the first behind them
 * crc32c DIGITS                 of all bytes before this line
 * </pre>
 *
 * <p>Files that begin with {@code nvmf4j reservations 1}, and have no lines of protection and bad blocks, are read, too.
 */
final class StateText {
    private static final String NAME = "nvmf4j namespace state ";
    private static final String HEADER = NAME + "1";
    private static final String RESERVATIONS_HEADER = "nvmf4j reservations 1";
    private static final String REGISTRANT = "registrant ";
    private static final int KEY_DIGITS = 16;
    private static final String NO_HOLDER = "-";

    /** The text is not what was written; the message says so of "it". */
    static final class DamagedException extends Exception {
        private static final long serialVersionUID = 1;

        DamagedException(String message) {
            super(message);
        }
    }

    /** The text was never written by this, or by another version; the message says so of "it". */
    static final class ForeignException extends Exception {
        private static final long serialVersionUID = 1;

        ForeignException(String message) {
            super(message);
        }
    }

    /** @param namespace whose state it is */
    record Content(UUID namespace, NamespaceState state) {}

    private StateText() {}

    static byte[] encode(Content content) {
        ReservationState state = content.state().reservations();
        StringBuilder text = new StringBuilder(HEADER + "\n");
        line(text, "namespace", content.namespace().toString());
        line(text, "persistent", Boolean.toString(state.persistent()));
        line(text, "generation", Long.toString(state.generation()));
        int type = state.type() == null ? 0 : state.type().number();
        String holder = state.holder() == null ? NO_HOLDER : state.holder().toString();
        line(text, "reservation", type + " " + holder);
        line(text, "write-protected", Boolean.toString(content.state().writeProtected()));
        state.keys()
                .forEach((host, key) ->
                        line(text, "registrant", host + " " + HexFormat.of().toHexDigits(key)));
        content.state().badBlocks().forEach(bad -> line(text, "bad-blocks", bad.start() + " " + bad.end()));
        byte[] before = text.toString().getBytes(StandardCharsets.US_ASCII);
        line(text, "crc32c", HexFormat.of().toHexDigits(crc(before, before.length)));
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static void line(StringBuilder text, String key, String value) {
        text.append(key).append(' ').append(value).append('\n');
    }

    private static int crc(byte[] bytes, int length) {
        return new Crc32c().of(bytes, 0, length);
    }

    static Content decode(byte[] bytes) throws DamagedException, ForeignException {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        Deque<String> lines = new ArrayDeque<>(text.lines().toList());
        String header = lines.isEmpty() ? "" : lines.remove();
        boolean isWhole = header.equals(HEADER);
        if (!isWhole && !header.equals(RESERVATIONS_HEADER)) {
            throw new ForeignException(
                    header.startsWith(NAME)
                            ? "is of a version that is not known here"
                            : "keeps no state of a namespace");
        }
        int crcAt = text.lastIndexOf("\ncrc32c ") + 1;
        String expected = "crc32c " + HexFormat.of().toHexDigits(crc(bytes, crcAt)) + "\n";
        if (!text.substring(crcAt).equals(expected)) {
            throw new DamagedException("its checksum does not match");
        }
        lines.removeLast();
        try {
            return parse(lines, isWhole);
        } catch (IllegalArgumentException e) {
            throw new DamagedException(e.getMessage());
        }
    }

    /**
     * @param lines between the first and the last; they are taken away
     * @throws IllegalArgumentException when a line says what cannot be
     */
    private static Content parse(Deque<String> lines, boolean isWhole) {
        UUID namespace = UUID.fromString(next(lines, "namespace"));
        boolean persistent = flag(next(lines, "persistent"));
        long generation = Integer.parseUnsignedInt(next(lines, "generation")) & 0xFFFF_FFFFL;
        String[] reservation = pair(next(lines, "reservation"));
        ReservationType type = reservation[0].equals("0") ? null : type(reservation[0]);
        UUID holder = reservation[1].equals(NO_HOLDER) ? null : UUID.fromString(reservation[1]);
        boolean writeProtected = isWhole && flag(next(lines, "write-protected"));
        Map<UUID, Long> keys = new LinkedHashMap<>();
        while (!lines.isEmpty() && (!isWhole || lines.element().startsWith(REGISTRANT))) {
            String[] registrant = pair(next(lines, "registrant"));
            keys.put(UUID.fromString(registrant[0]), key(registrant[1]));
        }
        List<BlockSpan> badBlocks = new ArrayList<>();
        while (!lines.isEmpty()) {
            String[] span = pair(next(lines, "bad-blocks"));
            badBlocks.add(new BlockSpan(Long.parseLong(span[0]), Long.parseLong(span[1])));
        }
        boolean oneHolder = type != null && !type.isHeldByAllRegistrants();
        boolean held = oneHolder ? keys.containsKey(holder) : holder == null && (type == null || !keys.isEmpty());
        if (!held) {
            throw new IllegalArgumentException("its registrants and its reservation cannot be");
        }
        ReservationState reservations = new ReservationState(generation, persistent, keys, type, holder);
        return new Content(namespace, new NamespaceState(reservations, writeProtected, badBlocks));
    }

    private static long key(String digits) {
        if (digits.length() != KEY_DIGITS) {
            throw new IllegalArgumentException("it has a key " + digits);
        }
        return HexFormat.fromHexDigitsToLong(digits);
    }

    private static ReservationType type(String number) {
        ReservationType type = ReservationType.of(Integer.parseInt(number));
        if (type == null) {
            throw new IllegalArgumentException("it has a reservation of type " + number);
        }
        return type;
    }

    private static boolean flag(String text) {
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException("it has '" + text + "' where there should be true or false");
        }
        return text.equals("true");
    }

    private static String[] pair(String text) {
        String[] parts = text.split(" ");
        if (parts.length != 2) {
            throw new IllegalArgumentException("it has '" + text + "' where there should be two words");
        }
        return parts;
    }

    private static String next(Deque<String> lines, String key) {
        String line = lines.isEmpty() ? "" : lines.remove();
        if (!line.startsWith(key + " ")) {
            throw new IllegalArgumentException("it has '" + line + "' where " + key + " should be");
        }
        return line.substring(key.length() + 1);
    }
}
