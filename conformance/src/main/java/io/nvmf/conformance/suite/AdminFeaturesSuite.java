package io.nvmf.conformance.suite;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.feature.HostIdentifier;
import io.nvmf.codec.feature.NumberOfQueues;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** Set Features and Get Features: queues, the host identifier, and what can be asked of any feature. */
@SuiteName("ADMIN.FEATURES")
public final class AdminFeaturesSuite extends AdminSuite {
    private static final int[] RESERVED = {0x00, 0x60};
    private static final int ASKED_QUEUES = 3;

    // ---- number of queues

    @Check(
            says = "Set Features 07h, 3 queues: success, and as many I/O queues as were given connect",
            source = "NVMe Base 2.0 s5.27.1.5; hosts give up without I/O queues")
    void numberOfQueues() throws IOException {
        expectQueues(ASKED_QUEUES);
    }

    @Check(
            says = "Set Features 07h, 1 queue, which is 0 in both halves: success, and it connects",
            source = "NVMe Base 2.0 s5.27.1.5")
    void oneQueue() throws IOException {
        expectQueues(1);
    }

    private void expectQueues(int asked) throws IOException {
        Association association = associate();
        long given = expectSuccess(
                        setFeature(association, FeatureId.NUMBER_OF_QUEUES, NumberOfQueues.encode(asked)),
                        "Set Features 07h")
                .dw0();
        int queues = Math.min(asked, queuePairs(given));
        for (int i = 0; i < queues; i++) {
            association.io();
        }
    }

    private static int queuePairs(long value) {
        return Math.min(NumberOfQueues.submissionQueues(value), NumberOfQueues.completionQueues(value));
    }

    @Check(says = "Set Features 07h with FFFFh submission queues: 0/02h", source = "NVMe Base 2.0 s5.27.1.5")
    void submissionQueuesFfff() throws IOException {
        expectStatus(setFeature(associate(), FeatureId.NUMBER_OF_QUEUES, 0x0000_FFFF), Status.INVALID_FIELD);
    }

    @Check(says = "Set Features 07h with FFFFh completion queues: 0/02h", source = "NVMe Base 2.0 s5.27.1.5")
    void completionQueuesFfff() throws IOException {
        expectStatus(setFeature(associate(), FeatureId.NUMBER_OF_QUEUES, 0xFFFF_0000L), Status.INVALID_FIELD);
    }

    @Check(
            says = "Set Features 07h with an I/O queue connected: 0/0Ch, and the queues stay as they are",
            source = "NVMe Base 2.0 s5.27.1.5")
    void numberOfQueuesTooLate() throws IOException {
        Association association = associate();
        long given = expectSuccess(
                        setFeature(association, FeatureId.NUMBER_OF_QUEUES, NumberOfQueues.encode(2)),
                        "Set Features 07h")
                .dw0();
        association.io();
        Answer late = setFeature(association, FeatureId.NUMBER_OF_QUEUES, NumberOfQueues.encode(1));
        if (late.isSuccess()) {
            deviates("it is taken and changes nothing", LINUX);
        } else {
            expectStatus(late, Status.COMMAND_SEQUENCE_ERROR);
        }
        expectEquals(hex(given), hex(feature(association, FeatureId.NUMBER_OF_QUEUES)), "Get Features 07h");
        if (queuePairs(given) > 1) {
            association.io();
        }
    }

    @Check(
            says = "Get Features 07h after Set Features 07h: the number of queues that Set was answered with",
            source = "NVMe Base 2.0 s5.27.1.5")
    void numberOfQueuesTold() throws IOException {
        Association association = associate();
        Answer set = setFeature(association, FeatureId.NUMBER_OF_QUEUES, NumberOfQueues.encode(ASKED_QUEUES));
        expectEquals(
                hex(expectSuccess(set, "Set Features 07h").dw0()),
                hex(feature(association, FeatureId.NUMBER_OF_QUEUES)),
                "Get Features 07h");
    }

