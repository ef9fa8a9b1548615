package io.nvmf.conformance.suite;

import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.log.TransportType;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;

/** How data may be described, and what becomes of other descriptions. */
@SuiteName("IO.SGL")
public final class IoSglSuite extends IoSuite {
    private static final int PSDT_SHIFT = 6;
    private static final int BIT_BUCKET = 0x10;
    private static final int SEGMENT = 0x20;
    private static final int RESERVED_TYPE = 0x60;
    private static final int SGLS_BIT_BUCKET = 1 << 16;

    // ---- PSDT

    @Check(
            says = "Read with PSDT 0, PRPs: Invalid Field, or PSDT is not looked at",
            source = "NVMe-oF 1.1 s2.1.1",
            level = Level.INFO)
    void psdtPrp() throws IOException {
        expectPsdtRefusedOrIgnored(0);
    }

    @Check(
            says = "Read with PSDT 2, metadata by an SGL segment: Invalid Field, or the same as with PSDT 1",
            source = "NVMe-oF 1.1 s2.1.1",
            level = Level.INFO)
    void psdtMetadataSegment() throws IOException {
        expectPsdtRefusedOrIgnored(2);
    }

    @Check(
            says = "Read with PSDT 3, which is reserved: Invalid Field, or PSDT is not looked at",
            source = "NVMe-oF 1.1 s2.1.1",
            level = Level.INFO)
    void psdtReserved() throws IOException {
        expectPsdtRefusedOrIgnored(3);
    }

    private void expectPsdtRefusedOrIgnored(int psdt) throws IOException {
        Sqe sqe = reading(0, 1);
        sqe.buffer().put(sqe.offset() + Sqe.FLAGS_OFFSET, (byte) (psdt << PSDT_SHIFT));
        expectStatus(execute(queue(), sqe, Payload.in(blockBytes())), Status.INVALID_FIELD, Status.SUCCESS);
    }

    // ---- types of descriptors

    @Check(
            says = "Read into a bit bucket, which SGLS does not offer: SGL Descriptor Type Invalid",
            source = "NVMe-oF 1.1 s2.3")
    void bitBucket() throws IOException {
        skipUnless(
                !facts().controller().has(IdentifyController.Field.SGLS, SGLS_BIT_BUCKET), "SGLS offers bit buckets");
        expectTypeRefused(BIT_BUCKET);
    }

    @Check(
            says = "Read described by a segment in the host's memory: SGL Descriptor Type Invalid",
            source = "NVMe-oF 1.1 s2.3")
    void segment() throws IOException {
        expectTypeRefused(SEGMENT);
    }

    @Check(says = "Read described by a reserved type: SGL Descriptor Type Invalid", source = "NVMe Base 2.0 s4.1.2")
    void reservedType() throws IOException {
        expectTypeRefused(RESERVED_TYPE);
    }

    @Check(says = "Read described as another transport does: SGL Descriptor Type Invalid", source = "NVMe-oF 1.1 s2.3")
    void typeOfOtherTransport() throws IOException {
        expectTypeRefused(isTcp() ? SglDescriptor.KEYED : SglDescriptor.TRANSPORT_DATA_BLOCK);
    }

    @Check(
            says = "Write described by a reserved type: SGL Descriptor Type Invalid, and nothing written",
            source = "NVMe Base 2.0 s4.1.2",
            needs = Needs.DATA_LOSS)
    void writeOfReservedType() throws IOException {
        controller();
        int count = fetchedBlocks();
        byte[] before = pattern("WriteOfReservedType, before", 0, count);
        write(queue(), 0, before);
        byte[] data = pattern("WriteOfReservedType", 0, count);
        Payload payload = Payload.fetched(data).sgl(sgl -> sgl.set(RESERVED_TYPE, 0, data.length));
        Answer answer = execute(queue(), writing(0, count), payload);
        expectTypeRefused(answer);
        expectContent(usable(), 0, answer.isSuccess() ? data : before, "all of the data or nothing of it");
    }

    private void expectTypeRefused(int identifier) throws IOException {
        Payload payload = Payload.in(blockBytes()).sgl(sgl -> sgl.set(identifier, 0, blockBytes()));
        expectTypeRefused(execute(queue(), reading(0, 1), payload));
        read(usable(), 0, 1);
    }

