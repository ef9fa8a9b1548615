package io.nvmf.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Submission and completion queue entries, SGL descriptors. */
class EntriesTest {
    private static final String SQE = "02 41 34 12  78 56 34 92  0B 0A 09 08  0F 0E 0D 0C  00 00 00 00  00 00 00 00"
            + "00 10 00 00 00 00 00 80  00 20 00 00  00 00 00 5A"
            + "01 02 03 84  05 06 07 88  09 0A 0B 8C  0D 0E 0F 90  11 12 13 94  15 16 17 98";

    @Test
    void shouldReadEachFieldOfSubmissionEntry() {
        ByteBuffer buffer = Bytes.allocate(72);
        buffer.put(8, TestBytes.of(SQE), 0, 64);
        Sqe sqe = new Sqe().wrap(buffer, 8);
        assertEquals(8, sqe.offset());
        assertEquals(0x02, sqe.opcode());
        assertEquals(1, sqe.fuse());
        assertEquals(1, sqe.psdt());
        assertEquals(0x1234, sqe.commandId());
        assertEquals(0x9234_5678L, sqe.nsid());
        assertEquals(0x78, sqe.fabricsType());
        assertEquals(0x0809_0A0BL, sqe.cdw(2));
        assertEquals(0x0C0D_0E0FL, sqe.cdw(3));
        assertEquals(0x8403_0201L, sqe.cdw(10));
        assertEquals(0x9817_1615L, sqe.cdw(15));
        assertEquals(0x8807_0605_8403_0201L, sqe.cdwPair(10));
        assertEquals(0x8000_0000_0000_1000L, sqe.sgl1().address());
        assertEquals(0x2000, sqe.sgl1().lengthBytes());
        assertEquals(SglDescriptor.TRANSPORT_DATA_BLOCK, sqe.sgl1().identifier());
    }

