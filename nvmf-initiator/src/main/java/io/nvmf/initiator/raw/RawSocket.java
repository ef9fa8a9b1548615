package io.nvmf.initiator.raw;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.tcp.PduHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A TCP connection to a target: sends any bytes and cuts what comes into PDUs by PLEN alone. Blocking; one thread at a time,
 * but for {@link #close}, which any thread may call and which ends what waits.
 */
public final class RawSocket implements AutoCloseable {
    /** A PDU that claims to be longer than this ends the connection: nobody asked for so much. */
    public static final int MAX_PDU_BYTES = 64 << 20;

    private static final int READ_BYTES = 64 << 10;

    /** How the connection stands. */
    public enum State {
        OPEN,
        /** The target has closed it. */
        CLOSED,
        /** The target, or the network, has reset it. */
        RESET
    }

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final Trace trace;
    private final String name;
    private byte[] buffer = new byte[READ_BYTES];
    private int filled;
    private ByteArrayOutputStream held;
    private State state = State.OPEN;

    /**
     * Connects.
     *
     * @param name what the trace calls this connection
     * @throws IOException when there is no connection in time
     */
    public RawSocket(InetSocketAddress address, int timeoutMs, Trace trace, String name) throws IOException {
        this.trace = trace;
        this.name = name;
        socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(address, timeoutMs);
            in = socket.getInputStream();
            out = socket.getOutputStream();
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    public Trace trace() {
        return trace;
    }

    /** What the trace calls this connection. */
    public String name() {
        return name;
    }

    // ---- sending

    /** Sends a PDU; when the target has ended the connection nothing is thrown, and {@link #receive} shows it. */
    public void send(RawPdu pdu) throws IOException {
        trace.sent(name, pdu);
        write(pdu.bytes(), 0, pdu.bytes().length);
    }

    public void send(PduBuilder pdu) throws IOException {
        send(pdu.build());
    }

    /** Sends PDUs with one write, so that they may travel together. */
    public void send(List<RawPdu> pdus) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (RawPdu pdu : pdus) {
            trace.sent(name, pdu);
            all.writeBytes(pdu.bytes());
        }
        write(all.toByteArray(), 0, all.size());
    }

    /** Sends bytes that are no PDU, or not a whole one. */
    public void sendBytes(byte[] bytes, String what) throws IOException {
        trace.add(name, Trace.Direction.SENT, bytes.length + " bytes: " + what, bytes);
        write(bytes, 0, bytes.length);
    }

    /** Sends a PDU in pieces that end at these offsets, with a pause between them so that they travel apart. */
    public void sendSplit(RawPdu pdu, int pauseMs, int... offsets) throws IOException {
        hold();
        send(pdu);
        release(pauseMs, offsets);
    }

    /** Keeps what is sent from now on until {@link #release}, so that it travels together, or in other pieces. */
    public void hold() {
        held = new ByteArrayOutputStream();
    }

    /** Sends what was held, in pieces that end at these offsets, with a pause between them so that they travel apart. */
    public void release(int pauseMs, int... offsets) throws IOException {
        byte[] bytes = held.toByteArray();
        held = null;
        trace.note(name, "now these " + bytes.length + " bytes are sent, cut at " + Arrays.toString(offsets));
        int from = 0;
        for (int to : offsets) {
            write(bytes, from, to);
            pause(pauseMs);
            from = to;
        }
        write(bytes, from, bytes.length);
    }

    private void write(byte[] bytes, int from, int to) throws IOException {
        if (held != null) {
            held.write(bytes, from, to - from);
            return;
        }
        if (state != State.OPEN || to == from) {
            return;
        }
        try {
            out.write(bytes, from, to - from);
        } catch (IOException e) {
            if (socket.isClosed()) {
                throw e;
            }
            // What the target said before it went may still be there to be read.
            trace.note(name, "not all could be sent: " + e.getMessage());
        }
    }

    private static void pause(int ms) throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Ends this half: the target sees that nothing more comes. */
    public void shutdownOutput() throws IOException {
        trace.note(name, "our half is closed");
        socket.shutdownOutput();
    }

    /** Ends the connection so that the target sees a reset. */
    public void reset() throws IOException {
        trace.note(name, "reset by us");
        socket.setSoLinger(true, 0);
        socket.close();
    }

    // ---- receiving

    /**
     * The next whole PDU.
     *
     * @return null when none came within the time, or the connection is over: {@link #state} tells which
     */
    public RawPdu receive(long timeoutMs) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (true) {
            RawPdu pdu = cut();
            if (pdu != null) {
                trace.received(name, pdu);
                return pdu;
            }
            if (state != State.OPEN || !fill(deadline - System.nanoTime())) {
                return null;
            }
        }
    }

    /** How the connection stands, as far as was read. */
    public State state() {
        return state;
    }

    private RawPdu cut() throws IOException {
        if (filled < PduHeader.BYTES) {
            return null;
        }
        long length = Bytes.u32(ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN), PduHeader.PLEN_OFFSET);
        if (length < PduHeader.BYTES || length > MAX_PDU_BYTES) {
            String head = new RawPdu(Arrays.copyOf(buffer, Math.min(filled, PduHeader.MAX_BYTES))).toString();
            throw new IOException("what came is no PDU: PLEN " + length + " (" + head + ")");
        }
        if (length > filled) {
            if (length > buffer.length) {
                buffer = Arrays.copyOf(buffer, (int) length + READ_BYTES);
            }
            return null;
        }
        RawPdu pdu = new RawPdu(Arrays.copyOf(buffer, (int) length));
        filled -= (int) length;
        System.arraycopy(buffer, (int) length, buffer, 0, filled);
        return pdu;
    }

    /** Reads once, what is there already when there is no time; false when nothing came in time. */
    private boolean fill(long nanos) throws IOException {
        if (nanos <= 0 && in.available() == 0) {
            return false;
        }
        socket.setSoTimeout((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
        try {
            int read = in.read(buffer, filled, buffer.length - filled);
            if (read < 0) {
                over(State.CLOSED, "closed by the target");
            } else {
                filled += read;
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            if (socket.isClosed()) {
                throw e;
            }
            over(State.RESET, "reset: " + e.getMessage());
            return true;
        }
    }

    private void over(State how, String note) {
        state = how;
        trace.note(name, note);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed all the same.
            trace.note(name, e.getMessage());
        }
    }
}
