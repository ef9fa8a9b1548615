package io.nvmf.conformance.suite;

import static io.nvmf.codec.fabrics.ControllerConfiguration.ENABLE;
import static io.nvmf.codec.fabrics.ControllerConfiguration.ENTRY_SIZES;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.Capabilities;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.ControllerStatus;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.feature.AsyncEventConfig;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** The life of a controller: enable, reset, shutdown. */
@SuiteName("FABRICS.LIFE")
public final class LifeSuite extends FabricsSuite {
    private static final String ENABLING = "NVMe Base 2.0 s3.5.2";
    private static final String RESET = "NVMe Base 2.0 s3.7.2";
    private static final String SHUTDOWN = "NVMe Base 2.0 s3.6.2";
    private static final int SHUTDOWN_SHIFT = 14;
    private static final long RESERVED_COMMAND_SET = 3L << 4;
    private static final long SUBMISSION_SIZE_5 = 5L << 16 | 4L << 20;
    private static final long COMPLETION_SIZE_5 = 6L << 16 | 5L << 20;
    private static final int SHUTDOWN_MS = 5_000;
    private static final int SETTLE_MS = 1_000;

    // ---- enable

    @Check(says = "CC.EN 1: CSTS.RDY within CAP.TO, and CSTS.CFS stays 0", source = ENABLING)
    void enable() throws IOException {
        Association association = bench().associate(connect()).enable();
        long status = association.property(Property.CSTS);
        expect(!ControllerStatus.isFatal(status), "CSTS.CFS 0", "CSTS " + hex(status));
        long configuration = association.property(Property.CC);
        expect(ControllerConfiguration.isEnabled(configuration), "CC.EN 1", "CC " + hex(configuration));
    }

    @Check(says = "Identify before CC.EN: refused", source = ENABLING)
    void identifyBeforeEnable() throws IOException {
        expectStatus(
                bench().associate(connect()).identify(Cns.CONTROLLER, 0),
                Status.COMMAND_SEQUENCE_ERROR,
                Status.INVALID_OPCODE);
    }

    @Check(says = "Keep Alive before CC.EN: refused", source = ENABLING, level = Level.SHOULD)
    void keepAliveBeforeEnable() throws IOException {
        expectStatus(
                bench().associate(connect().keepAliveTimeoutMs(60_000)).admin(keepAlive()),
                Status.COMMAND_SEQUENCE_ERROR,
                Status.INVALID_OPCODE);
    }

    // ---- what cannot be enabled

    @Check(says = "CC.MPS above CAP.MPSMAX: refused or CSTS.CFS, and never ready", source = ENABLING)
    void pagesTooLarge() throws IOException {
        long most = facts().capabilities() >>> 52 & 0xF;
        skipUnless(most < 0xF, "CAP.MPSMAX is the largest there is");
        expectNotReady(ENABLE | ENTRY_SIZES | most + 1 << 7, "");
    }

    @Check(says = "CC.CSS 3, which is reserved: refused or CSTS.CFS, and never ready", source = ENABLING)
    void reservedCommandSet() throws IOException {
        expectNotReady(ENABLE | ENTRY_SIZES | RESERVED_COMMAND_SET, "SPDK");
    }

    @Check(says = "CC.IOSQES 5: refused or CSTS.CFS, and no I/O queue", source = ENABLING)
    void submissionEntriesTooShort() throws IOException {
        expectNoIo(SUBMISSION_SIZE_5);
    }

    @Check(says = "CC.IOCQES 5: refused or CSTS.CFS, and no I/O queue", source = ENABLING)
    void completionEntriesTooLong() throws IOException {
        expectNoIo(COMPLETION_SIZE_5);
    }

    private void expectNotReady(long configuration, String whoElse) throws IOException {
        Association association = bench().associate(connect());
        if (isReadyWith(association, configuration)) {
            expect(!whoElse.isEmpty(), "CSTS.CFS 1 or an error", "CSTS.RDY 1 with CC " + hex(configuration));
            deviates("is ready with CC " + hex(configuration), whoElse);
        }
    }