    @Test
    void shouldWriteEachFieldOfSubmissionEntry() {
        ByteBuffer buffer = TestBytes.dirty(66);
        Sqe sqe = new Sqe().wrap(buffer, 1);
        sqe.clear(0x18)
                .commandId(0x1234)
                .nsid(0xFFFF_FFFEL)
                .cdw(10, 0x8403_0201L)
                .cdwPair(12, 0x1122_3344_5566_7788L);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 0x2000);
        TestBytes.assertBytes("ee 18 40 34 12 fe ff ff ff", buffer, 0);
        TestBytes.assertZero(buffer, 9, 25);
        TestBytes.assertBytes("00 00 00 00 00 00 00 00 00 20 00 00 00 00 00 01", buffer, 25);
        TestBytes.assertBytes("01 02 03 84 00 00 00 00 88 77 66 55 44 33 22 11", buffer, 41);
        TestBytes.assertZero(buffer, 57, 65);
        assertEquals((byte) 0xEE, buffer.get(65));
    }

    @Test
    void shouldHaveSpecifiedLengths() {
        assertEquals(64, Sqe.BYTES);
        assertEquals(64, Sqe.allocate().buffer().capacity());
        assertEquals(40, Sqe.CDW10_OFFSET);
        assertEquals(16, Cqe.BYTES);
        assertEquals(16, SglDescriptor.BYTES);
    }

    @Test
    void shouldSetFabricsTypeInByteFour() {
        Sqe sqe = Sqe.allocate().clear(Opcode.FABRICS).fabricsType(0x04);
        TestBytes.assertBytes("7f 40 00 00 04 00 00 00", sqe.buffer(), 0);
    }

    @Test
    void shouldReadEachFieldOfCompletionEntry() {
        Cqe cqe = new Cqe().wrap(TestBytes.of("EE 01 02 03 84  05 06 07 88  34 92  FF FF  CD AB  05 81"), 1);
        assertEquals(0x8403_0201L, cqe.dw0());
        assertEquals(0x8807_0605_8403_0201L, cqe.result());
        assertEquals(0x9234, cqe.sqhd());
        assertEquals(0xABCD, cqe.commandId());
        assertEquals(Status.DNR | Status.of(0, 0x82), cqe.status(), "the phase tag is no part of it");
    }

    @Test
    void shouldReadStatusWithZeroLowByteAsError() {
        Cqe cqe = new Cqe().wrap(TestBytes.of("00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01"), 0);
        assertEquals(Status.LBA_OUT_OF_RANGE, cqe.status());
    }

    @Test
    void shouldWriteEachByteOfCompletionEntry() {
        ByteBuffer buffer = TestBytes.dirty(18);
        new Cqe().wrap(buffer, 1).set(0x8807_0605_8403_0201L, 0x9234, 0xABCD, Status.DNR | Status.INVALID_FIELD);
        TestBytes.assertBytes("ee 01 02 03 84 05 06 07 88 34 92 00 00 cd ab 04 80 ee", buffer, 0);
    }

    @Test
    void shouldReadKeyedDescriptor() {
        SglDescriptor sgl =
                new SglDescriptor().wrap(TestBytes.of("08 07 06 05 04 03 02 01  00 00 80  44 33 22 91  4F"), 0);
        assertEquals(0x0102_0304_0506_0708L, sgl.address());
        assertEquals(0x80_0000, sgl.keyedLengthBytes());
        assertEquals(0x9122_3344, sgl.key());
        assertEquals(SglDescriptor.KEYED_INVALIDATE, sgl.identifier());
    }

    @Test
    void shouldWriteKeyedDescriptor() {
        ByteBuffer buffer = TestBytes.dirty(18);
        SglDescriptor sgl = new SglDescriptor().wrap(buffer, 1);
        sgl.setKeyed(0x8102_0304_0506_0708L, 0x80_0201, 0x9122_3384, true);
        TestBytes.assertBytes("ee 08 07 06 05 04 03 02 81 01 02 80 84 33 22 91 4f ee", buffer, 0);
        sgl.setKeyed(1, SglDescriptor.KEYED_LENGTH_MAX, 0x0102_0304, false);
        TestBytes.assertBytes("ee 01 00 00 00 00 00 00 00 ff ff ff 04 03 02 01 40 ee", buffer, 0);
        assertEquals(0xFF_FFFF, sgl.keyedLengthBytes());
        assertEquals(0x0102_0304, sgl.key());
    }

    @Test
    void shouldRefuseLengthThatKeyedDescriptorCannotHold() {
        SglDescriptor sgl = new SglDescriptor().wrap(Bytes.allocate(16), 0);
        assertThrows(IllegalArgumentException.class, () -> sgl.setKeyed(0, 0x100_0000, 1, false));
        assertThrows(IllegalArgumentException.class, () -> sgl.setKeyed(0, -1, 1, false));
    }

    @Test
    void shouldWriteListOfDescriptorsInCapsule() {
        ByteBuffer buffer = TestBytes.dirty(16);
        new SglDescriptor().wrap(buffer, 0).set(SglDescriptor.LAST_SEGMENT_IN_CAPSULE, 0, 48);
        TestBytes.assertBytes("00 00 00 00 00 00 00 00 30 00 00 00 00 00 00 31", buffer, 0);
    }

    @Test
    void shouldWriteUnkeyedDescriptor() {
        ByteBuffer buffer = TestBytes.dirty(16);
        new SglDescriptor().wrap(buffer, 0).set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 0x8000_0001L);
        TestBytes.assertBytes("00 00 00 00 00 00 00 00 01 00 00 80 00 00 00 5a", buffer, 0);
        assertEquals(0x8000_0001L, new SglDescriptor().wrap(buffer, 0).lengthBytes());
    }

    @Test
    void shouldRefuseBigEndianBuffers() {
        ByteBuffer bigEndian = ByteBuffer.allocate(64);
        assertThrows(IllegalArgumentException.class, () -> new Sqe().wrap(bigEndian, 0));
        assertThrows(IllegalArgumentException.class, () -> new Cqe().wrap(bigEndian, 0));
        assertThrows(IllegalArgumentException.class, () -> new SglDescriptor().wrap(bigEndian, 0));
    }
}