    // ---- selection of values

    private boolean hasSelection() {
        return facts().supports(IdentifyController.ONCS_SAVE_SELECT);
    }

    @Check(
            says = "Get Features 0Bh with SEL 1, the default: success when ONCS bit 4 is set, 0/02h when it is clear",
            source = "NVMe Base 2.0 s5.15")
    void selectDefault() throws IOException {
        expectSelection(FeaturesCommand.SELECT_DEFAULT);
    }

    @Check(
            says =
                    "Get Features 0Bh with SEL 2, the saved value: success when ONCS bit 4 is set, 0/02h when it is clear",
            source = "NVMe Base 2.0 s5.15")
    void selectSaved() throws IOException {
        expectSelection(FeaturesCommand.SELECT_SAVED);
    }

    @Check(
            says =
                    "Get Features 0Bh with SEL 3, the capabilities: no more than bits 2:0, and changeable, when ONCS bit 4"
                            + " is set; 0/02h when it is clear",
            source = "NVMe Base 2.0 s5.15")
    void selectCapabilities() throws IOException {
        Answer answer = expectSelection(FeaturesCommand.SELECT_CAPABILITIES);
        if (hasSelection()) {
            long changeable = FeaturesCommand.CAPABILITY_CHANGEABLE;
            expect(
                    answer.dw0() <= 7 && (answer.dw0() & changeable) != 0,
                    "bit 2, and nothing above it",
                    hex(answer.dw0()));
        }
    }

    private Answer expectSelection(int select) throws IOException {
        Answer answer = getFeature(associate(), FeatureId.ASYNC_EVENT_CONFIG, select, 0);
        if (hasSelection()) {
            return expectSuccess(answer, "Get Features with SEL " + select);
        }
        if (answer.isSuccess()) {
            deviates("SEL is not looked at", BOTH);
            return answer;
        }
        return expectStatus(answer, Status.INVALID_FIELD);
    }

    @Check(says = "Get Features 0Bh with the reserved SEL 4 to 7: 0/02h", source = "NVMe Base 2.0 s5.15")
    void selectReserved() throws IOException {
        Association association = associate();
        for (int select = FeaturesCommand.SELECT_CAPABILITIES + 1; select <= 7; select++) {
            Answer answer = getFeature(association, FeatureId.ASYNC_EVENT_CONFIG, select, 0);
            if (answer.isSuccess() && !hasSelection()) {
                deviates("SEL is not looked at", BOTH);
                return;
            }
            expectStatus(answer, Status.INVALID_FIELD);
        }
    }

