package io.nvmf.conformance;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.StatusNames;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.codec.tcp.TermReq;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawPdu;
import io.nvmf.initiator.raw.RawQueue;
import io.nvmf.initiator.raw.RawSocket;
import io.nvmf.initiator.raw.TcpQueue;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** Checks that belong together, and the words in which they are written. A new object for each check. */
public abstract class Suite {
    private Bench bench;

    final void attach(Bench used) {
        bench = used;
    }

    // ---- what there is

    protected final Bench bench() {
        return bench;
    }

    protected final Facts facts() {
        return bench.facts();
    }

    protected final int answerMs() {
        return bench.target().answerMs();
    }

    // ---- send

    /** A bare TCP connection. */
    protected final RawSocket socket() throws IOException {
        return bench.socket();
    }

    /** A TCP connection after ICReq and ICResp. */
    protected final TcpQueue tcp() throws IOException {
        return bench.tcp();
    }

    /** An enabled controller. */
    protected final Association associate() throws IOException {
        return bench.associate();
    }

    /** What Connect of an admin queue says, to be changed. */
    protected final ConnectSpec connect() {
        return bench.connectSpec();
    }

    /** Sends a command and waits for its answer. */
    protected final Answer execute(RawQueue queue, Sqe sqe, Payload payload) throws IOException {
        return bench.execute(queue, sqe, payload);
    }

    /** Sends a command without data and waits for its answer. */
    protected final Answer execute(RawQueue queue, Sqe sqe) throws IOException {
        return bench.execute(queue, sqe, Payload.NONE);
    }

    /** Data of an I/O command as hosts send it: in the capsule when it fits. */
    protected final Payload out(byte... data) {
        return data.length <= facts().inCapsuleBytes() ? Payload.inCapsule(data) : Payload.fetched(data);
    }

    /** So few blocks are more than fits a capsule, where the namespace has and a command may have so many. */
    protected final int fetchedBlocks() {
        long most = Math.min(facts().maxTransferBytes() / facts().blockBytes(), facts().blocks());
        return (int) Math.max(1, Math.min(facts().inCapsuleBytes() / facts().blockBytes() + 1, most));
    }

    // ---- expect

    protected final CheckFailure failure(String expected, Object got) {
        return new CheckFailure(expected, String.valueOf(got));
    }

    /** Fails unless the condition holds. */
    protected final void expect(boolean holds, String expected, Object got) {
        if (!holds) {
            throw failure(expected, got);
        }
    }

    protected final void expectEquals(Object expected, Object actual, String what) {
        if (!Objects.equals(expected, actual)) {
            throw failure(what + " " + expected, actual);
        }
    }

    protected final void expectEquals(long expected, long actual, String what) {
        if (expected != actual) {
            throw failure(what + " " + expected, actual);
        }
    }

    protected final Answer expectSuccess(Answer answer, String what) {
        return bench.expectSuccess(answer, what);
    }

    /** Fails unless the command was completed with one of these statuses, flags aside. */
    protected final Answer expectStatus(Answer answer, int... allowed) {
        boolean fits = answer.isCompleted() && Arrays.stream(allowed).anyMatch(status -> status == answer.status());
        expect(fits, "status " + names(allowed), answer);
        return answer;
    }

    private static String names(int... statuses) {
        return Arrays.stream(statuses).mapToObj(Suite::name).collect(Collectors.joining(" or "));
    }

    /** A status by its numbers, and by its name where it has the same for all commands. */
    private static String name(int status) {
        String name = StatusNames.name(status, StatusNames.Kind.ADMIN);
        String numbers = String.format(Locale.ROOT, "%d/%02Xh", Status.sct(status), Status.sc(status));
        return name.equals(StatusNames.UNKNOWN) ? numbers : numbers + " (" + name + ")";
    }

    /**
     * Waits until the target ends the connection, by a C2HTermReq with one of these FES first or without one. Anything else
     * that comes is a failure.
     *
     * @param fes none: any
     * @return the C2HTermReq, or null when it just closed
     */
    protected final RawPdu expectEnded(RawSocket socket, int... fes) throws IOException {
        RawPdu term = null;
        while (true) {
            // At first no longer than an answer takes: later a target ends what stands still, for which it need not see
            // a fault.
            long waitMs = term == null ? answerMs() : endMs();
            RawPdu pdu = socket.receive(waitMs);
            if (pdu == null) {
                expect(
                        socket.state() != RawSocket.State.OPEN,
                        "the end of the connection within " + waitMs + " ms",
                        term == null ? "neither a C2HTermReq nor the end" : "a C2HTermReq and then nothing");
                return term;
            }
            expect(pdu.is(PduType.C2H_TERM_REQ) && term == null, "a C2HTermReq or the end of the connection", pdu);
            term = pdu;
            int status = TermReq.status(pdu.header());
            expect(
                    fes.length == 0 || Arrays.stream(fes).anyMatch(allowed -> allowed == status),
                    "FES " + Arrays.stream(fes).mapToObj(Integer::toString).collect(Collectors.joining(" or ")),
                    pdu);
            // A target may wait for the host to go first, for up to 30 s.
            socket.shutdownOutput();
        }
    }

    /** How long the target may take to end a connection that it must end, in ms. */
    protected final long endMs() {
        return Math.max(answerMs(), 32_000);
    }

    /** Fails unless a new connection still gets to a controller that answers. */
    protected final void expectAlive() throws IOException {
        bench.trace().note("", "does a new connection still work?");
        if (bench.target().subsystemNqn().isEmpty()) {
            bench.queue(0, Association.DEPTH);
        } else {
            associate();
        }
    }

    /** Fails when the target has sent anything that it must not; every check ends with it. */
    final void expectNoBreaches() {
        for (RawQueue queue : bench.queues()) {
            if (!queue.breaches().isEmpty()) {
                throw failure("nothing that the specification does not allow", String.join("; ", queue.breaches()));
            }
        }
    }

    // ---- accept

    /** The target differs in a way that is known of others: the check goes on, and ends as a warning. */
    protected final void deviates(String what, String whoElse) {
        bench.deviates(what, whoElse);
    }

    // ---- skip

    protected final void skip(String reason) {
        throw new CheckSkipped(reason);
    }

    protected final void skipUnless(boolean holds, String reason) {
        if (!holds) {
            skip(reason);
        }
    }

    protected static void pause(long ms) throws IOException {
        Bench.pause(ms);
    }
}
