package io.nvmf.conformance.suite;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.feature.HostBehavior;
import io.nvmf.codec.feature.Timestamp;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Set Features and Get Features: a value that is set is the value from then on. What was there before is set again. */
@SuiteName("ADMIN.VALUES")
public final class AdminFeatureValuesSuite extends AdminSuite {
    private static final int THRESHOLD_KELVIN = 390;
    private static final int RETRY_100_MS = 7;
    private static final int KATO_MS = 25_000;
    private static final long SOME_TIME_MS = 1_700_000_000_000L;
    private static final long A_MINUTE_MS = 60_000;

    @Check(
            says = "Set and Get Features 04h, the temperature threshold: the same",
            source = "NVMe Base 2.0 s5.27.1.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void temperatureThreshold() throws IOException {
        Association association = associate();
        long before = present(association, FeatureId.TEMPERATURE_THRESHOLD, 0) & 0xFFFF;
        expectSet(setFeature(association, FeatureId.TEMPERATURE_THRESHOLD, THRESHOLD_KELVIN));
        long after = feature(association, FeatureId.TEMPERATURE_THRESHOLD) & 0xFFFF;
        setFeature(association, FeatureId.TEMPERATURE_THRESHOLD, before);
        if (after == 0) {
            deviates("the threshold is not kept", SPDK);
        } else {
            expectEquals(THRESHOLD_KELVIN, after, "TMPTH");
        }
    }

    @Check(
            says = "Set and Get Features 05h of a namespace, error recovery: the same",
            source = "NVM Command Set 1.0 s4.1.3",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void errorRecovery() throws IOException {
        Association association = associate();
        long before = present(association, FeatureId.ERROR_RECOVERY, nsid());
        expectSet(setOfNamespace(association, RETRY_100_MS));
        long after =
                getFeature(association, FeatureId.ERROR_RECOVERY, 0, nsid()).dw0();
        setOfNamespace(association, before);
        expectEquals(RETRY_100_MS, after, "TLER");
    }

    private Answer setOfNamespace(Association association, long value) throws IOException {
        Sqe sqe = FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.ERROR_RECOVERY, value);
        return association.admin(sqe.nsid(nsid()));
    }

    @Check(
            says = "Set Features 0Bh with every notice that OAES announces: success, and Get Features tells them",
            source = "NVMe Base 2.0 s5.27.1.8; the Linux host sets what it wants of OAES")
    void asyncEventConfig() throws IOException {
        Association association = associate();
        long notices = facts().controller().get(Field.OAES);
        expectSuccess(setFeature(association, FeatureId.ASYNC_EVENT_CONFIG, notices), "Set Features 0Bh");
        expectEquals(hex(notices), hex(feature(association, FeatureId.ASYNC_EVENT_CONFIG)), "Get Features 0Bh");
    }

    @Check(
            says =
                    "Set Features 0Bh with the critical warnings of temperature and reliability: success, and Get Features"
                            + " tells them",
            source = "NVMe Base 2.0 s5.27.1.8",
            level = Level.SHOULD)
    void criticalWarnings() throws IOException {
        Association association = associate();
        Answer answer = setFeature(association, FeatureId.ASYNC_EVENT_CONFIG, 6);
        if (isUnsupported(answer)) {
            deviates("no critical warnings", LINUX);
            return;
        }
        expectSuccess(answer, "Set Features 0Bh");
        expectEquals(hex(6), hex(feature(association, FeatureId.ASYNC_EVENT_CONFIG)), "Get Features 0Bh");
    }