    @Check(
            says = "Set Features 0Bh with SV, of a feature that cannot be saved: 1/0Dh or 0/02h, and the value stays",
            source = "NVMe Base 2.0 s5.27")
    void save() throws IOException {
        Association association = associate();
        boolean saveable = hasSelection()
                && (getFeature(association, FeatureId.ASYNC_EVENT_CONFIG, FeaturesCommand.SELECT_CAPABILITIES, 0)
                                        .dw0()
                                & FeaturesCommand.CAPABILITY_SAVEABLE)
                        != 0;
        skipUnless(!saveable, "the feature can be saved");
        long before = feature(association, FeatureId.ASYNC_EVENT_CONFIG);
        Sqe sqe = FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.ASYNC_EVENT_CONFIG, before ^ 2);
        Answer answer = association.admin(FeaturesCommand.save(sqe, true));
        if (answer.isSuccess()) {
            deviates("SV is not looked at", LINUX);
        } else {
            expectStatus(answer, Status.FEATURE_NOT_SAVEABLE, Status.INVALID_FIELD);
            expectEquals(hex(before), hex(feature(association, FeatureId.ASYNC_EVENT_CONFIG)), "Get Features 0Bh");
        }
    }

    // ---- which there are

    @Check(says = "Get Features of the reserved FIDs 00h and 60h: 0/02h", source = "NVMe Base 2.0 s5.27.1")
    void getReserved() throws IOException {
        Association association = associate();
        for (int featureId : RESERVED) {
            expectStatus(getFeature(association, featureId, 0, 0), Status.INVALID_FIELD);
        }
    }

    @Check(says = "Set Features of the reserved FIDs 00h and 60h: 0/02h", source = "NVMe Base 2.0 s5.27.1")
    void setReserved() throws IOException {
        Association association = associate();
        for (int featureId : RESERVED) {
            expectStatus(setFeature(association, featureId, 0), Status.INVALID_FIELD);
        }
    }

    @Check(
            says = "Set Features 0Bh, a feature of the whole controller, with an NSID: 1/0Fh, or another error",
            source = "NVMe Base 2.0 s5.27",
            level = Level.SHOULD)
    void namespaceOfControllerFeature() throws IOException {
        Association association = associate();
        long value = feature(association, FeatureId.ASYNC_EVENT_CONFIG);
        Sqe sqe = FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.ASYNC_EVENT_CONFIG, value);
        Answer answer = association.admin(sqe.nsid(nsid()));
        if (answer.isSuccess()) {
            deviates("NSID is not looked at", LINUX);
        } else {
            expectRefused(answer, "an NSID with a feature of the controller");
        }
    }

    @Check(
            says = "Get Features 06h, the write cache: there when VWC bit 0 is set, 0/02h when it is clear",
            source = "NVMe Base 2.0 s5.27.1.4")
    void writeCache() throws IOException {
        Answer answer = getFeature(associate(), FeatureId.VOLATILE_WRITE_CACHE, 0, 0);
        if (facts().controller().has(Field.VWC, IdentifyController.VWC_PRESENT)) {
            expect(expectSuccess(answer, "Get Features 06h").dw0() <= 1, "bit 0 alone", hex(answer.dw0()));
        } else {
            expectStatus(answer, Status.INVALID_FIELD);
        }
    }

    // ---- host identifier

    @Check(says = "Set Features 81h, the host identifier: 0/0Ch", source = "NVMe Base 2.0 s5.27.1.25")
    void hostIdentifierSet() throws IOException {
        Association association = associate();
        byte[] other = new byte[HostIdentifier.EXTENDED_BYTES];
        Arrays.fill(other, (byte) 0xA5);
        expectStatus(setFeature(association, FeatureId.HOST_IDENTIFIER, other), Status.COMMAND_SEQUENCE_ERROR);
    }

    @Check(says = "Get Features 81h with EXHID 1: the HOSTID of Connect, 16 bytes", source = "NVMe Base 2.0 s5.27.1.25")
    void hostIdentifier() throws IOException {
        Answer answer = hostIdentifier(HostIdentifier.EXTENDED, HostIdentifier.EXTENDED_BYTES);
        ByteBuffer expected = littleEndian(new byte[HostIdentifier.EXTENDED_BYTES]);
        HostIdentifier.encode(expected, 0, bench().target().hostId());
        expectSuccess(answer, "Get Features 81h");
        expectEquals(
                HexFormat.of().formatHex(expected.array()), HexFormat.of().formatHex(answer.data()), "host identifier");
    }

    @Check(
            says = "Get Features 81h with EXHID 0, an identifier of 8 bytes: 0/18h or 0/02h",
            source = "NVMe Base 2.0 s5.27.1.25")
    void hostIdentifierShort() throws IOException {
        expectStatus(hostIdentifier(0, 8), Status.HOST_ID_INCONSISTENT_FORMAT, Status.INVALID_FIELD);
    }

    private Answer hostIdentifier(int exhid, int lengthBytes) throws IOException {
        Sqe sqe = FeaturesCommand.encodeGet(Sqe.allocate(), FeatureId.HOST_IDENTIFIER, 0);
        return associate().admin(sqe.cdw(11, exhid), lengthBytes);
    }
}
