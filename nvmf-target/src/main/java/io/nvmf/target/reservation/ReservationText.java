package io.nvmf.target.reservation;

import io.nvmf.codec.Crc32c;
import io.nvmf.codec.reservation.ReservationType;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A {@link ReservationState} as the lines of a file.
 *
 * <pre>
 * nvmf4j reservations 1
 * namespace UUID
 * persistent true|false
 * generation NUMBER
 * reservation TYPE HOLDER       TYPE 0: none; HOLDER a UUID or -
 * registrant HOSTID KEY         one line each, KEY of 16 hexadecimal digits
 * crc32c DIGITS                 of all bytes before this line
 * </pre>
 */
final class ReservationText {
    private static final String HEADER = "nvmf4j reservations 1";
    private static final int FIXED_LINES = 6;
    private static final int KEY_DIGITS = 16;
    private static final String NO_HOLDER = "-";

    /** The text is not what was written. */
    static final class DamagedException extends Exception {
        private static final long serialVersionUID = 1;

        DamagedException(String message) {
            super(message);
        }
    }

    /** @param namespace whose state it is */
    record Content(UUID namespace, ReservationState state) {}

    private ReservationText() {}

    static byte[] encode(Content content) {
        ReservationState state = content.state();
        StringBuilder text = new StringBuilder(HEADER + "\n");
        line(text, "namespace", content.namespace().toString());
        line(text, "persistent", Boolean.toString(state.persistent()));
        line(text, "generation", Long.toString(state.generation()));
        int type = state.type() == null ? 0 : state.type().number();
        String holder = state.holder() == null ? NO_HOLDER : state.holder().toString();
        line(text, "reservation", type + " " + holder);
        state.keys()
                .forEach((host, key) ->
                        line(text, "registrant", host + " " + HexFormat.of().toHexDigits(key)));
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

    static Content decode(byte[] bytes) throws DamagedException {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        List<String> lines = text.lines().toList();
        if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
            throw new DamagedException("it does not begin with '" + HEADER + "'");
        }
        int crcAt = text.lastIndexOf("\ncrc32c ") + 1;
        String expected = "crc32c " + HexFormat.of().toHexDigits(crc(bytes, crcAt)) + "\n";
        if (lines.size() < FIXED_LINES || !text.substring(crcAt).equals(expected)) {
            throw new DamagedException("its checksum does not match");
        }
        try {
            return parse(lines);
        } catch (IllegalArgumentException e) {
            throw new DamagedException(e.getMessage());
        }
    }

    /** @throws IllegalArgumentException when a line says what cannot be */
    private static Content parse(List<String> lines) {
        UUID namespace = UUID.fromString(value(lines.get(1), "namespace"));
        boolean persistent = Boolean.parseBoolean(value(lines.get(2), "persistent"));
        long generation = Integer.parseUnsignedInt(value(lines.get(3), "generation")) & 0xFFFF_FFFFL;
        String[] reservation = pair(value(lines.get(4), "reservation"));
        ReservationType type = reservation[0].equals("0") ? null : type(reservation[0]);
        UUID holder = reservation[1].equals(NO_HOLDER) ? null : UUID.fromString(reservation[1]);
        Map<UUID, Long> keys = new LinkedHashMap<>();
        for (String line : lines.subList(FIXED_LINES - 1, lines.size() - 1)) {
            String[] registrant = pair(value(line, "registrant"));
            keys.put(UUID.fromString(registrant[0]), key(registrant[1]));
        }
        boolean oneHolder = type != null && !type.isHeldByAllRegistrants();
        boolean held = oneHolder ? keys.containsKey(holder) : holder == null && (type == null || !keys.isEmpty());
        if (!held || keys.size() > ReservationRules.MAX_REGISTRANTS) {
            throw new IllegalArgumentException("its registrants and its reservation cannot be");
        }
        return new Content(namespace, new ReservationState(generation, persistent, keys, type, holder));
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

    private static String[] pair(String text) {
        String[] parts = text.split(" ");
        if (parts.length != 2) {
            throw new IllegalArgumentException("it has '" + text + "' where there should be two words");
        }
        return parts;
    }

    private static String value(String line, String key) {
        if (!line.startsWith(key + " ")) {
            throw new IllegalArgumentException("it has '" + line + "' where " + key + " should be");
        }
        return line.substring(key.length() + 1);
    }
}
