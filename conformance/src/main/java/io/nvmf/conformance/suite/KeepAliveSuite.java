package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** The keep alive timer. Targets round timeouts up, so that what is waited for is what they say they use. */
@SuiteName("FABRICS.KEEPALIVE")
public final class KeepAliveSuite extends FabricsSuite {
    private static final String KEEP_ALIVE = "NVMe Base 2.0 s3.9";
    private static final String FEATURE = "NVMe Base 2.0 s5.27.1.12";
    private static final int SHORT_MS = 1_000;
    private static final int LONG_MS = 60_000;
    /** No check waits for timeouts that are longer. */
    private static final int LONGEST_MS = 15_000;
    /** So much later than it must the end of an association is still taken for the work of the timer. */
    private static final int SLACK_MS = 10_000;

    private static final int IDLE_MS = 60_000;
    private static final int READ_BYTES = 64 << 10;

    // ---- the timeout

    @Check(says = "Connect with KATO 1: accepted, and the timeout in effect is not shorter", source = KEEP_ALIVE)
    void oneMillisecond() throws IOException {
        expectEffective(1);
    }

    @Check(says = "Connect with KATO 1000: accepted, and the timeout in effect is not shorter", source = KEEP_ALIVE)
    void oneSecond() throws IOException {
        expectEffective(1_000);
    }

    @Check(says = "Connect with KATO 5001: accepted, and the timeout in effect is not shorter", source = KEEP_ALIVE)
    void uneven() throws IOException {
        expectEffective(5_001);
    }

    private void expectEffective(long askedMs) throws IOException {
        long effectiveMs = feature(associate(askedMs), FeatureId.KEEP_ALIVE_TIMER);
        expect(effectiveMs >= askedMs, "a timeout of at least " + askedMs + " ms", effectiveMs + " ms");
    }

    private Association associate(long keepAliveTimeoutMs) throws IOException {
        return bench().associate(connect().keepAliveTimeoutMs(keepAliveTimeoutMs))
                .enable();
    }

    @Check(says = "Connect with KATO 0: Get Features says 0", source = FEATURE, level = Level.SHOULD)
    void off() throws IOException {
        expectEquals(0, feature(associate(0), FeatureId.KEEP_ALIVE_TIMER), "a timeout of");
    }

    @Check(
            says = "Connect with KATO FFFFFFFFh: accepted, and not taken for a short one",
            source = KEEP_ALIVE,
            level = Level.ROBUST,
            seconds = 5)
    void longest() throws IOException {
        Association association = associate(0xFFFF_FFFFL);
        expect(!endsWithin(association.admin(), 4_000), "a connection that stays", "its end within 4 s");
        expectSuccess(association.admin(keepAlive()), "Keep Alive");
    }

    @Check(says = "Set Features 0Fh: the timeout is no shorter than asked for", source = FEATURE, level = Level.SHOULD)
    void change() throws IOException {
        Association association = associate(LONG_MS);
        expectSuccess(setFeature(association, FeatureId.KEEP_ALIVE_TIMER, 2 * LONG_MS), "Set Features 0Fh");
        long effectiveMs = feature(association, FeatureId.KEEP_ALIVE_TIMER);
        expect(effectiveMs >= 2 * LONG_MS, "a timeout of at least " + 2 * LONG_MS + " ms", effectiveMs + " ms");
    }

    @Check(says = "Set Features 0Fh to 0: off, or Keep Alive Timeout Invalid", source = FEATURE, level = Level.SHOULD)
    void switchOff() throws IOException {
        Association association = associate(LONG_MS);
        Answer answer = expectStatus(
                setFeature(association, FeatureId.KEEP_ALIVE_TIMER, 0),
                Status.SUCCESS,
                Status.KEEP_ALIVE_TIMEOUT_INVALID);
        long effectiveMs = feature(association, FeatureId.KEEP_ALIVE_TIMER);
        expect(
                effectiveMs == 0 == answer.isSuccess(),
                "a timeout of 0 just when that was accepted",
                effectiveMs + " ms after " + answer);
    }

    // ---- the command

    @Check(says = "Keep Alive: success", source = "NVMe Base 2.0 s5.18")
    void command() throws IOException {
        expectSuccess(associate(LONG_MS).admin(keepAlive()), "Keep Alive");
    }

    @Check(
            says = "Keep Alive while there is no timeout: success, or Keep Alive Timeout Invalid",
            source = "NVMe Base 2.0 s5.18",
            level = Level.INFO)
    void commandWhenOff() throws IOException {
        Association association = associate();
        expectStatus(association.admin(keepAlive()), Status.SUCCESS, Status.KEEP_ALIVE_TIMEOUT_INVALID);
        association.property(Property.CSTS);
    }

    @Check(
            says = "Keep Alive on an I/O queue: an error, and the queue works on",
            source = "NVMe Base 2.0 s5.18",
            level = Level.INFO)
    void commandOnIoQueue() throws IOException {
        skipUnless(!facts().isDiscovery(), "a discovery controller has no I/O queues");
        RawQueue io = associate(LONG_MS).io();
        Answer answer = execute(io, keepAlive());
        expect(answer.isCompleted() && !answer.isSuccess(), "an error", answer);
        expectServes(io);
    }

