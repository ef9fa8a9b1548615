package io.nvmf.conformance.fuzz;

import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.PduHeader;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.R2T;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Bench;
import io.nvmf.conformance.CheckFailure;
import io.nvmf.initiator.raw.RawPdu;
import io.nvmf.initiator.raw.RawSocket;
import io.nvmf.initiator.raw.TcpQueue;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Plays cases against the target, over TCP: each command must be completed unless the target ends the connection, and what
 * comes must be PDUs that a controller sends. A connection serves many cases while it lasts.
 */
public final class FuzzPlayer implements AutoCloseable {
    private static final int CASES_A_CONNECTION = 32;
    /** How long to look for what comes after PDUs that need no answer. */
    private static final int LISTEN_MS = 5;
    /** What an R2T may ask for before nobody can have meant it. */
    private static final long MOST_FETCHED_BYTES = 16 << 20;

    private final Bench bench;
    private Association association;
    private TcpQueue queue;
    private int played;

    public FuzzPlayer(Bench bench) {
        this.bench = bench;
    }

    /**
     * Plays one case.
     *
     * @throws CheckFailure when the target does what it must not
     */
    public void play(FuzzCase fuzz) throws IOException {
        RawSocket socket = open(fuzz.kind());
        Set<Integer> outstanding = new HashSet<>();
        for (byte[] pdu : fuzz.pdus()) {
            RawPdu sent = new RawPdu(pdu);
            socket.send(sent);
            if (fuzz.kind().isAnswered()) {
                outstanding.add(sent.command().commandId());
            }
        }
        if (!fuzz.kind().isAnswered()) {
            listen(socket);
            close();
            return;
        }
        long deadline =
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(bench.target().answerMs());
        while (!outstanding.isEmpty() && socket.state() == RawSocket.State.OPEN) {
            RawPdu pdu = socket.receive(Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            if (pdu != null) {
                take(socket, pdu, outstanding);
            } else if (socket.state() == RawSocket.State.OPEN) {
                throw new CheckFailure("a completion of every command", "none of CIDs " + outstanding);
            }
        }
    }

    private void listen(RawSocket socket) throws IOException {
        for (RawPdu pdu = socket.receive(LISTEN_MS); pdu != null; pdu = socket.receive(LISTEN_MS)) {
            controllerType(pdu);
        }
    }

    private static PduType controllerType(RawPdu pdu) {
        PduType type = pdu.type();
        if (type == null || type.direction() != PduType.Direction.C2H) {
            throw new CheckFailure("a PDU that a controller sends", pdu.toString());
        }
        return type;
    }

    private void take(RawSocket socket, RawPdu pdu, Set<Integer> outstanding) throws IOException {
        switch (controllerType(pdu)) {
            case CAPSULE_RESP -> answered(pdu, pdu.completion().commandId(), outstanding);
            case C2H_DATA -> {
                int commandId = pdu.u16(DataPdu.COMMAND_ID_OFFSET);
                if (pdu.has(PduHeader.SUCCESS)) {
                    answered(pdu, commandId, outstanding);
                } else if (!outstanding.contains(commandId)) {
                    throw new CheckFailure("data of a command that is outstanding", pdu.toString());
                }
            }
            case R2T -> {
                long length = pdu.u32(R2T.LENGTH_OFFSET);
                if (length == 0 || length > MOST_FETCHED_BYTES) {
                    throw new CheckFailure("an R2T of 1 to " + MOST_FETCHED_BYTES + " bytes", pdu.toString());
                }
                queue.answer(pdu, new byte[(int) (pdu.u32(R2T.OFFSET_OFFSET) + length)]);
            }
            case C2H_TERM_REQ -> socket.shutdownOutput();
            default -> throw new CheckFailure("an answer to a command", pdu.toString());
        }
    }

    private static void answered(RawPdu pdu, int commandId, Set<Integer> outstanding) {
        if (!outstanding.remove(commandId)) {
            throw new CheckFailure("one completion for each command", pdu.toString());
        }
    }

    // ---- connections

    private RawSocket open(FuzzKind kind) throws IOException {
        played++;
        if (queue != null && (!queue.isOpen() || played % CASES_A_CONNECTION == 0 || isReset())) {
            close();
        }
        if (queue == null) {
            connect(kind);
        }
        return queue.socket();
    }

    /** Whether the admin queue of an I/O queue's controller is gone. */
    private boolean isReset() throws IOException {
        return association != null
                && association.admin() != queue
                && (association.admin().pump(0) || !association.admin().isOpen());
    }

    private void connect(FuzzKind kind) throws IOException {
        switch (kind.stage()) {
            case FRESH -> queue = new TcpQueue(bench.socket());
            case INITIALIZED -> queue = bench.tcp();
            case ADMIN -> {
                association = bench.associate();
                queue = (TcpQueue) association.admin();
            }
            case IO -> {
                association = bench.associate();
                queue = (TcpQueue) association.io();
            }
        }
    }

    /** Ends the connections, if there are any. */
    @Override
    public void close() {
        if (association != null) {
            association.admin().close();
        }
        if (queue != null) {
            queue.close();
        }
        association = null;
        queue = null;
    }
}
