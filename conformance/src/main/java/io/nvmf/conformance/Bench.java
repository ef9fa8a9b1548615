package io.nvmf.conformance;

import io.nvmf.codec.Sqe;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.CmAnswer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import io.nvmf.initiator.raw.RawRdma;
import io.nvmf.initiator.raw.RawRdmaLoop;
import io.nvmf.initiator.raw.RawSocket;
import io.nvmf.initiator.raw.RdmaQueue;
import io.nvmf.initiator.raw.TcpQueue;
import io.nvmf.initiator.raw.Trace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What one check works with: the target, what it has said of itself, and the connections that the check opens, which end
 * with it. One thread, but for {@link #close}.
 */
public final class Bench implements AutoCloseable {
    /** A known way to differ from what a check expects. */
    public record Deviation(String what, String whoElse) {}

    /** RDMA READs that hosts usually let be outstanding. */
    public static final int RDMA_READS = 16;

    private final TargetUnderTest target;
    private final Facts facts;
    private final Trace trace = new Trace();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<RawQueue> queues = new ArrayList<>();
    private final List<Deviation> deviations = new ArrayList<>();
    private final Map<String, String> attachments = new LinkedHashMap<>();
    private RawRdmaLoop rdmaLoop;
    private int connections;
    private volatile boolean closed;

    /** @param facts null while they are gathered */
    Bench(TargetUnderTest target, Facts facts) {
        this.target = target;
        this.facts = facts;
    }

    public TargetUnderTest target() {
        return target;
    }

    /** What the target has said of itself; only in suites that need a subsystem. */
    public Facts facts() {
        return facts;
    }

    public Trace trace() {
        return trace;
    }

    List<RawQueue> queues() {
        return queues;
    }

    List<Deviation> deviations() {
        return deviations;
    }

    /** The target differs in a way that is known of others: the check goes on, and ends as a warning. */
    public void deviates(String what, String whoElse) {
        deviations.add(new Deviation(what, whoElse));
        trace.note("", "deviation: " + what);
    }

    /** Keeps a file that goes with the outcome: what is needed to see the same again. */
    public void attach(String fileName, String content) {
        attachments.put(fileName, content);
    }

    Map<String, String> attachments() {
        return attachments;
    }

    // ---- connections

    /** A TCP connection on which nothing was sent. */
    public RawSocket socket() throws IOException {
        return keep(new RawSocket(target.address(), target.answerMs(), trace, nextName()));
    }

    private String nextName() {
        connections++;
        return "c" + connections;
    }

    private synchronized <T extends AutoCloseable> T keep(T opened) throws IOException {
        if (closed) {
            closeQuietly(opened);
            throw new IOException("the check has taken too long");
        }
        open.add(opened);
        return opened;
    }

    /** A connection over TCP after ICReq and ICResp without digests, ready for Connect. */
    public TcpQueue tcp() throws IOException {
        return tcp(0, 0);
    }

    /** As {@link #tcp()}, with this alignment and these digests asked for; fails when they are refused. */
    public TcpQueue tcp(int hpda, int digests) throws IOException {
        return tcp(hpda, digests, 0);
    }

    /** The same, with so many R2Ts of a command at a time, zero based. */
    public TcpQueue tcp(int hpda, int digests, long maxR2tZeroBased) throws IOException {
        TcpQueue queue = new TcpQueue(socket());
        queues.add(queue);
        if (queue.initialize(hpda, digests, maxR2tZeroBased, target.answerMs()) == null) {
            throw new CheckFailure("an ICResp", endOf(queue.socket()));
        }
        return queue;
    }

    /** A connection over the transport under test, ready for Connect of this queue. */
    public RawQueue queue(int queueId, int depth) throws IOException {
        return switch (target.transport()) {
            case TCP -> tcp();
            case RDMA -> rdma(queueId, depth, RDMA_READS);
            default -> throw new CheckSkipped("there is no raw queue over " + target.transport());
        };
    }

    /** An RDMA connection that was not asked for yet. */
    public RawRdma rdmaConnection() throws IOException {
        if (rdmaLoop == null) {
            rdmaLoop = keep(new RawRdmaLoop(target.rdma()));
        }
        return keep(rdmaLoop.connection(target.address(), trace, nextName()));
    }

    /** A queue over RDMA whose connection was not asked for yet. */
    public RdmaQueue rdmaQueue(int queueId) throws IOException {
        RdmaQueue queue = new RdmaQueue(rdmaConnection(), queueId);
        queue.capsuleDataBytes(queueId == 0 || facts == null ? 0 : facts.inCapsuleBytes());
        queues.add(queue);
        return queue;
    }

    /** A connection over RDMA for this queue, ready for Connect; fails when it is refused. */
    public RdmaQueue rdma(int queueId, int depth, int reads) throws IOException {
        RdmaQueue queue = rdmaQueue(queueId);
        CmAnswer answer = queue.initialize(depth, reads, target.answerMs());
        if (!answer.isAccepted()) {
            throw new CheckFailure(
                    "an RDMA connection for queue " + queueId + " of " + depth + " entries", answer.toString());
        }
        return queue;
    }

    /** How a connection stands, in words. */
    static String endOf(RawSocket socket) {
        return switch (socket.state()) {
            case OPEN -> "nothing in time";
            case CLOSED -> "the end of the connection";
            case RESET -> "a reset of the connection";
        };
    }

    // ---- controllers

    /** What Connect of an admin queue says, to be changed. */
    public ConnectSpec connectSpec() {
        return new ConnectSpec(target, target.subsystemNqn());
    }

    /** The same for another subsystem. */
    public ConnectSpec connectSpec(String subsystemNqn) {
        return new ConnectSpec(target, subsystemNqn);
    }

    /** Sends Connect; the queue takes its depth when it succeeds. */
    public Answer connect(RawQueue queue, ConnectSpec spec) throws IOException {
        Answer answer = execute(queue, spec.sqe(), spec.payload());
        if (answer.isSuccess()) {
            queue.connected(spec.depth(), spec.usesFlowControl());
        }
        return answer;
    }

    /** A controller of the subsystem under test, enabled. */
    public Association associate() throws IOException {
        return associate(connectSpec()).enable();
    }

    /** A controller, not yet enabled. */
    public Association associate(ConnectSpec spec) throws IOException {
        return associate(queue(0, spec.depth()), spec);
    }

    /** A controller whose admin queue is to be this one, not yet enabled. */
    public Association associate(RawQueue admin, ConnectSpec spec) throws IOException {
        return new Association(this, admin, spec).connect();
    }

    // ---- commands

    /** Sends a command and waits for what becomes of it, as long as answers may take. */
    public Answer execute(RawQueue queue, Sqe sqe, Payload payload) throws IOException {
        return queue.execute(sqe, payload, target.answerMs());
    }

    /** The same answer; fails unless it is a success. */
    public Answer expectSuccess(Answer answer, String what) {
        if (!answer.isSuccess()) {
            throw new CheckFailure("success of " + what, answer.toString());
        }
        return answer;
    }

    static void pause(long ms) throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Ends all connections; what waits for them fails. Any thread. */
    @Override
    public synchronized void close() {
        closed = true;
        // What was opened first others stand on.
        for (int i = open.size() - 1; i >= 0; i--) {
            closeQuietly(open.get(i));
        }
        open.clear();
    }

    private static void closeQuietly(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            throw new IllegalStateException("a connection does not close", e);
        }
    }
}
