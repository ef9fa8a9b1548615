package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.NamespaceList;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Suite;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The words that checks of admin commands have in common. */
abstract class AdminSuite extends Suite {
    static final String LINUX = "Linux nvmet";
    static final String SPDK = "SPDK";
    static final String BOTH = "Linux nvmet and SPDK";

    /** DW0 of Abort: nothing was aborted. */
    static final long NOT_ABORTED = 1;

    /** How long to watch for something that must not come, in ms. */
    static final int QUIET_MS = 300;

    // ---- Identify

    final IdentifyController controllerOf(Association association) throws IOException {
        return IdentifyController.decode(association.identified(Cns.CONTROLLER, 0), 0);
    }

    final IdentifyNamespace namespaceOf(Association association, long nsid) throws IOException {
        return IdentifyNamespace.decode(association.identified(Cns.NAMESPACE, nsid), 0);
    }

    /** NSIDs of the active namespaces. */
    final long[] activeNsids(Association association) throws IOException {
        return NamespaceList.decode(association.identified(Cns.ACTIVE_NAMESPACE_LIST, 0), 0);
    }

    /** The namespace under test; without one the check does not apply. */
    final long nsid() {
        skipUnless(facts().nsid() != 0, "there is no namespace");
        return facts().nsid();
    }

    /** An NSID from 1 to NN of which no namespace is active; without one the check does not apply. */
    final long inactiveNsid(Association association) throws IOException {
        long[] active = activeNsids(association);
        long last = facts().controller().get(Field.NN);
        long nsid = 1;
        while (nsid <= last && Arrays.binarySearch(active, nsid) >= 0) {
            nsid++;
        }
        skipUnless(nsid <= last, "all namespaces up to NN are active");
        return nsid;
    }

    // ---- logs

    /** Get Log Page of the whole controller, with RAE set: events are left as they are. */
    final Answer readLog(Association association, int lid, int lengthBytes, long offset) throws IOException {
        return readLog(association, lid, Sqe.NSID_ALL, lengthBytes, offset);
    }

    final Answer readLog(Association association, int lid, long nsid, int lengthBytes, long offset) throws IOException {
        Sqe sqe = GetLogPageCommand.encode(Sqe.allocate(), lid, lengthBytes, offset);
        return association.admin(GetLogPageCommand.retainAsyncEvent(sqe.nsid(nsid), true), lengthBytes);
    }

    /** The first bytes of a log that must be there, little-endian. */
    final ByteBuffer log(Association association, int lid, int lengthBytes) throws IOException {
        Answer answer = expectSuccess(readLog(association, lid, lengthBytes, 0), "Get Log Page of LID " + hex(lid));
        return littleEndian(answer.data());
    }

    static ByteBuffer littleEndian(byte... bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static String hex(long number) {
        return Long.toHexString(number) + "h";
    }

    // ---- features

    final Answer getFeature(Association association, int featureId, int select, long nsid) throws IOException {
        return association.admin(
                FeaturesCommand.encodeGet(Sqe.allocate(), featureId, select).nsid(nsid));
    }

    /** The value of a feature that must be there. */
    final long feature(Association association, int featureId) throws IOException {
        return expectSuccess(
                        getFeature(association, featureId, FeaturesCommand.SELECT_CURRENT, 0),
                        "Get Features of FID " + hex(featureId))
                .dw0();
    }

    final Answer setFeature(Association association, int featureId, long value) throws IOException {
        return association.admin(FeaturesCommand.encodeSet(Sqe.allocate(), featureId, value));
    }

    /** Set Features with data. */
    final Answer setFeature(Association association, int featureId, byte... data) throws IOException {
        Sqe sqe = FeaturesCommand.encodeSet(Sqe.allocate(), featureId, 0);
        return execute(association.admin(), sqe, Payload.inCapsule(data));
    }

    /** Whether a command was refused because there is no such thing. */
    static boolean isUnsupported(Answer answer) {
        return answer.isCompleted() && answer.status() == Status.INVALID_FIELD;
    }

    // ---- expect

    /** Fails unless a command was completed, with whatever but success. */
    final void expectRefused(Answer answer, String what) {
        expect(answer.isCompleted() && !answer.isSuccess(), "an error for " + what, answer);
    }

    /** Fails unless an Abort says that it has aborted nothing. */
    final void expectNotAborted(Answer answer) {
        expectSuccess(answer, "Abort");
        expect((answer.dw0() & NOT_ABORTED) != 0, "DW0 bit 0, nothing was aborted", hex(answer.dw0()));
    }

    // ---- blocks

    /** Write of the first blocks of the namespace. */
    final Sqe writeOf(int blocks) {
        return ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, nsid(), 0, blocks);
    }

    final Answer write(RawQueue queue, int blocks, Payload payload) throws IOException {
        return execute(queue, writeOf(blocks), payload);
    }

    /** Fails unless the first blocks of the namespace are these. */
    final void expectRead(RawQueue queue, byte[] data) throws IOException {
        int blocks = data.length / facts().blockBytes();
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, nsid(), 0, blocks);
        Answer answer = expectSuccess(execute(queue, sqe, Payload.in(data.length)), "Read");
        int differs = Arrays.mismatch(data, answer.data());
        expect(differs < 0, "what was written", "other data from byte " + differs + " on");
    }

    /** Data that names the check and each block. */
    final byte[] pattern(String check, int blocks) {
        int blockBytes = facts().blockBytes();
        byte[] data = new byte[blocks * blockBytes];
        for (int block = 0; block < blocks; block++) {
            byte[] name = (check + ", block " + block + ". ").getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < blockBytes; i++) {
                data[block * blockBytes + i] = name[i % name.length];
            }
        }
        return data;
    }

    /** How many blocks a capsule carries; the check does not apply when it carries none. */
    final int inCapsuleBlocks() {
        nsid();
        int blocks = facts().inCapsuleBytes() / facts().blockBytes();
        skipUnless(blocks > 0, "no block fits in a capsule");
        skipUnless(blocks + 1 <= facts().blocks(), "the namespace is too small");
        return blocks;
    }
}