    @Check(
            says =
                    "Set and Get Features 0Eh, the timestamp: what was set and a little more, with origin 1, set by a host",
            source = "NVMe Base 2.0 s5.27.1",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void timestamp() throws IOException {
        skipUnless(facts().supports(IdentifyController.ONCS_TIMESTAMP), "ONCS bit 6 is clear");
        Association association = associate();
        ByteBuffer data = littleEndian(new byte[Timestamp.BYTES]);
        new Timestamp(SOME_TIME_MS, 0).encode(data, 0);
        expectSuccess(setFeature(association, FeatureId.TIMESTAMP, data.array()), "Set Features 0Eh");
        Answer answer = getData(association, FeatureId.TIMESTAMP, Timestamp.BYTES);
        expectSuccess(answer, "Get Features 0Eh");
        Timestamp told = Timestamp.decode(littleEndian(answer.data()), 0);
        long since = told.milliseconds() - SOME_TIME_MS;
        expect(since >= 0 && since < A_MINUTE_MS, "the time that was set, and up to a minute", since + " ms more");
        expectEquals(Timestamp.ORIGIN_HOST, told.origin(), "origin");
    }

    @Check(
            says = "Set and Get Features 0Fh, the keep alive timer: no less than was set, in ms",
            source = "NVMe Base 2.0 s5.27.1",
            level = Level.SHOULD)
    void keepAliveTimer() throws IOException {
        Association association = associate();
        expectSuccess(setFeature(association, FeatureId.KEEP_ALIVE_TIMER, KATO_MS), "Set Features 0Fh");
        long told = feature(association, FeatureId.KEEP_ALIVE_TIMER);
        long unitMs = Math.max(1, facts().controller().get(Field.KAS)) * 100;
        expect(
                told >= KATO_MS && told <= KATO_MS + unitMs,
                KATO_MS + " ms, or up to the granularity of " + unitMs + " ms more",
                told + " ms");
    }

    @Check(
            says = "Set and Get Features 16h, host behaviour: ACRE as it was set",
            source = "NVMe Base 2.0 s5.27.1.18; the Linux host sets it when CRDT is not 0",
            level = Level.SHOULD)
    void hostBehavior() throws IOException {
        Association association = associate();
        Answer first = getData(association, FeatureId.HOST_BEHAVIOR, HostBehavior.BYTES);
        skipUnless(!isUnsupported(first), "there is no such feature");
        byte[] data = expectSuccess(first, "Get Features 16h").data();
        data[HostBehavior.COMMAND_RETRY_OFFSET] = 1;
        expectSuccess(setFeature(association, FeatureId.HOST_BEHAVIOR, data), "Set Features 16h");
        Answer second = getData(association, FeatureId.HOST_BEHAVIOR, HostBehavior.BYTES);
        expectEquals(1, expectSuccess(second, "Get Features 16h").data()[HostBehavior.COMMAND_RETRY_OFFSET], "ACRE");
    }

    @Check(says = "Set Features 16h with ACRE 2: 0/02h", source = "NVMe Base 2.0 s5.27.1.18", level = Level.SHOULD)
    void hostBehaviorInvalid() throws IOException {
        Association association = associate();
        Answer first = getData(association, FeatureId.HOST_BEHAVIOR, HostBehavior.BYTES);
        skipUnless(!isUnsupported(first), "there is no such feature");
        byte[] data = new byte[HostBehavior.BYTES];
        data[HostBehavior.COMMAND_RETRY_OFFSET] = 2;
        expectStatus(setFeature(association, FeatureId.HOST_BEHAVIOR, data), Status.INVALID_FIELD);
    }

    @Check(
            says = "Set Features 06h, the write cache off: done, so that Get Features tells 0, or refused",
            source = "NVMe Base 2.0 s5.27.1.4",
            level = Level.SHOULD,
            needs = Needs.DISRUPTION)
    void writeCacheOff() throws IOException {
        skipUnless(facts().controller().has(Field.VWC, IdentifyController.VWC_PRESENT), "there is no write cache");
        Association association = associate();
        long before = feature(association, FeatureId.VOLATILE_WRITE_CACHE);
        Answer answer = setFeature(association, FeatureId.VOLATILE_WRITE_CACHE, 0);
        long after = feature(association, FeatureId.VOLATILE_WRITE_CACHE);
        if (!answer.isSuccess()) {
            expectRefused(answer, "a write cache that stays on");
            expectEquals(before, after, "WCE after it was refused");
            return;
        }
        expectSuccess(setFeature(association, FeatureId.VOLATILE_WRITE_CACHE, before), "Set Features 06h");
        expectEquals(0, after, "WCE");
        expectEquals(before, feature(association, FeatureId.VOLATILE_WRITE_CACHE), "WCE set again");
    }

    /** The value of a feature; without the feature the check does not apply. */
    private long present(Association association, int featureId, long nsid) throws IOException {
        Answer answer = getFeature(association, featureId, 0, nsid);
        skipUnless(!isUnsupported(answer), "there is no such feature");
        return expectSuccess(answer, "Get Features of FID " + hex(featureId)).dw0();
    }

    private void expectSet(Answer answer) {
        boolean fixed = answer.isCompleted() && answer.status() == Status.FEATURE_NOT_CHANGEABLE;
        skipUnless(!fixed, "the feature cannot be changed");
        expectSuccess(answer, "Set Features");
    }

    private static Answer getData(Association association, int featureId, int lengthBytes) throws IOException {
        return association.admin(FeaturesCommand.encodeGet(Sqe.allocate(), featureId, 0), lengthBytes);
    }
}
