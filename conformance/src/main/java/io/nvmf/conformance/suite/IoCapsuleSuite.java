package io.nvmf.conformance.suite;

import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Status;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import java.io.IOException;
import java.util.Arrays;

/** Data in capsules over TCP that is not where its SGL says, or not as much. */
@SuiteName(value = "IO.CAPSULE", over = SuiteName.Over.TCP)
public final class IoCapsuleSuite extends IoSuite {
    /** How far into the data of a capsule the data of a command begins that does not begin with it. */
    private static final int OFFSET_BYTES = 16;

    @Check(
            says = "Write whose data begins inside the capsule's data: that data is written, or SGL Offset Invalid",
            source = "NVMe-oF 1.1 s2.3.1",
            needs = Needs.DATA_LOSS)
    void offsetInCapsule() throws IOException {
        needsCapsule(OFFSET_BYTES + blockBytes());
        byte[] before = pattern("OffsetInCapsule, before", 0, 1);
        write(queue(), 0, before);
        byte[] sent = Arrays.copyOf(pattern("OffsetInCapsule", 0, 2), OFFSET_BYTES + blockBytes());
        Answer answer = execute(queue(), writing(0, 1), inCapsuleAt(OFFSET_BYTES, blockBytes(), sent));
        byte[] found = read(associate().io(), 0, 1);
        if (answer.isSuccess() && Arrays.equals(found, Arrays.copyOf(sent, blockBytes()))) {
            deviates("the offset of data in the capsule is not looked at", "Linux nvmet");
        } else if (answer.isSuccess()) {
            expectSame(Arrays.copyOfRange(sent, OFFSET_BYTES, sent.length), found, 0, "the data from the offset on");
        } else {
            expectOffsetRefused(answer);
            expectSame(before, found, 0, "what was there before");
        }
    }

    @Check(
            says = "Write whose data begins beyond the capsule: SGL Offset Invalid, and nothing written",
            source = "NVMe-oF 1.1 s2.3.1",
            needs = Needs.DATA_LOSS)
    void offsetBeyondCapsule() throws IOException {
        needsCapsule(blockBytes());
        byte[] before = pattern("OffsetBeyondCapsule, before", 0, 1);
        write(queue(), 0, before);
        byte[] sent = pattern("OffsetBeyondCapsule", 0, 1);
        long offset = facts().inCapsuleBytes() + 4096L;
        Answer answer = execute(queue(), writing(0, 1), inCapsuleAt(offset, blockBytes(), sent));
        byte[] found = read(associate().io(), 0, 1);
        if (answer.isSuccess()) {
            expectSame(sent, found, 0, "the data of the capsule, or a refusal,");
            deviates("the offset of data in the capsule is not looked at", "Linux nvmet");
        } else {
            expectOffsetRefused(answer);
            expectSame(before, found, 0, "what was there before");
        }
    }

    private void expectOffsetRefused(Answer answer) {
        if (answer.kind() != Answer.Kind.CONNECTION_ENDED) {
            expectStatus(answer, Status.SGL_OFFSET_INVALID, Status.INVALID_FIELD, Status.SGL_DATA_LENGTH_INVALID);
        }
    }

    @Check(
            says =
                    "Write whose capsule has more data than its SGL describes: answered or ended, and the queue stays in step",
            source = "NVMe/TCP 1.0 s3.3.2.1: PLEN tells where the next PDU begins",
            needs = Needs.DATA_LOSS)
    void moreInCapsuleThanDescribed() throws IOException {
        needsCapsule(2 * blockBytes());
        byte[] sent = pattern("MoreInCapsuleThanDescribed", 0, 2);
        Answer answer = execute(queue(), writing(0, 1), inCapsuleAt(0, blockBytes(), sent));
        expect(answer.kind() != Answer.Kind.SILENCE, "an answer or the end of the connection", answer);
        if (!answer.isSuccess() && answer.isCompleted()) {
            expectStatus(answer, Status.SGL_DATA_LENGTH_INVALID, Status.SGL_OFFSET_INVALID, Status.INVALID_FIELD);
        }
        Answer next = queue().isOpen() ? tryRead(queue(), 0, 1) : null;
        if (next != null && next.kind() == Answer.Kind.CONNECTION_ENDED && answer.isCompleted()) {
            deviates("data in a capsule beyond what its SGL describes is taken for the next PDU", "Linux nvmet");
        } else if (next != null) {
            expectSuccess(next, "the next Read");
        }
        read(associate().io(), 0, 1);
    }

    @Check(
            says = "Write whose capsule has less data than its SGL describes: refused or ended, and nothing written",
            source = "NVMe/TCP 1.0 s3.3.2.1",
            needs = Needs.DATA_LOSS)
    void lessInCapsuleThanDescribed() throws IOException {
        needsCapsule(2 * blockBytes());
        byte[] before = pattern("LessInCapsuleThanDescribed, before", 0, 2);
        write(queue(), 0, before);
        byte[] sent = pattern("LessInCapsuleThanDescribed", 0, 1);
        Answer answer = execute(queue(), writing(0, 2), inCapsuleAt(0, 2 * blockBytes(), sent));
        if (answer.kind() == Answer.Kind.SILENCE) {
            deviates("what is missing in a capsule is taken from the next PDU", "Linux nvmet");
        } else if (answer.isCompleted()) {
            expectStatus(answer, Status.SGL_DATA_LENGTH_INVALID, Status.SGL_OFFSET_INVALID, Status.INVALID_FIELD);
            expectSuccess(tryRead(queue(), 0, 1), "the next Read");
        }
        expectContent(associate().io(), 0, before, "what was there before");
    }

    private void needsCapsule(int lengthBytes) {
        skipUnless(lengthBytes <= facts().inCapsuleBytes(), "a capsule has no room for " + lengthBytes + " bytes");
    }

    private static Payload inCapsuleAt(long offset, long lengthBytes, byte... sent) {
        return Payload.inCapsule(sent).sgl(sgl -> sgl.set(SglDescriptor.IN_CAPSULE, offset, lengthBytes));
    }
}