    private void expectNoIo(long entrySizes) throws IOException {
        skipUnless(!facts().isDiscovery(), "a discovery controller has no I/O queues");
        Association association = bench().associate(connect());
        if (isReadyWith(association, ENABLE | entrySizes)) {
            Answer answer = tryConnect(1, association.ioSpec(1));
            expect(!answer.isSuccess(), "no I/O queue with CC " + hex(ENABLE | entrySizes), answer);
            deviates("is ready with wrong sizes of entries, and has no I/O queues then", "SPDK");
        }
    }

    /** Whether a configuration is taken, and makes the controller ready without a fatal error. */
    private boolean isReadyWith(Association association, long configuration) throws IOException {
        Answer answer = association.admin(propertySet(Property.CC.offset(), 0, configuration));
        expect(answer.isCompleted(), "an answer", answer);
        long status = 0;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SETTLE_MS);
        while (answer.isSuccess() && status == 0 && System.nanoTime() < deadline) {
            pause(10);
            status = association.property(Property.CSTS) & (ControllerStatus.READY | ControllerStatus.FATAL);
        }
        return status == ControllerStatus.READY;
    }

    @Check(
            says = "CC.EN 1 with a reserved CC.CSS, then 0, then as it must be: ready",
            source = RESET,
            level = Level.SHOULD)
    void enableAfterFailure() throws IOException {
        Association association = bench().associate(connect());
        isReadyWith(association, ENABLE | ENTRY_SIZES | RESERVED_COMMAND_SET);
        association.setProperty(Property.CC, 0);
        association.awaitReady(false, readyMs());
        association.enable();
        association.identified(Cns.CONTROLLER, 0);
    }

    private long readyMs() {
        return Math.max(500, Capabilities.readyTimeoutMs(facts().capabilities()));
    }

    // ---- reset

    @Check(says = "CC.EN 0: CSTS.RDY becomes 0 within CAP.TO", source = RESET, needs = Needs.DISRUPTION)
    void disable() throws IOException {
        disabled(associate());
    }

    private void disabled(Association association) throws IOException {
        association.setProperty(Property.CC, ENTRY_SIZES);
        association.awaitReady(false, readyMs());
    }

    @Check(
            says = "CC.EN 0 and 1 again: the controller is ready and works on the same admin queue",
            source = RESET,
            needs = Needs.DISRUPTION)
    void enableAgain() throws IOException {
        Association association = associate();
        disabled(association);
        association.enable();
        association.identified(Cns.CONTROLLER, 0);
    }

    @Check(says = "Identify after CC.EN 0: refused", source = RESET, needs = Needs.DISRUPTION)
    void identifyAfterDisable() throws IOException {
        Association association = associate();
        disabled(association);
        expectStatus(association.identify(Cns.CONTROLLER, 0), Status.COMMAND_SEQUENCE_ERROR, Status.INVALID_OPCODE);
    }

    @Check(says = "CC.EN 0: its I/O queues do nothing any more", source = RESET, needs = Needs.DISRUPTION)
    void ioAfterDisable() throws IOException {
        Association association = associateForIo();
        RawQueue io = association.io();
        disabled(association);
        expectServesNot(io, "after CC.EN 0");
    }

    @Check(says = "CC.EN 0 and 1 again: I/O queues can be connected anew", source = RESET, needs = Needs.DISRUPTION)
    void ioAfterReset() throws IOException {
        Association association = associateForIo();
        RawQueue io = association.io(1, Association.DEPTH);
        disabled(association);
        io.close();
        association.enable();
        expectServes(association.io(2, Association.DEPTH));
    }

    @Check(
            says = "CC.EN 0 with an Asynchronous Event Request outstanding: it does not succeed",
            source = RESET,
            needs = Needs.DISRUPTION)
    void eventsAtReset() throws IOException {
        Association association = associate();
        RawQueue admin = association.admin();
        int event = admin.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST), Payload.NONE);
        skipUnless(!admin.isAnswered(event), "an event was waiting");
        disabled(association);
        association.enable();
        association.identified(Cns.CONTROLLER, 0);
        if (admin.isAnswered(event)) {
            Answer answer = admin.await(event, answerMs());
            expect(!answer.isSuccess(), "no success of an Asynchronous Event Request", answer);
        }
    }

    @Check(
            says = "CC.EN 0 and 1 again: Asynchronous Event Configuration is what it was after Connect",
            source = RESET,
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void featuresAfterReset() throws IOException {
        skipUnless(
                (facts().controller().get(Field.OAES) & AsyncEventConfig.NAMESPACE_ATTRIBUTE) != 0,
                "it has no event to configure");
        Association association = associate();
        long first = feature(association, FeatureId.ASYNC_EVENT_CONFIG);
        long other = first ^ AsyncEventConfig.NAMESPACE_ATTRIBUTE;
        expectSuccess(setFeature(association, FeatureId.ASYNC_EVENT_CONFIG, other), "Asynchronous Event Configuration");
        disabled(association);
        association.enable();
        long after = feature(association, FeatureId.ASYNC_EVENT_CONFIG);
        if (after == other) {
            deviates("keeps Asynchronous Event Configuration over a reset", "SPDK");
        } else {
            expectEquals(first, after, "Asynchronous Event Configuration");
        }
    }

    @Check(
            says = "Reset of one controller: another of the same host works on",
            source = RESET,
            needs = Needs.DISRUPTION)
    void othersAtReset() throws IOException {
        Association reset = associate();
        Association other = associateForIo();
        RawQueue io = other.io();
        disabled(reset);
        expectServes(io);
        long status = other.property(Property.CSTS);
        expect(ControllerStatus.isReady(status), "CSTS.RDY 1 of the other controller", "CSTS " + hex(status));
    }

    // ---- shutdown

    @Check(says = "CC.SHN 1: CSTS.SHST 2 within RTD3E", source = SHUTDOWN, needs = Needs.DISRUPTION)
    void shutdown() throws IOException {
        shutDown(associate(), ControllerConfiguration.SHUTDOWN_NORMAL);
    }

    @Check(says = "CC.SHN 2: CSTS.SHST 2 within RTD3E", source = SHUTDOWN, needs = Needs.DISRUPTION)
    void abruptShutdown() throws IOException {
        shutDown(associate(), ControllerConfiguration.SHUTDOWN_ABRUPT);
    }

    private void shutDown(Association association, long notification) throws IOException {
        association.setProperty(Property.CC, ENABLE | ENTRY_SIZES | notification << SHUTDOWN_SHIFT);
        long timeoutMs = Math.max(SHUTDOWN_MS, facts().controller().get(Field.RTD3E) / 1_000);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        long status = association.property(Property.CSTS);
        while (!ControllerStatus.isShutdownComplete(status)) {
            expect(
                    System.nanoTime() < deadline,
                    "CSTS.SHST to become 2 within " + timeoutMs + " ms",
                    "CSTS " + hex(status));
            pause(10);
            status = association.property(Property.CSTS);
        }
    }

    @Check(says = "I/O after a shutdown: refused", source = SHUTDOWN, needs = Needs.DISRUPTION)
    void ioAfterShutdown() throws IOException {
        Association association = associateForIo();
        RawQueue io = association.io();
        shutDown(association, ControllerConfiguration.SHUTDOWN_NORMAL);
        expectServesNot(io, "after a shutdown");
    }

    @Check(says = "I/O after an abrupt shutdown: refused", source = SHUTDOWN, needs = Needs.DISRUPTION)
    void ioAfterAbruptShutdown() throws IOException {
        Association association = associateForIo();
        RawQueue io = association.io();
        shutDown(association, ControllerConfiguration.SHUTDOWN_ABRUPT);
        expectServesNot(io, "after an abrupt shutdown");
    }

    @Check(
            says = "After a shutdown: properties can be had, and a new controller too",
            source = SHUTDOWN,
            needs = Needs.DISRUPTION)
    void propertiesAfterShutdown() throws IOException {
        Association association = associate();
        shutDown(association, ControllerConfiguration.SHUTDOWN_NORMAL);
        expectEquals(facts().capabilities(), association.property(Property.CAP), "CAP");
        expectEquals(facts().version(), association.property(Property.VS), "VS");
        association.admin().close();
        expectAlive();
    }

    @Check(
            says = "CC.EN 0 and 1 after a shutdown: the controller is ready and works",
            source = SHUTDOWN,
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void enableAfterShutdown() throws IOException {
        Association association = associate();
        shutDown(association, ControllerConfiguration.SHUTDOWN_NORMAL);
        disabled(association);
        association.enable();
        association.identified(Cns.CONTROLLER, 0);
    }
}
