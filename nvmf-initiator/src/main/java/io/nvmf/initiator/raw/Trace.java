package io.nvmf.initiator.raw;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * What went over the connections of one purpose, decoded, in order. Bounded: the middle of a long one is left out. Thread
 * safe.
 */
public final class Trace {
    private static final int FIRST_LINES = 40;
    private static final int LAST_LINES = 160;
    /** So much of a PDU is kept as bytes. */
    private static final int SHOWN_BYTES = 160;

    /** Who did it, towards whom. */
    public enum Direction {
        SENT("->"),
        RECEIVED("<-"),
        NOTE("--");

        private final String arrow;

        Direction(String arrow) {
            this.arrow = arrow;
        }
    }

    /**
     * One line.
     *
     * @param micros since the trace began
     * @param connection which connection, as the trace's owner calls it
     * @param text what it was, in words
     * @param bytes its first bytes; empty for a note
     */
    public record Line(long micros, String connection, Direction direction, String text, byte[] bytes) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%9.3f ms %s %s %s", micros / 1e3, connection, direction.arrow, text);
        }
    }

    private final long startNanos = System.nanoTime();
    private final List<Line> first = new ArrayList<>();
    private final Deque<Line> last = new ArrayDeque<>();
    private int leftOut;

    public void sent(String connection, RawPdu pdu) {
        add(connection, Direction.SENT, pdu.toString(), pdu.bytes());
    }

    public void received(String connection, RawPdu pdu) {
        add(connection, Direction.RECEIVED, pdu.toString(), pdu.bytes());
    }

    public void note(String connection, String text) {
        add(connection, Direction.NOTE, text, new byte[0]);
    }

    /** Any line; of the bytes the first are kept. */
    public synchronized void add(String connection, Direction direction, String text, byte[] bytes) {
        long micros = (System.nanoTime() - startNanos) / 1000;
        byte[] shown = bytes.length <= SHOWN_BYTES ? bytes : Arrays.copyOf(bytes, SHOWN_BYTES);
        Line line = new Line(micros, connection, direction, text, shown);
        if (first.size() < FIRST_LINES) {
            first.add(line);
            return;
        }
        last.add(line);
        if (last.size() > LAST_LINES) {
            last.removeFirst();
            leftOut++;
        }
    }

    /** All that is kept, with a line that says how much is not. */
    public synchronized List<Line> lines() {
        List<Line> lines = new ArrayList<>(first);
        if (leftOut > 0) {
            lines.add(new Line(
                    first.get(first.size() - 1).micros(),
                    "",
                    Direction.NOTE,
                    leftOut + " lines left out",
                    new byte[0]));
        }
        lines.addAll(last);
        return lines;
    }

    /** The last line of this direction, or null. */
    public synchronized Line last(Direction direction) {
        List<Line> lines = lines();
        for (int i = lines.size() - 1; i >= 0; i--) {
            if (lines.get(i).direction() == direction) {
                return lines.get(i);
            }
        }
        return null;
    }
}
