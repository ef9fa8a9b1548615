package io.nvmf.tools.output;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Locale;

/** Bytes for people, sixteen a line, as hexadecimal numbers and as characters. */
public final class HexDump {
    private static final int LINE_BYTES = 16;

    private HexDump() {}

    /** All bytes of a buffer as hexadecimal digits without anything between them. */
    public static String line(ByteBuffer data) {
        byte[] bytes = new byte[data.capacity()];
        data.get(0, bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Prints all bytes of a buffer, from 0 to its capacity. */
    public static void print(PrintStream out, ByteBuffer data) {
        StringBuilder line = new StringBuilder("     ");
        for (int i = 0; i < LINE_BYTES; i++) {
            line.append(String.format(Locale.ROOT, " %2x", i));
        }
        out.println(line);
        for (int at = 0; at < data.capacity(); at += LINE_BYTES) {
            line.setLength(0);
            line.append(String.format(Locale.ROOT, "%04x:", at));
            StringBuilder characters = new StringBuilder();
            for (int i = at; i < at + LINE_BYTES; i++) {
                if (i < data.capacity()) {
                    byte value = data.get(i);
                    line.append(String.format(Locale.ROOT, " %02x", value));
                    characters.append(value >= ' ' && value < 0x7F ? (char) value : '.');
                } else {
                    line.append("   ");
                }
            }
            out.println(line.append(" \"").append(characters).append('"'));
        }
    }
}
