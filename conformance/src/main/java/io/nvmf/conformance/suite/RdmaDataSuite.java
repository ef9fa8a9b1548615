package io.nvmf.conformance.suite;

import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RdmaQueue;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.Consumer;

/** How data travels over RDMA: by keyed descriptors, one or several, and in the capsule. */
@SuiteName(value = "RDMA.DATA", over = SuiteName.Over.RDMA)
public final class RdmaDataSuite extends RdmaIoSuite {
    private static final String SOURCE = "NVMe-oF 1.1 s7.2";
    /** Keyed data blocks at an offset, and of a subtype that only TCP has. */
    private static final int KEYED_OFFSET = 0x41;

    private static final int KEYED_TRANSPORT = 0x4A;

    // ---- one keyed descriptor

    @Check(
            says = "Writes and reads by a keyed descriptor, from one block to MDTS: what was written is read",
            source = SOURCE,
            needs = Needs.DATA_LOSS)
    void keyedSizes() throws IOException {
        RdmaQueue io = io(associate());
        int most = mostBytes();
        for (int bytes = facts().blockBytes(); bytes < most; bytes *= 4) {
            expectRoundTrip(io, bytes);
        }
        expectRoundTrip(io, most);
    }

    @Check(
            says = "A keyed descriptor with subtype Fh: the response invalidates its key and no other, or none",
            source = SOURCE,
            needs = Needs.DATA_LOSS)
    void invalidate() throws IOException {
        RdmaQueue io = io(associate());
        askToInvalidate(io);
        for (int i = 0; i < 4; i++) {
            expectRoundTrip(io, 4 * facts().blockBytes());
        }
    }

    private void askToInvalidate(RdmaQueue queue) {
        skipUnless(
                queue.rdma().takesInvalidation(), "memory that is registered here cannot be invalidated by a target");
        queue.invalidate(true);
    }

    @Check(
            says = "A keyed descriptor with subtype 0: the response invalidates nothing, data in both directions",
            source = SOURCE,
            needs = Needs.DATA_LOSS)
    void noInvalidate() throws IOException {
        RdmaQueue io = io(associate());
        for (int i = 0; i < 4; i++) {
            expectRoundTrip(io, 4 * facts().blockBytes());
        }
    }

    @Check(says = "A failing read with subtype Fh: an error, and no other key is invalidated with it", source = SOURCE)
    void invalidateOfFailure() throws IOException {
        RdmaQueue io = io(associate());
        askToInvalidate(io);
        expectStatus(
                execute(io, read(facts().blocks(), 1), Payload.in(facts().blockBytes())),
                Status.LBA_OUT_OF_RANGE,
                Status.CAPACITY_EXCEEDED);
        expectReads(io);
    }

    @Check(
            says = "A read with a transport data block (5Ah): SGL Descriptor Type Invalid or Invalid Field",
            source = SOURCE)
    void transportDataBlock() throws IOException {
        expectTypeRefused(SglDescriptor.TRANSPORT_DATA_BLOCK);
    }

    @Check(
            says = "A read with a data block by address (00h): SGL Descriptor Type Invalid or Invalid Field",
            source = SOURCE)
    void dataBlockByAddress() throws IOException {
        expectTypeRefused(0);
    }

    @Check(
            says = "A read with a keyed data block of subtype 1h or Ah: SGL Descriptor Type Invalid or Invalid Field",
            source = SOURCE,
            level = Level.SHOULD)
    void keyedSubtypes() throws IOException {
        expectTypeRefused(KEYED_OFFSET);
        expectTypeRefused(KEYED_TRANSPORT);
    }

    /** The command alone fails: the queue goes on. */
    private void expectTypeRefused(int identifier) throws IOException {
        RdmaQueue io = io(associate());
        int bytes = facts().blockBytes();
        Payload payload = Payload.in(bytes).sgl(sgl -> sgl.set(identifier, 0, bytes));
        expectStatus(execute(io, read(0, 1), payload), Status.SGL_TYPE_INVALID, Status.INVALID_FIELD);
        expectReads(io);
    }

    // ---- several

    @Check(
            says = "As many keyed descriptors in the capsule as MSDBD says: what was written is read",
            source = SOURCE,
            level = Level.SHOULD,
            needs = Needs.DATA_LOSS)
    void severalDescriptors() throws IOException {
        int count = descriptors(0);
        RdmaQueue io = io(associate());
        io.pieces(count);
        expectRoundTrip(io, count * facts().blockBytes());
    }

    @Check(
            says = "One keyed descriptor more than MSDBD says: Invalid Number of SGL Descriptors",
            source = SOURCE,
            level = Level.SHOULD)
    void oneDescriptorTooMany() throws IOException {
        int count = descriptors(1);
        RdmaQueue io = io(associate());
        io.pieces(count);
        Payload payload = Payload.in(count * facts().blockBytes());
        expectStatus(execute(io, read(0, count), payload), Status.SGL_DESCRIPTOR_COUNT_INVALID);
        io.pieces(1);
        expectReads(io);
    }

    @Check(
            says = "A list of descriptors whose length is no multiple of 16: Invalid SGL Segment Descriptor",
            source = SOURCE,
            level = Level.SHOULD)
    void brokenList() throws IOException {
        descriptors(0);
        RdmaQueue io = io(associate());
        io.pieces(2);
        Payload payload = Payload.in(2 * facts().blockBytes()).describedAs(SglDescriptor.BYTES + 8);
        expectStatus(
                execute(io, read(0, 2), payload),
                Status.SGL_SEGMENT_DESCRIPTOR_INVALID,
                Status.SGL_DATA_LENGTH_INVALID,
                Status.INVALID_FIELD);
        io.pieces(1);
        expectReads(io);
    }

