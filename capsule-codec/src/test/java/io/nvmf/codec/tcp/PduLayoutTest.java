package io.nvmf.codec.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Crc32c;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.TestBytes;
import io.nvmf.codec.tcp.PduType.Direction;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PduLayoutTest {
    private static final PduFormat PLAIN_H2C = PduFormat.initial(Direction.H2C);
    private static final PduFormat PLAIN_C2H = PduFormat.initial(Direction.C2H);
    private static final PduFormat DIGESTS_H2C = new PduFormat(Direction.H2C, true, true, 4);
    private static final PduFormat DIGESTS_C2H = new PduFormat(Direction.C2H, true, true, 4);

    @Test
    void shouldPlaceEachFieldOfInitializeRequest() {
        ByteBuffer header = TestBytes.dirty(129);
        InitializeConnection.encodeRequest(header, 0, 0, 0);
        TestBytes.assertBytes("00 00 80 00 80 00 00 00", header, 0);
        TestBytes.assertZero(header, 8, 128);
        assertEquals((byte) 0xEE, header.get(128));

        InitializeConnection.encodeRequest(header, 31, 3, 0x8403_0201L);
        TestBytes.assertBytes("00 00 80 00 80 00 00 00 00 00 1f 03 01 02 03 84 00", header, 0);
        TestBytes.assertZero(header, 16, 128);
    }

    @Test
    void shouldPlaceEachFieldOfInitializeResponse() {
        ByteBuffer header = TestBytes.dirty(128);
        InitializeConnection.encodeResponse(header, 1, InitializeConnection.DIGEST_DATA, 0x20_0000);
        TestBytes.assertBytes("01 00 80 00 80 00 00 00 00 00 01 02 00 00 20 00 00", header, 0);
        TestBytes.assertZero(header, 16, 128);
    }

    @Test
    void shouldReadEachFieldOfInitializePdus() {
        ByteBuffer header = TestBytes.of("00 00 80 00 80 00 00 00 CD AB 9F FE 01 02 03 84");
        assertEquals(0xABCD, InitializeConnection.formatVersion(header));
        assertEquals(0x9F, InitializeConnection.alignmentZeroBased(header));
        assertEquals(0xFE, InitializeConnection.digests(header));
        assertEquals(0x8403_0201L, InitializeConnection.maxR2tZeroBased(header));
        assertEquals(0x8403_0201L, InitializeConnection.maxH2cDataBytes(header));
    }

    @Test
    void shouldEncodeKeepAliveCapsuleWithHeaderDigest() {
        PduFormat format = new PduFormat(Direction.H2C, true, false, 4);
        ByteBuffer pdu = TestBytes.dirty(76);
        Capsule.encodeCommandHeader(pdu, format, 0);
        Sqe sqe = new Sqe().wrap(pdu, Capsule.ENTRY_OFFSET);
        sqe.clear(Opcode.Admin.KEEP_ALIVE).commandId(0x1234);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, 0);
        pdu.putInt(72, new Crc32c().of(pdu.array(), 0, 72));
        TestBytes.assertBytes("04 01 48 00 4c 00 00 00 18 40 34 12 00", pdu, 0);
        TestBytes.assertZero(pdu, 12, 47);
        TestBytes.assertBytes("5a 00", pdu, 47);
        TestBytes.assertZero(pdu, 48, 72);
        TestBytes.assertBytes("39 1e cd ed", pdu, 72);
    }

    @Test
    void shouldEncodeCommandCapsuleHeader() {
        ByteBuffer header = TestBytes.dirty(72);
        Capsule.encodeCommandHeader(header, PLAIN_H2C, 0);
        TestBytes.assertBytes("04 00 48 00 48 00 00 00 ee", header, 0);
        Capsule.encodeCommandHeader(header, PLAIN_H2C, 0x2000);
        TestBytes.assertBytes("04 00 48 48 48 20 00 00 ee", header, 0);
        Capsule.encodeCommandHeader(header, DIGESTS_H2C, 0x2000);
        TestBytes.assertBytes("04 03 48 4c 50 20 00 00 ee", header, 0);
        Capsule.encodeCommandHeader(header, DIGESTS_H2C, 0);
        TestBytes.assertBytes("04 01 48 00 4c 00 00 00 ee", header, 0);
        Capsule.encodeCommandHeader(header, new PduFormat(Direction.H2C, true, true, 128), 0x2000);
        TestBytes.assertBytes("04 03 48 80 84 20 00 00 ee", header, 0);
    }

    @Test
    void shouldEncodeResponseCapsule() {
        ByteBuffer pdu = TestBytes.dirty(25);
        Capsule.encodeResponseHeader(pdu, PLAIN_C2H);
        new Cqe().wrap(pdu, Capsule.ENTRY_OFFSET).set(1, 2, 3, Status.INVALID_FIELD);
        TestBytes.assertBytes("05 00 18 00 18 00 00 00 01 00 00 00 00 00 00 00 02 00 00 00 03 00 04 00 ee", pdu, 0);
        Capsule.encodeResponseHeader(pdu, DIGESTS_C2H);
        TestBytes.assertBytes("05 01 18 00 1c 00 00 00", pdu, 0);
    }

    @Test
    void shouldPlaceEachFieldOfHostData() {
        ByteBuffer header = TestBytes.dirty(25);
        DataPdu.encodeH2C(header, DIGESTS_H2C, 0xABCD, 0x9234, 0x8403_0201L, 0x10_0000, PduHeader.LAST_PDU);
        TestBytes.assertBytes("06 07 18 1c 20 00 10 00 cd ab 34 92 01 02 03 84 00 00 10 00 00 00 00 00 ee", header, 0);
        assertEquals(0xABCD, DataPdu.commandId(header));
        assertEquals(0x9234, DataPdu.transferTag(header));
        assertEquals(0x8403_0201L, DataPdu.offsetBytes(header));
        assertEquals(0x10_0000, DataPdu.lengthBytes(header));
    }

    @Test
    void shouldPlaceEachFieldOfControllerData() {
        ByteBuffer header = TestBytes.dirty(25);
        DataPdu.encodeC2H(header, PLAIN_C2H, 0xABCD, 0x1000, 0x200, PduHeader.LAST_PDU | PduHeader.SUCCESS);
        TestBytes.assertBytes("07 0c 18 18 18 02 00 00 cd ab 00 00 00 10 00 00 00 02 00 00 00 00 00 00 ee", header, 0);
        assertTrue(PduHeader.hasFlag(header, PduHeader.SUCCESS));
        assertEquals(0x0C, PduHeader.flags(header));
    }

    @Test
    void shouldAlignDataOfControllerAsTheHostAsked() {
        ByteBuffer header = TestBytes.dirty(24);
        DataPdu.encodeC2H(header, new PduFormat(Direction.C2H, false, true, 64), 1, 0, 0x1000, 0);
        TestBytes.assertBytes("07 02 18 40 44 10 00 00", header, 0);
    }

    @Test
    void shouldPlaceEachFieldOfReadyToTransfer() {
        ByteBuffer header = TestBytes.dirty(25);
        R2T.encode(header, PLAIN_C2H, 0xABCD, 0x9234, 0x8403_0201L, 0x8000_0000L);
        TestBytes.assertBytes("09 00 18 00 18 00 00 00 cd ab 34 92 01 02 03 84 00 00 00 80 00 00 00 00 ee", header, 0);
        assertEquals(0xABCD, R2T.commandId(header));
        assertEquals(0x9234, R2T.transferTag(header));
        assertEquals(0x8403_0201L, R2T.offsetBytes(header));
        assertEquals(0x8000_0000L, R2T.lengthBytes(header));
        R2T.encode(header, DIGESTS_C2H, 0, 0, 0, 0);
        TestBytes.assertBytes("09 01 18 00 1c 00 00 00", header, 0);
    }

    @Test
    void shouldPlaceEachFieldOfTermination() {
        ByteBuffer refused = TestBytes.of("06 00 17 18 20 00 00 00 55");
        ByteBuffer term = TestBytes.dirty(33);
        PduException reason = new PduException(FatalErrorStatus.HEADER_DIGEST_ERROR, 0x8403_0201, "test");
        assertEquals(32, TermReq.encode(term, PduType.C2H_TERM_REQ, reason, refused, 8));
        TestBytes.assertBytes("03 00 18 00 20 00 00 00 03 00 01 02 03 84 00 00", term, 0);
        TestBytes.assertZero(term, 16, 24);
        TestBytes.assertBytes("06 00 17 18 20 00 00 00 ee", term, 24);
        assertEquals(3, TermReq.status(term));
        assertEquals(0x8403_0201, TermReq.information(term));
    }

    @Test
    void shouldReadCommonHeaderUnsigned() {
        ByteBuffer header = TestBytes.of("F7 8F 98 FC FE FF FF FF");
        assertEquals(0xF7, PduHeader.type(header));
        assertEquals(0x8F, PduHeader.flags(header));
        assertEquals(0x98, PduHeader.headerLength(header));
        assertEquals(0xFC, PduHeader.dataOffset(header));
        assertEquals(0xFFFF_FFFEL, PduHeader.pduLength(header));
    }

    @Test
    void shouldKnowEachTypeByItsNumber() {
        int known = 0;
        for (int code = -1; code <= 256; code++) {
            PduType type = PduType.of(code);
            if (type != null) {
                assertEquals(code, type.code());
                known++;
            }
        }
        assertEquals(9, known);
        assertNull(PduType.of(0x08));
        assertNull(PduType.of(0x0A));
        assertEquals(PduType.R2T, PduType.of(0x09));
    }

    @Test
    void shouldNameFatalErrorStatusKnownOrNot() {
        assertEquals("header digest error", FatalErrorStatus.nameOf(3));
        assertEquals("unknown fatal error status 7", FatalErrorStatus.nameOf(7));
        for (FatalErrorStatus status : FatalErrorStatus.values()) {
            assertEquals(status.ordinal() + 1, status.code());
        }
    }

    @Test
    void shouldLeaveRoomForDigestsAndPadding() {
        assertEquals(72, PLAIN_H2C.dataOffset(PduType.CAPSULE_CMD));
        assertEquals(76, DIGESTS_H2C.dataOffset(PduType.CAPSULE_CMD));
        assertEquals(24, PLAIN_C2H.dataOffset(PduType.C2H_DATA));
        assertEquals(32, new PduFormat(Direction.C2H, true, false, 16).dataOffset(PduType.C2H_DATA));
        assertEquals(0, DIGESTS_H2C.headerDigestBytes(PduType.IC_REQ));
        assertEquals(0, DIGESTS_H2C.headerDigestBytes(PduType.H2C_TERM_REQ));
        assertEquals(4, DIGESTS_C2H.headerDigestBytes(PduType.R2T));
        assertEquals(4, DIGESTS_C2H.dataDigestBytes());
        assertEquals(0, PLAIN_C2H.dataDigestBytes());
    }

    @Test
    void shouldTellDataLengthWithoutPaddingAndDigests() {
        ByteBuffer header = Bytes.allocate(72);
        PduFormat format = new PduFormat(Direction.H2C, true, true, 128);
        Capsule.encodeCommandHeader(header, format, 0x2001);
        assertEquals(0x2001, format.dataLength(header, PduType.CAPSULE_CMD));
        Capsule.encodeCommandHeader(header, format, 0);
        assertEquals(0, format.dataLength(header, PduType.CAPSULE_CMD));
        header.put(0, TestBytes.of("02 00 18 00 98 00 00 00"), 0, 8);
        assertEquals(128, format.dataLength(header, PduType.H2C_TERM_REQ));
    }
}
