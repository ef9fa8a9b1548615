package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ControllerConfiguration;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.log.SmartLog;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Asynchronous Event Request. The events are of the temperature: the host makes them happen, by a threshold below what the
 * SMART log tells.
 */
@SuiteName("ADMIN.AER")
public final class AdminAerSuite extends AdminSuite {
    private static final int MOST_REQUESTS = Association.DEPTH / 2;
    private static final int IDLE_MS = 15_000;
    private static final int READY_MS = 30_000;
    private static final int KATO_MS = 60_000;
    private static final long CONFIGURED = ControllerConfiguration.ENABLE | ControllerConfiguration.ENTRY_SIZES;

    private static int request(Association association) throws IOException {
        return association.admin().submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST), Payload.NONE);
    }

    /** As many requests as AERL allows. */
    private List<Integer> requestAll(Association association) throws IOException {
        long limit = facts().controller().get(Field.AERL) + 1;
        skipUnless(limit <= MOST_REQUESTS, "AERL allows more requests than the queue has entries for");
        List<Integer> commandIds = new ArrayList<>();
        for (int i = 0; i < limit; i++) {
            commandIds.add(request(association));
        }
        return commandIds;
    }

    private void expectOutstanding(RawQueue queue, int commandId) throws IOException {
        if (queue.isAnswered(commandId)) {
            throw failure("no answer to the request, as nothing has happened", queue.await(commandId, 0));
        }
    }

    // ---- requests

    @Check(says = "AERL + 1 requests: all stay outstanding; one more: 1/05h", source = "NVMe Base 2.0 s5.2")
    void limit() throws IOException {
        Association association = associate();
        List<Integer> commandIds = requestAll(association);
        Answer answer = association.admin().await(request(association), answerMs());
        expectStatus(answer, Status.ASYNC_EVENT_REQUEST_LIMIT_EXCEEDED);
        for (int commandId : commandIds) {
            expectOutstanding(association.admin(), commandId);
        }
    }

    @Check(
            says = "Identify and Keep Alive behind AERL + 1 requests: answered",
            source = "NVMe Base 2.0 s5.2; hosts keep a request outstanding all the time")
    void requestsDoNotBlock() throws IOException {
        Association association =
                bench().associate(connect().keepAliveTimeoutMs(KATO_MS)).enable();
        requestAll(association);
        for (int i = 0; i < 2 * Association.DEPTH; i++) {
            controllerOf(association);
        }
        expectSuccess(association.admin(Sqe.allocate().clear(Opcode.Admin.KEEP_ALIVE)), "Keep Alive");
    }

    @Check(
            says =
                    "a request on a connection that is idle for 15 s: still outstanding but for an event, and the connection works",
            source = "NVMe Base 2.0 s5.2: requests have no time limit",
            seconds = 16)
    void requestWaits() throws IOException {
        Association association = associate();
        int commandId = request(association);
        pause(IDLE_MS);
        if (association.admin().isAnswered(commandId)) {
            // Checks that run meanwhile may make something happen.
            expectSuccess(association.admin().await(commandId, 0), "the Asynchronous Event Request, with an event");
        }
        controllerOf(association);
    }

    @Check(
            says = "controller reset with a request outstanding: it is not answered, or with an error",
            source = "NVMe Base 2.0 s3.7.2")
    void reset() throws IOException {
        Association association = associate();
        int commandId = request(association);
        association.setProperty(Property.CC, ControllerConfiguration.ENTRY_SIZES);
        expectNoEvent(association.admin(), commandId);
    }

    @Check(
            says = "shutdown with a request outstanding: it is not answered, or with an error",
            source = "NVMe Base 2.0 s3.6.1")
    void shutdown() throws IOException {
        Association association = associate();
        int commandId = request(association);
        association.setProperty(Property.CC, CONFIGURED | ControllerConfiguration.NORMAL_SHUTDOWN_BITS);
        expectNoEvent(association.admin(), commandId);
    }

    private void expectNoEvent(RawQueue queue, int commandId) throws IOException {
        pause(QUIET_MS);
        if (queue.isAnswered(commandId)) {
            Answer answer = queue.await(commandId, 0);
            expect(!answer.isSuccess(), "no event", answer);
        }
    }

    @Check(
            says =
                    "controller reset with AERL + 1 requests outstanding, and enabled again: as many requests are taken anew",
            source = "NVMe Base 2.0 s3.7.2; the Linux host sends its request anew")
    void resetFreesRequests() throws IOException {
        Association association = associate();
        requestAll(association);
        association.setProperty(Property.CC, ControllerConfiguration.ENTRY_SIZES);
        association.awaitReady(false, READY_MS);
        association.enable();
        List<Integer> commandIds = requestAll(association);
        controllerOf(association);
        for (int commandId : commandIds) {
            expectOutstanding(association.admin(), commandId);
        }
    }

    // ---- events

    /** What a check does on a controller whose temperature is known. */
    private interface Warmth {
        void run(Association association, Threshold threshold) throws IOException;
    }

    /** The temperature threshold of a controller, which tells of a temperature. */
    private final class Threshold {
        private final Association association;
        private final long kelvin;

        Threshold(Association association, long kelvin) {
            this.association = association;
            this.kelvin = kelvin;
        }

        /** The temperature is over it from now on, and was not before. */
        void exceed() throws IOException {
            set(kelvin + 20);
            set(kelvin - 1);
        }

        void set(long threshold) throws IOException {
            expectSuccess(setFeature(association, FeatureId.TEMPERATURE_THRESHOLD, threshold), "Set Features 04h");
        }
    }

    private void withThreshold(long wanted, Warmth warmth) throws IOException {
        Association association = associate();
        long kelvin = SmartLog.decode(log(association, LogPageId.SMART_HEALTH, SmartLog.BYTES), 0)
                .get(SmartLog.Field.COMPOSITE_TEMPERATURE);
        skipUnless(kelvin != 0, "the target tells no temperature");
        Answer before = getFeature(association, FeatureId.TEMPERATURE_THRESHOLD, 0, 0);
        skipUnless(before.isSuccess() && before.dw0() != 0, "the target has no temperature threshold");
        Answer config = setFeature(association, FeatureId.ASYNC_EVENT_CONFIG, wanted);
        skipUnless(config.isSuccess(), "the target reports no temperature");
        try {
            warmth.run(association, new Threshold(association, kelvin));
        } finally {
            setFeature(association, FeatureId.TEMPERATURE_THRESHOLD, before.dw0());
        }
    }

    @Check(
            says = "the temperature exceeds the threshold: the request is answered with DW0 00020101h",
            source = "NVMe Base 2.0 s5.2.1",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void event() throws IOException {
        withThreshold(SmartLog.WARNING_TEMPERATURE, (association, threshold) -> {
            int commandId = request(association);
            threshold.exceed();
            expectEvent(association, commandId);
        });
    }

    private void expectEvent(Association association, int commandId) throws IOException {
        Answer answer = association.admin().await(commandId, answerMs());
        expectSuccess(answer, "the Asynchronous Event Request, with an event");
        expectEquals(hex(AsyncEvent.SMART_TEMPERATURE.dw0()), hex(answer.dw0()), "DW0");
    }

    @Check(
            says =
                    "the temperature exceeds the threshold while no request is outstanding: the next request is answered",
            source = "NVMe Base 2.0 s5.2",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void eventBeforeRequest() throws IOException {
        withThreshold(SmartLog.WARNING_TEMPERATURE, (association, threshold) -> {
            threshold.exceed();
            expectEvent(association, request(association));
        });
    }

    @Check(
            says = "the temperature exceeds the threshold, and feature 0Bh does not want to know: no event",
            source = "NVMe Base 2.0 s5.27.1.8",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void eventNotWanted() throws IOException {
        withThreshold(0, (association, threshold) -> {
            int commandId = request(association);
            threshold.exceed();
            pause(QUIET_MS);
            expectOutstanding(association.admin(), commandId);
        });
    }

    @Check(
            says = "an event twice before its log is read: reported once",
            source = "NVMe Base 2.0 s5.2",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void eventOnce() throws IOException {
        expectNoMore((association, threshold) -> {});
    }

    @Check(
            says = "an event, its log read with RAE 1, and the event again: reported once",
            source = "NVMe Base 2.0 s5.16",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void eventRetained() throws IOException {
        expectNoMore((association, threshold) -> log(association, LogPageId.SMART_HEALTH, SmartLog.BYTES));
    }

    private void expectNoMore(Warmth between) throws IOException {
        withThreshold(SmartLog.WARNING_TEMPERATURE, (association, threshold) -> {
            int first = request(association);
            int second = request(association);
            threshold.exceed();
            expectEvent(association, first);
            between.run(association, threshold);
            threshold.exceed();
            pause(QUIET_MS);
            expectOutstanding(association.admin(), second);
        });
    }

    @Check(
            says = "an event, its log read with RAE 0, and the event again: reported twice",
            source = "NVMe Base 2.0 s5.16",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void eventAfterRead() throws IOException {
        withThreshold(SmartLog.WARNING_TEMPERATURE, (association, threshold) -> {
            int first = request(association);
            threshold.exceed();
            expectEvent(association, first);
            Sqe read = GetLogPageCommand.encode(Sqe.allocate(), LogPageId.SMART_HEALTH, SmartLog.BYTES, 0);
            expectSuccess(association.admin(read.nsid(Sqe.NSID_ALL), SmartLog.BYTES), "Get Log Page of LID 2h");
            int second = request(association);
            threshold.exceed();
            expectEvent(association, second);
        });
    }
}