    private void expectTypeRefused(Answer answer) {
        if (answer.kind() == Answer.Kind.CONNECTION_ENDED) {
            deviates("a descriptor that cannot be ends the connection", "SPDK");
            return;
        }
        if (answer.isSuccess()) {
            deviates("the type of a descriptor is not looked at", "Linux nvmet");
            return;
        }
        expectStatus(answer, Status.SGL_TYPE_INVALID, Status.INVALID_FIELD, Status.SGL_SEGMENT_DESCRIPTOR_INVALID);
    }

    /** The queue, or another when the target has ended it. */
    private RawQueue usable() throws IOException {
        return queue().isOpen() ? queue() : associate().io();
    }

    private boolean isTcp() {
        return bench().target().transport() == TransportType.TCP;
    }

    // ---- data in the capsule

    @Check(
            says = "Read described as data in the capsule: refused",
            source = "NVMe-oF 1.1 s2.3: the capsule has no data for the host")
    void inCapsuleForRead() throws IOException {
        Payload payload = Payload.in(blockBytes()).sgl(sgl -> sgl.set(SglDescriptor.IN_CAPSULE, 0, blockBytes()));
        Answer answer = execute(queue(), reading(0, 1), payload);
        if (answer.isSuccess()) {
            deviates("a read described as data in the capsule is served", "SPDK");
        } else if (answer.kind() != Answer.Kind.CONNECTION_ENDED) {
            expectStatus(
                    answer,
                    Status.INVALID_FIELD,
                    Status.SGL_TYPE_INVALID,
                    Status.SGL_SEGMENT_DESCRIPTOR_INVALID,
                    Status.SGL_OFFSET_INVALID,
                    Status.SGL_DATA_LENGTH_INVALID);
        }
        read(usable(), 0, 1);
    }

    // ---- lengths that mean nothing

    @Check(
            says = "Read of a block with the greatest length an SGL can say: refused, or the block",
            source = "NVMe Base 2.0 s4.1.2; hosts must not make targets allocate memory",
            level = Level.ROBUST)
    void hugeLengthOfRead() throws IOException {
        Answer answer = execute(queue(), reading(0, 1), described(Payload.in(blockBytes()), 0xFFFF_FFFFL));
        expectLengthRefused(answer);
        read(usable(), 0, 1);
    }

    @Check(
            says =
                    "Write of a block with the greatest length an SGL can say: refused, no data fetched, and nothing written",
            source = "NVMe Base 2.0 s4.1.2; hosts must not make targets allocate memory",
            level = Level.ROBUST,
            needs = Needs.DATA_LOSS)
    void hugeLengthOfWrite() throws IOException {
        byte[] before = pattern("HugeLengthOfWrite, before", 0, 1);
        write(queue(), 0, before);
        Payload payload = described(Payload.fetched(pattern("HugeLengthOfWrite", 0, 1)), 0xFFFF_FFFFL);
        Answer answer = execute(queue(), writing(0, 1), payload);
        expectLengthRefused(answer);
        if (!answer.isSuccess()) {
            expectContent(usable(), 0, before, "what was there before");
        }
    }

    private void expectLengthRefused(Answer answer) {
        if (answer.kind() == Answer.Kind.CONNECTION_ENDED) {
            deviates("a length beyond MDTS ends the connection", "SPDK");
            return;
        }
        if (answer.isCompleted() && answer.status() == Status.INTERNAL_ERROR) {
            deviates("a length beyond MDTS is refused for want of memory", "Linux nvmet");
            return;
        }
        expectStatus(answer, Status.SGL_DATA_LENGTH_INVALID, Status.INVALID_FIELD, Status.SUCCESS);
    }

    @Check(
            says = "Flush with an SGL that describes data: completed, and no data moves",
            source = "NVMe Base 2.0 s4.1.2; Flush has no data",
            level = Level.ROBUST)
    void lengthWithoutData() throws IOException {
        controller();
        Sqe flush = Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(nsid());
        Answer answer = execute(queue(), flush, described(Payload.NONE, 4096));
        expectStatus(answer, Status.SUCCESS, Status.SGL_DATA_LENGTH_INVALID, Status.INVALID_FIELD);
        read(queue(), 0, 1);
    }
}
