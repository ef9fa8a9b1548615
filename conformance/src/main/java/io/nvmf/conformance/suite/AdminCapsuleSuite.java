package io.nvmf.conformance.suite;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.feature.HostBehavior;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.TcpQueue;
import java.io.IOException;

/** Data in capsules, which NVMe/TCP has on every queue. */
@SuiteName(value = "ADMIN.CAPSULE", over = SuiteName.Over.TCP)
public final class AdminCapsuleSuite extends AdminSuite {
    /** What every NVMe/TCP target takes in a capsule of the admin queue. */
    private static final int ADMIN_IN_CAPSULE_BYTES = 8192;

    @Check(
            says =
                    "Write with a block more in the capsule than IOCCSZ allows: an error or the end of the connection, and"
                            + " the blocks stay as they were",
            source = "NVMe-oF 1.1 s2.1.1",
            needs = Needs.DATA_LOSS)
    void beyond() throws IOException {
        int blocks = inCapsuleBlocks() + 1;
        Association association = associate();
        byte[] before = pattern("ADMIN.CAPSULE.Beyond, before", blocks);
        expectSuccess(write(association.io(), blocks, Payload.fetched(before)), "Write");
        byte[] data = pattern("ADMIN.CAPSULE.Beyond", blocks);
        TcpQueue queue = (TcpQueue) association.io();
        int commandId = queue.submit(writeOf(blocks), Payload.inCapsule(data));
        awaitEither(queue, commandId);
        // A target that has sent C2HTermReq may wait for the host to go first.
        if (queue.termReq() == null && queue.isOpen()) {
            expectRefused(queue.await(commandId, 0), data.length + " bytes in a capsule");
        }
        expectRead(associate().io(), before);
    }

    /** Waits for an answer, a C2HTermReq or the end of the connection. */
    private void awaitEither(TcpQueue queue, int commandId) throws IOException {
        boolean more = true;
        while (more && queue.termReq() == null && !queue.isAnswered(commandId)) {
            more = queue.pump(answerMs());
        }
    }

    @Check(
            says = "8192 bytes in a capsule of the admin queue, for a command that needs less: an answer, and the"
                    + " connection stays",
            source = "NVMe/TCP 1.0 s3.3")
    void adminInCapsule() throws IOException {
        Association association = associate();
        byte[] data = new byte[ADMIN_IN_CAPSULE_BYTES];
        Sqe sqe = FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.HOST_BEHAVIOR, 0);
        Answer answer = execute(association.admin(), sqe, Payload.inCapsule(data));
        expect(answer.isCompleted(), "an answer", answer);
        controllerOf(association);
    }

    @Check(
            says = "the data of an admin command in its capsule, and fetched: the same answer",
            source = "NVMe/TCP 1.0 s3.3.2; the Linux host sends it in the capsule")
    void adminDataEitherWay() throws IOException {
        Association association = associate();
        Sqe sqe = FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.HOST_BEHAVIOR, 0);
        byte[] data = new byte[HostBehavior.BYTES];
        Answer fetched = execute(association.admin(), sqe, Payload.fetched(data));
        if (fetched.kind() == Answer.Kind.SILENCE) {
            deviates("data that would fit the capsule is awaited and never asked for", LINUX);
            return;
        }
        expect(fetched.isCompleted(), "an answer", fetched);
        Answer inCapsule = execute(association.admin(), sqe, Payload.inCapsule(data));
        expect(inCapsule.isCompleted(), "an answer", inCapsule);
        expectEquals(hex(fetched.status()), hex(inCapsule.status()), "with data in the capsule, status");
    }

    @Check(
            says = "a reserved opcode whose data is in the capsule: 0/01h, and the next command is understood",
            source = "NVMe Base 2.0 s5")
    void reservedOpcode() throws IOException {
        Association association = associate();
        Answer answer = execute(
                association.admin(),
                Sqe.allocate().clear(AdminOpcodeSuite.RESERVED_WITH_DATA),
                Payload.inCapsule(new byte[4096]));
        expectStatus(answer, Status.INVALID_OPCODE);
        controllerOf(association);
    }
}
