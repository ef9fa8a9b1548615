package io.nvmf.conformance.suite;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.DatasetRange;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A namespace that a host has protected from writes with feature 84h; every check takes the protection away in the end. */
@SuiteName(value = "IO.PROTECTED", alone = true)
public final class IoProtectionSuite extends IoSuite {
    private static final int NWPC_WRITE_PROTECT = 1;
    private static final int UNPROTECTED = 0;
    private static final int PROTECTED = 1;

    @Check(
            says =
                    "Write to a protected namespace: Namespace is Write Protected, nothing written, and Read and Flush are served",
            source = "NVMe Base 2.0 s8.12",
            level = Level.SHOULD,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void write() throws IOException {
        byte[] before = pattern("Write, before", 0, 1);
        write(queue(), 0, before);
        protecting(() -> {
            byte[] data = pattern("Write", 0, 1);
            expectProtected(tryWrite(queue(), 0, data));
            byte[] more = pattern("Write, fetched", 0, fetchedBlocks());
            expectProtected(execute(queue(), writing(0, more.length / blockBytes()), Payload.fetched(more)));
            expectContent(queue(), 0, before, "what was there before");
            expectSuccess(
                    execute(queue(), Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(nsid())), "Flush");
        });
        byte[] after = pattern("Write, after", 0, 1);
        write(queue(), 0, after);
        expectContent(queue(), 0, after, "what was written when the protection had gone");
    }

    @Check(
            says = "Write Zeroes to a protected namespace: Namespace is Write Protected, and the blocks unchanged",
            source = "NVMe Base 2.0 s8.12",
            level = Level.SHOULD,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void writeZeroes() throws IOException {
        needsCommand(IdentifyController.ONCS_WRITE_ZEROES, "Write Zeroes");
        byte[] before = pattern("WriteZeroes", 0, 1);
        write(queue(), 0, before);
        protecting(() -> {
            expectProtected(execute(queue(), on(Opcode.Nvm.WRITE_ZEROES, 0, 1)));
            expectContent(queue(), 0, before, "what was there before");
        });
    }

    @Check(
            says = "Deallocate in a protected namespace: Namespace is Write Protected, and the blocks unchanged",
            source = "NVMe Base 2.0 s8.12",
            level = Level.SHOULD,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void deallocate() throws IOException {
        needsCommand(IdentifyController.ONCS_DATASET_MANAGEMENT, "Dataset Management");
        byte[] before = pattern("Deallocate", 0, 1);
        write(queue(), 0, before);
        protecting(() -> {
            ByteBuffer range = Bytes.allocate(DatasetRange.BYTES);
            new DatasetRange().wrap(range, 0).set(0, 1);
            Sqe sqe = DatasetManagementCommand.encode(Sqe.allocate(), nsid(), 1, DatasetManagementCommand.DEALLOCATE);
            expectProtected(execute(queue(), sqe, out(range.array())));
            expectContent(queue(), 0, before, "what was there before");
        });
    }

    @Check(
            says =
                    "NSATTR and feature 84h of a protected namespace say that it is protected, and afterwards that it is not",
            source = "NVMe Base 2.0 s8.12, s5.17.2.8",
            level = Level.SHOULD,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void told() throws IOException {
        protecting(() -> expectTold(PROTECTED));
        expectTold(UNPROTECTED);
    }

    private void expectTold(int state) throws IOException {
        IdentifyNamespace namespace = IdentifyNamespace.decode(controller().identified(Cns.NAMESPACE, nsid()), 0);
        expectEquals(
                state,
                namespace.get(IdentifyNamespace.Field.NSATTR) & IdentifyNamespace.NSATTR_WRITE_PROTECTED,
                "bit 0 of NSATTR");
        Sqe sqe = FeaturesCommand.encodeGet(
                        Sqe.allocate(), FeatureId.NAMESPACE_WRITE_PROTECTION, FeaturesCommand.SELECT_CURRENT)
                .nsid(nsid());
        expectEquals(
                state,
                expectSuccess(controller().admin(sqe), "Get Features 84h").dw0(),
                "feature 84h");
    }

    /** What happens while the namespace is protected. */
    private interface Body {
        void run() throws IOException;
    }

    private void protecting(Body body) throws IOException {
        controller();
        skipUnless(
                facts().controller().has(IdentifyController.Field.NWPC, NWPC_WRITE_PROTECT),
                "NWPC does not offer write protection");
        expectSuccess(protect(PROTECTED), "Set Features 84h");
        try {
            body.run();
        } finally {
            expectSuccess(protect(UNPROTECTED), "Set Features 84h");
        }
    }

    private Answer protect(int state) throws IOException {
        return controller()
                .admin(FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.NAMESPACE_WRITE_PROTECTION, state)
                        .nsid(nsid()));
    }

    private void expectProtected(Answer answer) {
        expectStatus(answer, Status.NAMESPACE_WRITE_PROTECTED);
    }
}
