package io.nvmf.codec.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.TestBytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LogTest {
    @Test
    void shouldPlaceEachFieldOfCommand() {
        Sqe sqe = GetLogPageCommand.encode(Sqe.allocate(), LogPageId.DISCOVERY, 0x4_8D16_0L, 0x0102_0304_0506_0708L);
        GetLogPageCommand.lsp(sqe, 0x55);
        GetLogPageCommand.retainAsyncEvent(sqe, true);
        GetLogPageCommand.csi(sqe, 0x81);
        GetLogPageCommand.specificId(sqe, 0xA0B1);
        TestBytes.assertBytes("02 40 00 00", sqe.buffer(), 0);
        TestBytes.assertBytes("70 d5 57 34 12 00 b1 a0 08 07 06 05 04 03 02 01 00 00 00 81", sqe.buffer(), 40);

        GetLogPageCommand.retainAsyncEvent(sqe, false);
        GetLogPageCommand.lsp(sqe, 0);
        GetLogPageCommand.specificId(sqe, 0);
        TestBytes.assertBytes("70 00 57 34 12 00 00 00", sqe.buffer(), 40);
        GetLogPageCommand.csi(sqe.cdw(14, 0x8180_007FL), 0);
        TestBytes.assertBytes("7f 00 80 00", sqe.buffer(), 56);
    }

    @Test
    void shouldReadEachFieldOfCommand() {
        ByteBuffer buffer = Bytes.allocate(Sqe.BYTES);
        buffer.put(40, TestBytes.of("81 D5 FE FF 34 82 CD AB 08 07 06 05 04 03 02 81 FF 00 80 82"), 0, 20);
        Sqe sqe = new Sqe().wrap(buffer, 0);
        assertEquals(0x81, GetLogPageCommand.lid(sqe));
        assertEquals(0x55, GetLogPageCommand.lsp(sqe));
        assertTrue(GetLogPageCommand.retainAsyncEvent(sqe));
        assertEquals(0x8234_FFFFL * 4, GetLogPageCommand.lengthBytes(sqe));
        assertEquals(0xABCD, GetLogPageCommand.specificId(sqe));
        assertEquals(0x8102_0304_0506_0708L, GetLogPageCommand.logOffset(sqe));
        assertEquals(0x7F, GetLogPageCommand.uuidIndex(sqe));
        assertTrue(GetLogPageCommand.offsetIsIndex(sqe));
        assertEquals(0x82, GetLogPageCommand.csi(sqe));
    }

    @Test
    void shouldCountDwordsFromZeroUpToTheirLimit() {
        Sqe sqe = Sqe.allocate();
        GetLogPageCommand.encode(sqe, 2, 4, 0);
        TestBytes.assertBytes("02 00 00 00 00 00 00 00", sqe.buffer(), 40);
        assertEquals(4, GetLogPageCommand.lengthBytes(sqe));
        GetLogPageCommand.encode(sqe, 2, 1L << 34, 0);
        TestBytes.assertBytes("02 00 ff ff ff ff 00 00", sqe.buffer(), 40);
        assertEquals(1L << 34, GetLogPageCommand.lengthBytes(sqe));
        assertThrows(IllegalArgumentException.class, () -> GetLogPageCommand.encode(sqe, 2, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> GetLogPageCommand.encode(sqe, 2, 6, 0));
        assertThrows(IllegalArgumentException.class, () -> GetLogPageCommand.encode(sqe, 2, (1L << 34) + 4, 0));
    }

    @Test
    void shouldMarkSupportedLogPages() {
        ByteBuffer buffer = TestBytes.dirty(1025);
        SupportedLogPages.encode(buffer, 0, LogPageId.ERROR_INFORMATION, 0xFF);
        TestBytes.assertBytes("00 00 00 00 01 00 00 00 00", buffer, 0);
        TestBytes.assertBytes("01 00 00 00 ee", buffer, 1020);
        TestBytes.assertZero(buffer, 8, 1020);
        assertTrue(SupportedLogPages.isSupported(buffer, 0, 1));
        assertFalse(SupportedLogPages.isSupported(buffer, 0, 2));
        assertTrue(SupportedLogPages.isSupported(buffer, 0, 255));
    }

    @Test
    void shouldShiftStatusOfErrorEntryOverPhaseTag() {
        ErrorLogEntry entry = ErrorLogEntry.allocate();
        entry.status(Status.DNR | Status.INVALID_FIELD);
        ByteBuffer buffer = Bytes.allocate(64);
        entry.encode(buffer, 0);
        TestBytes.assertBytes("04 80", buffer, 12);
        buffer.put(12, (byte) 5);
        assertEquals(
                Status.DNR | Status.INVALID_FIELD,
                ErrorLogEntry.decode(buffer, 0).status());
    }

    @Test
    void shouldPlaceFirmwareSlots() {
        ByteBuffer buffer = TestBytes.dirty(512);
        new FirmwareSlotLog(1, 2, List.of("1.0", "", "12345678")).encode(buffer, 0);
        TestBytes.assertBytes("21 00 00 00 00 00 00 00 31 2e 30 20 20 20 20 20 00 00 00 00 00 00 00 00 31", buffer, 0);
        TestBytes.assertZero(buffer, 32, 512);
        assertEquals(
                new FirmwareSlotLog(1, 2, List.of("1.0", "", "12345678", "", "", "", "")),
                FirmwareSlotLog.decode(buffer, 0));
        List<String> tooMany = List.of("1", "2", "3", "4", "5", "6", "7", "8");
        assertThrows(IllegalArgumentException.class, () -> new FirmwareSlotLog(1, 0, tooMany));
    }

    @Test
    void shouldTellOverflowOfChangedNamespaces() {
        ByteBuffer buffer = TestBytes.dirty(4096);
        ChangedNamespaceList.encode(buffer, 0, LongStream.rangeClosed(1, 1025).toArray());
        TestBytes.assertBytes("ff ff ff ff 00 00 00 00", buffer, 0);
        TestBytes.assertZero(buffer, 8, 4096);
        assertArrayEquals(new long[] {Sqe.NSID_ALL}, ChangedNamespaceList.decode(buffer, 0));

        long[] exactlyFull = LongStream.rangeClosed(1, 1024).toArray();
        ChangedNamespaceList.encode(buffer, 0, exactlyFull);
        assertArrayEquals(exactlyFull, ChangedNamespaceList.decode(buffer, 0));
    }

    @Test
    void shouldPlaceEffectsOfAdminAndIoCommands() {
        CommandsSupportedAndEffects log = CommandsSupportedAndEffects.allocate();
        log.admin(Opcode.Admin.IDENTIFY, CommandsSupportedAndEffects.SUPPORTED);
        log.io(Opcode.Nvm.WRITE, 0x8000_0003);
        log.io(0xFF, 1);
        ByteBuffer buffer = TestBytes.dirty(4097);
        log.encode(buffer, 0);
        TestBytes.assertBytes("01 00 00 00", buffer, 24);
        TestBytes.assertBytes("03 00 00 80", buffer, 1028);
        TestBytes.assertBytes("01 00 00 00", buffer, 2044);
        TestBytes.assertZero(buffer, 2048, 4096);
        CommandsSupportedAndEffects decoded = CommandsSupportedAndEffects.decode(buffer, 0);
        assertEquals(1, decoded.admin(0x06));
        assertEquals(0x8000_0003, decoded.io(0x01));
        assertEquals(0, decoded.io(0x02));
    }

    @Test
    void shouldPlaceGroupsOfAnaLog() {
        AnaLog log = new AnaLog(
                0x0102_0304_0506_0708L,
                List.of(
                        new AnaLog.Group(1, AnaLog.STATE_OPTIMIZED, 9, new long[] {1, 0xFFFF_FFFDL}),
                        new AnaLog.Group(0x8000_0002L, AnaLog.STATE_CHANGE, 10, new long[0])));
        assertEquals(16 + 40 + 32, log.lengthBytes());
        ByteBuffer buffer = TestBytes.dirty(90);
        log.encode(buffer, 1);
        TestBytes.assertBytes("ee 08 07 06 05 04 03 02 01 02 00 00 00 00 00 00 00", buffer, 0);
        TestBytes.assertBytes("01 00 00 00 02 00 00 00 09 00 00 00 00 00 00 00 01 00", buffer, 17);
        TestBytes.assertBytes("01 00 00 00 fd ff ff ff", buffer, 49);
        TestBytes.assertBytes("02 00 00 80 00 00 00 00 0a 00 00 00 00 00 00 00 0f 00", buffer, 57);
        assertEquals((byte) 0xEE, buffer.get(89));

        AnaLog decoded = AnaLog.decode(buffer, 1, 88);
        assertEquals(log.changeCount(), decoded.changeCount());
        assertArrayEquals(new long[] {1, 0xFFFF_FFFDL}, decoded.groups().get(0).nsids());
        assertEquals(0x8000_0002L, decoded.groups().get(1).id());
        assertEquals(AnaLog.STATE_CHANGE, decoded.groups().get(1).state());
        assertEquals(10, decoded.groups().get(1).changeCount());
    }

    @Test
    void shouldRefuseAnaLogCutAnywhere() {
        AnaLog log = new AnaLog(1, List.of(new AnaLog.Group(1, 1, 1, new long[] {1, 2})));
        ByteBuffer buffer = Bytes.allocate(log.lengthBytes());
        log.encode(buffer, 0);
        for (int length = 0; length < log.lengthBytes(); length++) {
            int cut = length;
            assertThrows(IllegalArgumentException.class, () -> AnaLog.decode(buffer, 0, cut), "length " + length);
        }
        AnaLog.decode(buffer, 0, log.lengthBytes());
        assertThrows(IllegalArgumentException.class, () -> AnaLog.decode(Bytes.allocate(15), 0, 15));
        assertEquals(List.of(), AnaLog.decode(Bytes.allocate(16), 0, 16).groups());
    }

    @Test
    void shouldNotAllocateForHugeNamespaceCountOfAnaLog() {
        ByteBuffer buffer = Bytes.allocate(64);
        buffer.putShort(8, (short) 1);
        buffer.putInt(20, -1);
        assertThrows(IllegalArgumentException.class, () -> AnaLog.decode(buffer, 0, 64));
        buffer.putInt(20, 0x4000_0000);
        assertThrows(IllegalArgumentException.class, () -> AnaLog.decode(buffer, 0, 64), "four times that is 2^32");
    }

    @Test
    void shouldPlaceDiscoveryHeader() {
        ByteBuffer buffer = TestBytes.dirty(1024);
        new DiscoveryLogHeader(0x0102_0304_0506_0708L, 3, 0).encode(buffer, 0);
        TestBytes.assertBytes("08 07 06 05 04 03 02 01 03 00 00 00 00 00 00 00 00 00", buffer, 0);
        TestBytes.assertZero(buffer, 18, 1024);
        buffer.putShort(16, (short) 0x8001);
        assertEquals(new DiscoveryLogHeader(0x0102_0304_0506_0708L, 3, 0x8001), DiscoveryLogHeader.decode(buffer, 0));
    }

    @Test
    void shouldHaveSpecifiedValuesOfDiscoveryEntry() {
        assertEquals(1, DiscoveryLogEntry.TRTYPE_RDMA);
        assertEquals(3, DiscoveryLogEntry.TRTYPE_TCP);
        assertEquals(1, DiscoveryLogEntry.ADRFAM_IPV4);
        assertEquals(2, DiscoveryLogEntry.ADRFAM_IPV6);
        assertEquals(1, DiscoveryLogEntry.SUBTYPE_REFERRAL);
        assertEquals(2, DiscoveryLogEntry.SUBTYPE_NVM);
        assertEquals(3, DiscoveryLogEntry.SUBTYPE_CURRENT_DISCOVERY);
        assertEquals(6, DiscoveryLogEntry.TREQ_NOT_REQUIRED | DiscoveryLogEntry.TREQ_DISABLE_SQ_FLOW_CONTROL);
        assertEquals(0xFFFF, DiscoveryLogEntry.CNTLID_DYNAMIC);
    }

    @Test
    void shouldPlaceRdmaSettingsOfDiscoveryEntry() {
        ByteBuffer buffer = TestBytes.dirty(1024);
        DiscoveryLogEntry entry = DiscoveryLogEntry.allocate();
        entry.set(DiscoveryLogEntry.Field.RDMA_QPTYPE, DiscoveryLogEntry.RDMA_QPTYPE_CONNECTED);
        entry.set(DiscoveryLogEntry.Field.RDMA_PRTYPE, DiscoveryLogEntry.RDMA_PRTYPE_ROCE_V2);
        entry.set(DiscoveryLogEntry.Field.RDMA_CMS, DiscoveryLogEntry.RDMA_CMS_RDMA_CM);
        entry.set(DiscoveryLogEntry.Field.RDMA_PKEY, 0x8102);
        entry.encode(buffer, 0);
        TestBytes.assertBytes("01 04 01 00 00 00 00 00 02 81 00", buffer, 768);
        assertEquals(2, DiscoveryLogEntry.RDMA_QPTYPE_DATAGRAM);
        assertEquals(1, DiscoveryLogEntry.RDMA_PRTYPE_NOT_SPECIFIED);
        assertEquals(2, DiscoveryLogEntry.RDMA_PRTYPE_INFINIBAND);
        assertEquals(3, DiscoveryLogEntry.RDMA_PRTYPE_ROCE);
        assertEquals(5, DiscoveryLogEntry.RDMA_PRTYPE_IWARP);
    }

    @Test
    void shouldHaveSpecifiedEffectBits() {
        assertEquals(0x3, CommandsSupportedAndEffects.SUPPORTED | CommandsSupportedAndEffects.BLOCK_CONTENT_CHANGE);
        assertEquals(0x4, CommandsSupportedAndEffects.NAMESPACE_CAPABILITY_CHANGE);
        assertEquals(0x8, CommandsSupportedAndEffects.NAMESPACE_INVENTORY_CHANGE);
        assertEquals(0x10, CommandsSupportedAndEffects.CONTROLLER_CAPABILITY_CHANGE);
    }

    @Test
    void shouldPlaceTextsOfDiscoveryEntry() {
        DiscoveryLogEntry entry = DiscoveryLogEntry.allocate();
        entry.serviceId("4420");
        entry.subsystemNqn("nqn");
        entry.transportAddress("::1");
        ByteBuffer buffer = TestBytes.dirty(1024);
        entry.encode(buffer, 0);
        TestBytes.assertZero(buffer, 0, 32);
        TestBytes.assertBytes("34 34 32 30" + " 20".repeat(28) + " 00", buffer, 32);
        TestBytes.assertZero(buffer, 64, 256);
        TestBytes.assertBytes("6e 71 6e 00 00", buffer, 256);
        TestBytes.assertBytes("3a 3a 31" + " 20".repeat(253) + " 00", buffer, 512);
        TestBytes.assertZero(buffer, 768, 1024);
    }

    @Test
    void shouldTrimEitherPaddingOfDiscoveryEntry() {
        for (char pad : new char[] {'\0', ' '}) {
            ByteBuffer buffer = Bytes.allocate(1024);
            Bytes.putAscii(buffer, 32, 32, "4420", pad);
            Bytes.putAscii(buffer, 256, 256, "nqn", pad);
            Bytes.putAscii(buffer, 512, 256, "10.0.2.2", pad);
            DiscoveryLogEntry entry = DiscoveryLogEntry.decode(buffer, 0);
            assertEquals("4420", entry.serviceId());
            assertEquals("nqn", entry.subsystemNqn());
            assertEquals("10.0.2.2", entry.transportAddress());
        }
    }

    @Test
    void shouldReadDiscoveryTextThatFillsItsField() {
        ByteBuffer buffer = Bytes.allocate(1024);
        buffer.put(512, "a".repeat(256).getBytes(StandardCharsets.US_ASCII));
        buffer.put(768, (byte) 'b');
        assertEquals("a".repeat(256), DiscoveryLogEntry.decode(buffer, 0).transportAddress());
    }

    @Test
    void shouldPlaceEntriesOfFeatures() {
        ByteBuffer page = Bytes.allocate(4 + FeaturesSupportedAndEffects.BYTES);
        FeaturesSupportedAndEffects.entry(
                page, 4, 0x84, FeaturesSupportedAndEffects.SUPPORTED | FeaturesSupportedAndEffects.SCOPE_NAMESPACE);
        TestBytes.assertBytes("01 00 10 00 00", page, 4 + 4 * 0x84);
        assertEquals(0x0010_0001, FeaturesSupportedAndEffects.entry(page, 4, 0x84));
        assertEquals(0, FeaturesSupportedAndEffects.entry(page, 4, 0x83));
        assertThrows(IllegalArgumentException.class, () -> FeaturesSupportedAndEffects.entry(page, 5, 0));
    }
}