    @Check(
            says = "Keep Alive while the answers of a full I/O queue are not taken: answered at once",
            source = KEEP_ALIVE)
    void besideFullQueue() throws IOException {
        skipUnless(!facts().isDiscovery() && facts().nsid() != 0, "there is no namespace to read");
        Association association = associate(LONG_MS);
        RawQueue io = association.io();
        int bytes = Math.min(READ_BYTES, facts().maxTransferBytes());
        int blocks = (int) Math.min(facts().blocks(), bytes / facts().blockBytes());
        for (int i = 0; i < Association.DEPTH - 1; i++) {
            io.submit(
                    ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, facts().nsid(), 0, blocks),
                    Payload.in(blocks * facts().blockBytes()));
        }
        expectSuccess(association.admin(keepAlive()), "Keep Alive");
    }

    // ---- alive

    @Check(says = "KATO 0, nothing sent for a minute: the connection stays", source = KEEP_ALIVE, seconds = 65)
    void idle() throws IOException {
        Association association = associate();
        expect(!endsWithin(association.admin(), IDLE_MS), "a connection that stays", "its end");
        association.property(Property.CSTS);
    }

    @Check(says = "Keep Alive twice in each timeout: alive after five of them", source = KEEP_ALIVE, seconds = 15)
    void kept() throws IOException {
        Association association = associate(2 * SHORT_MS);
        for (int i = 0; i < 10; i++) {
            expect(!endsWithin(association.admin(), SHORT_MS), "a connection that stays", "its end");
            expectSuccess(association.admin(keepAlive()), "Keep Alive");
        }
    }

    @Check(
            says = "With TBKAS, I/O alone in three timeouts: alive",
            source = "NVMe Base 2.0 s3.9.3",
            level = Level.SHOULD,
            seconds = 50)
    void keptByIo() throws IOException {
        skipUnless(isTrafficBased(), "keep alive is not traffic based: CTRATT.TBKAS is 0");
        skipUnless(!facts().isDiscovery(), "a discovery controller has no I/O queues");
        Association association = associate(SHORT_MS);
        RawQueue io = association.io();
        long effectiveMs = effective(association);
        for (int i = 0; i < 12; i++) {
            expect(!endsWithin(io, effectiveMs / 4), "a connection that stays", "its end");
            expectServes(io);
        }
        association.property(Property.CSTS);
    }

    private boolean isTrafficBased() {
        return facts().controller().has(Field.CTRATT, IdentifyController.CTRATT_TRAFFIC_BASED_KEEP_ALIVE);
    }

    /** The timeout in effect, when it is short enough to be waited for. */
    private long effective(Association association) throws IOException {
        long effectiveMs = feature(association, FeatureId.KEEP_ALIVE_TIMER);
        skipUnless(effectiveMs <= LONGEST_MS, "its shortest timeout of " + effectiveMs + " ms is too long to wait for");
        return effectiveMs;
    }

    // ---- not alive

    @Check(
            says = "Nothing sent: the association lives for the timeout, and has ended after two of them",
            source = KEEP_ALIVE,
            seconds = 50)
    void expires() throws IOException {
        Association association = associate(SHORT_MS);
        long sent = System.nanoTime();
        long effectiveMs = effective(association);
        long aliveMs = effectiveMs - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sent);
        expect(
                aliveMs <= 0 || !endsWithin(association.admin(), aliveMs),
                "a connection that stays for " + effectiveMs + " ms",
                "its end before");
        expect(
                endsWithin(association.admin(), effectiveMs + granularityMs() + SLACK_MS),
                "the end of the association within two timeouts of " + effectiveMs + " ms",
                "an open connection");
    }

    private long granularityMs() {
        return facts().controller().get(Field.KAS) * 100;
    }

    @Check(says = "Nothing sent for the timeout: I/O queues end too", source = KEEP_ALIVE, seconds = 50)
    void expiresWithIoQueues() throws IOException {
        skipUnless(!facts().isDiscovery(), "a discovery controller has no I/O queues");
        Association association = associate(SHORT_MS);
        RawQueue first = association.io();
        RawQueue second = association.io();
        long limitMs = 2 * effective(association) + granularityMs() + SLACK_MS;
        expect(endsWithin(first, limitMs), "the end of I/O queue 1", "an open connection");
        expect(endsWithin(second, SLACK_MS), "the end of I/O queue 2", "an open connection");
        expect(endsWithin(association.admin(), SLACK_MS), "the end of the admin queue", "an open connection");
    }

    @Check(
            says = "Without TBKAS, I/O alone for two timeouts: the association has ended",
            source = "NVMe Base 2.0 s3.9.3",
            level = Level.SHOULD,
            seconds = 50)
    void expiresDespiteIo() throws IOException {
        skipUnless(!isTrafficBased(), "keep alive is traffic based: CTRATT.TBKAS is 1");
        skipUnless(!facts().isDiscovery(), "a discovery controller has no I/O queues");
        Association association = associate(SHORT_MS);
        RawQueue io = association.io();
        long limitMs = 2 * effective(association) + granularityMs() + SLACK_MS;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
        while (io.isOpen() && System.nanoTime() < deadline) {
            flush(io);
            pause(100);
        }
        expect(!io.isOpen(), "the end of the association within " + limitMs + " ms", "an open connection");
    }
}
