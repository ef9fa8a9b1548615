package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.codec.fabrics.FabricsType;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.ConnectSpec;
import io.nvmf.conformance.Suite;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** What suites about controllers and their queues have in common. */
abstract class FabricsSuite extends Suite {
    // ---- send

    /** An enabled controller that has I/O queues. */
    final Association associateForIo() throws IOException {
        skipUnless(!facts().isDiscovery(), "a discovery controller has no I/O queues");
        return associate();
    }

    /** Connect of an admin queue over a new connection, whatever becomes of it. */
    final Answer tryConnect(ConnectSpec spec) throws IOException {
        return bench().connect(bench().queue(0, Association.DEPTH), spec);
    }

    /** Connect of an I/O queue over a new connection, whatever becomes of it. */
    final Answer tryConnect(int queueId, ConnectSpec spec) throws IOException {
        return bench().connect(bench().queue(queueId, Association.DEPTH), spec);
    }

    /** Connect as another host than that under test, with names that follow from the seed. */
    final ConnectSpec connectAsOther(int number) {
        UUID id = new UUID(bench().target().seed(), number);
        return connect().hostId(id).hostNqn("nqn.2014-08.org.nvmexpress:uuid:" + id);
    }

    /** Property Get of any offset. @param attributes ATTRIB: 0 for 4 bytes, 1 for 8 */
    static Sqe propertyGet(int offset, int attributes) {
        Sqe sqe = Sqe.allocate();
        PropertyCommand.encodeGet(sqe, Property.CAP);
        return property(sqe, offset, attributes);
    }

    /** Property Set of any offset. @param attributes ATTRIB: 0 for 4 bytes, 1 for 8 */
    static Sqe propertySet(int offset, int attributes, long value) {
        Sqe sqe = Sqe.allocate();
        PropertyCommand.encodeSet(sqe, Property.CAP, value);
        return property(sqe, offset, attributes);
    }

    private static Sqe property(Sqe sqe, int offset, int attributes) {
        sqe.buffer().put(PropertyCommand.ATTRIBUTES_OFFSET, (byte) attributes);
        sqe.buffer().putInt(PropertyCommand.PROPERTY_OFFSET_OFFSET, offset);
        return sqe;
    }

    /** A fabrics command of this FCTYPE, its own fields zero. */
    static Sqe fabrics(int type) {
        return Sqe.allocate().clear(Opcode.FABRICS).fabricsType(type);
    }

    /** Disconnect. */
    static Sqe disconnect() {
        return fabrics(FabricsType.DISCONNECT);
    }

    /** Keep Alive. */
    static Sqe keepAlive() {
        return Sqe.allocate().clear(Opcode.Admin.KEEP_ALIVE);
    }

    /** The current value of a feature, which must be had. */
    final long feature(Association association, int featureId) throws IOException {
        Sqe sqe = FeaturesCommand.encodeGet(Sqe.allocate(), featureId, FeaturesCommand.SELECT_CURRENT);
        return expectSuccess(association.admin(sqe), "Get Features " + hex(featureId))
                .dw0();
    }

    /** Set Features, whatever becomes of it. */
    static Answer setFeature(Association association, int featureId, long value) throws IOException {
        return association.admin(FeaturesCommand.encodeSet(Sqe.allocate(), featureId, value));
    }

    /** Flush of the namespace under test: every I/O queue answers it, and nothing changes. */
    final Answer flush(RawQueue io) throws IOException {
        return execute(io, flush());
    }

    /** Flush of the namespace under test. */
    final Sqe flush() {
        return Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(Math.max(1, facts().nsid()));
    }

    // ---- expect

    /** Fails unless a flush is served; without a namespace it may be refused, but must be answered. */
    final void expectServes(RawQueue io) throws IOException {
        Answer answer = flush(io);
        boolean served = facts().nsid() == 0 ? answer.isCompleted() : answer.isSuccess();
        expect(served, "success of Flush on " + io.name(), answer);
    }

    /** Fails when an I/O queue still does what it is told. */
    final void expectServesNot(RawQueue io, String since) throws IOException {
        Answer answer = flush(io);
        expect(
                answer.kind() != Answer.Kind.SILENCE && !answer.isSuccess(),
                "an error or the end of the connection for an I/O command " + since,
                answer);
    }

    /** Fails unless Connect was refused with Invalid Parameters that name a field. */
    final void expectInvalid(Answer answer, boolean inData, int offset) {
        expectStatus(answer, Status.CONNECT_INVALID_PARAMETERS);
        expect(
                ConnectResponse.isInData(answer.dw0()) == inData
                        && ConnectResponse.invalidOffset(answer.dw0()) == offset,
                "IPO " + offset + " in the " + (inData ? "data" : "command"),
                "IPO " + ConnectResponse.invalidOffset(answer.dw0()) + " in the "
                        + (ConnectResponse.isInData(answer.dw0()) ? "data" : "command"));
    }

    /** Whether the target ends the connection within this time; what comes until then is taken in. */
    static boolean endsWithin(RawQueue queue, long timeoutMs) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        long leftMs = timeoutMs;
        while (queue.isOpen() && leftMs > 0) {
            queue.pump(leftMs);
            leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        }
        return !queue.isOpen();
    }

    static String hex(long value) {
        return Long.toHexString(value).toUpperCase(Locale.ROOT) + "h";
    }
}