    /** MSDBD and so many more, when they fit into a capsule and a command. */
    private int descriptors(int more) {
        int most = (int) facts().controller().get(Field.MSDBD);
        skipUnless(most > 1, "MSDBD is " + most);
        skipUnlessOffsets();
        int count = most + more;
        skipUnless(
                count * SglDescriptor.BYTES <= facts().inCapsuleBytes(), "IOCCSZ has no room for so many descriptors");
        skipUnless((long) count * facts().blockBytes() <= mostBytes(), "MDTS is below a block for each descriptor");
        return count;
    }

    private void skipUnlessOffsets() {
        skipUnless(
                facts().controller().has(Field.SGLS, IdentifyController.SGLS_OFFSET),
                "SGLS allows no offset in the capsule");
    }

    // ---- in the capsule

    @Check(
            says = "A write with all the data that a capsule carries: what was written is read",
            source = SOURCE,
            needs = Needs.DATA_LOSS)
    void inCapsule() throws IOException {
        int bytes = inCapsuleBytes(0);
        RdmaQueue io = io(associate());
        byte[] data = pattern(bytes);
        expectSuccess(execute(io, write(0, bytes / facts().blockBytes()), Payload.inCapsule(data)), "the write");
        expectRead(io, data);
    }

    @Check(
            says = "A write with data at an offset in the capsule: what was written is read",
            source = SOURCE,
            needs = Needs.DATA_LOSS)
    void inCapsuleAtOffset() throws IOException {
        int block = facts().blockBytes();
        inCapsuleBytes(block);
        RdmaQueue io = io(associate());
        byte[] twice = pattern(2 * block);
        Payload payload = Payload.inCapsule(twice).sgl(sgl -> sgl.set(SglDescriptor.IN_CAPSULE, block, block));
        expectSuccess(execute(io, write(0, 1), payload), "the write");
        expectRead(io, Arrays.copyOfRange(twice, block, 2 * block));
    }

    @Check(
            says = "A write whose data ends one byte beyond what IOCCSZ says: SGL Offset Invalid",
            source = SOURCE,
            needs = Needs.DATA_LOSS)
    void inCapsuleBeyond() throws IOException {
        int bytes = facts().inCapsuleBytes();
        int block = facts().blockBytes();
        skipUnless(bytes >= block, "a capsule carries no block");
        expectOffsetRefused(new byte[bytes], sgl -> sgl.set(SglDescriptor.IN_CAPSULE, bytes - block + 1, block));
    }

    @Check(
            says = "A write whose data begins 512 bytes before the capsule's, which wraps 64 bits: SGL Offset Invalid",
            source = "the Linux target took this for an offset that fits, and read elsewhere",
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void inCapsuleOffsetWraps() throws IOException {
        int block = facts().blockBytes();
        skipUnless(facts().inCapsuleBytes() >= block, "a capsule carries no block");
        expectOffsetRefused(new byte[block], sgl -> sgl.set(SglDescriptor.IN_CAPSULE, -512, block));
    }

    private void expectOffsetRefused(byte[] capsuleData, Consumer<SglDescriptor> descriptor) throws IOException {
        skipUnlessOffsets();
        RdmaQueue io = io(associate());
        expectStatus(
                execute(io, write(0, 1), Payload.inCapsule(capsuleData).sgl(descriptor)),
                Status.SGL_OFFSET_INVALID,
                Status.INVALID_FIELD);
        expectReads(io);
    }

    @Check(
            says = "A write whose descriptor says more than the capsule carries: an error, no old memory is written",
            source = SOURCE,
            needs = Needs.DATA_LOSS)
    void inCapsuleMissing() throws IOException {
        int block = facts().blockBytes();
        skipUnless(facts().inCapsuleBytes() >= block, "a capsule carries no block");
        RdmaQueue io = io(associate());
        Payload payload = Payload.inCapsule(new byte[block / 2]).describedAs(block);
        Answer answer = execute(io, write(0, 1), payload);
        if (answer.isSuccess()) {
            deviates("what an earlier capsule left in memory is written", "Linux nvmet");
            return;
        }
        expect(answer.kind() != Answer.Kind.SILENCE, "an error or the end of the connection", answer);
        expectAlive();
    }

    @Check(
            says = "A capsule one byte longer than IOCCSZ says: the connection ends, or the command is completed",
            source = SOURCE,
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void capsuleTooLong() throws IOException {
        RdmaQueue io = io(associate());
        int bytes = facts().inCapsuleBytes() + 1;
        io.capsuleDataBytes(bytes);
        int block = facts().blockBytes();
        Payload payload = Payload.inCapsule(new byte[bytes]).describedAs(block);
        Answer answer = execute(io, write(0, 1), payload);
        expect(answer.kind() != Answer.Kind.SILENCE, "an answer or the end of the connection", answer);
        expectAlive();
    }

    /** How many whole blocks fit into a capsule after an offset, in bytes. */
    private int inCapsuleBytes(int offset) {
        if (offset > 0) {
            skipUnlessOffsets();
        }
        int block = facts().blockBytes();
        int bytes = Math.min(mostBytes(), (facts().inCapsuleBytes() - offset) / block * block);
        skipUnless(bytes >= block, "IOCCSZ leaves no room for a block in a capsule");
        return bytes;
    }

    // ---- on admin queues

    @Check(says = "Identify by a keyed descriptor with subtype 0 and with subtype Fh: the same data", source = SOURCE)
    void adminInvalidate() throws IOException {
        Association association = associate();
        byte[] plain = association.identified(1, 0).array();
        askToInvalidate((RdmaQueue) association.admin());
        byte[] invalidating = association.identified(1, 0).array();
        expect(Arrays.equals(plain, invalidating), "the same Identify Controller data", "another");
    }
}
