package io.nvmf.codec.nvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.nvmf.codec.Bytes;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.TestBytes;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class NvmCommandTest {
    @Test
    void shouldPlaceEachFieldOfReadAndWrite() {
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, 7, 0x8102_0304_0506_0708L, 0x1_0000);
        TestBytes.assertBytes("01 40 00 00 07 00 00 00", sqe.buffer(), 0);
        TestBytes.assertBytes("08 07 06 05 04 03 02 81 ff ff 00 00", sqe.buffer(), 40);
        TestBytes.assertZero(sqe.buffer(), 52, 64);
        ReadWriteCommand.forceUnitAccess(sqe, true);
        TestBytes.assertBytes("ff ff 00 40", sqe.buffer(), 48);
        ReadWriteCommand.limitedRetry(sqe, true);
        ReadWriteCommand.forceUnitAccess(sqe, false);
        TestBytes.assertBytes("ff ff 00 80", sqe.buffer(), 48);
    }

    @Test
    void shouldReadEachFieldOfReadAndWrite() {
        ByteBuffer buffer = Bytes.allocate(Sqe.BYTES);
        buffer.put(40, TestBytes.of("08 07 06 05 04 03 02 81 FF FF 00 68"), 0, 12);
        Sqe sqe = new Sqe().wrap(buffer, 0);
        assertEquals(0x8102_0304_0506_0708L, ReadWriteCommand.startBlock(sqe));
        assertEquals(0x1_0000, ReadWriteCommand.blockCount(sqe));
        assertEquals(0xA, ReadWriteCommand.protectionInfo(sqe));
        assertTrue(ReadWriteCommand.forceUnitAccess(sqe));
        assertFalse(ReadWriteCommand.limitedRetry(sqe));
        buffer.putInt(48, 0x8000_0000);
        assertEquals(1, ReadWriteCommand.blockCount(sqe));
        assertTrue(ReadWriteCommand.limitedRetry(sqe));
        assertFalse(ReadWriteCommand.forceUnitAccess(sqe));
    }

    @Test
    void shouldRefuseBlockCountThatHasNoEncoding() {
        Sqe sqe = Sqe.allocate();
        assertThrows(IllegalArgumentException.class, () -> ReadWriteCommand.encode(sqe, 2, 1, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> ReadWriteCommand.encode(sqe, 2, 1, 0, 0x1_0001));
    }

    @Test
    void shouldPlaceDeallocateOfWriteZeroes() {
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE_ZEROES, 1, 0, 1);
        assertFalse(WriteZeroesCommand.deallocate(sqe));
        WriteZeroesCommand.deallocate(sqe, true);
        TestBytes.assertBytes("00 00 00 02", sqe.buffer(), 48);
        assertTrue(WriteZeroesCommand.deallocate(sqe));
    }

    @Test
    void shouldPlaceEachFieldOfCopy() {
        Sqe sqe = CopyCommand.encode(Sqe.allocate(), 7, 0x8102_0304_0506_0708L, 256);
        TestBytes.assertBytes("19 40 00 00 07 00 00 00", sqe.buffer(), 0);
        TestBytes.assertBytes("08 07 06 05 04 03 02 81 ff 00 00 00", sqe.buffer(), 40);
        TestBytes.assertZero(sqe.buffer(), 52, 64);
        sqe.cdw(12, 0x6400_A302L);
        assertEquals(0x8102_0304_0506_0708L, CopyCommand.targetBlock(sqe));
        assertEquals(3, CopyCommand.rangeCount(sqe));
        assertEquals(3, CopyCommand.descriptorFormat(sqe));
        assertEquals(0xA, CopyCommand.readProtectionInfo(sqe));
        assertEquals(0x9, CopyCommand.writeProtectionInfo(sqe));
        assertThrows(IllegalArgumentException.class, () -> CopyCommand.encode(sqe, 1, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> CopyCommand.encode(sqe, 1, 0, 257));
    }

    @Test
    void shouldPlaceEachFieldOfCopyRange() {
        ByteBuffer buffer = Bytes.allocate(40);
        for (int i = 0; i < 40; i++) {
            buffer.put(i, (byte) 0xEE);
        }
        CopyRange range = new CopyRange().wrap(buffer, 4).set(0x8102_0304_0506_0708L, 0x1_0000);
        TestBytes.assertBytes("ee ee ee ee 00 00 00 00 00 00 00 00", buffer, 0);
        TestBytes.assertBytes("08 07 06 05 04 03 02 81 ff ff 00 00", buffer, 12);
        TestBytes.assertZero(buffer, 24, 36);
        TestBytes.assertBytes("ee ee ee ee", buffer, 36);
        assertEquals(0x8102_0304_0506_0708L, range.startBlock());
        assertEquals(0x1_0000, range.blockCount());
    }

    @Test
    void shouldPlaceFuse() {
        Sqe sqe = Sqe.allocate().clear(Opcode.Nvm.COMPARE).fuse(Sqe.FUSED_FIRST);
        TestBytes.assertBytes("05 41", sqe.buffer(), 0);
        TestBytes.assertBytes("05 42", sqe.fuse(Sqe.FUSED_SECOND).buffer(), 0);
        assertEquals(2, sqe.fuse());
    }

    @Test
    void shouldPlaceEachFieldOfDatasetManagement() {
        Sqe sqe = DatasetManagementCommand.encode(Sqe.allocate(), 7, 256, DatasetManagementCommand.DEALLOCATE);
        TestBytes.assertBytes("09 40 00 00 07 00 00 00", sqe.buffer(), 0);
        TestBytes.assertBytes("ff 00 00 00 04 00 00 00", sqe.buffer(), 40);
        assertEquals(256, DatasetManagementCommand.rangeCount(sqe));
        assertTrue(DatasetManagementCommand.deallocate(sqe));
        assertFalse(DatasetManagementCommand.deallocate(sqe.cdw(11, 0x3)));
        assertEquals(1, DatasetManagementCommand.rangeCount(sqe.cdw(10, 0xFFFF_FF00L)));
        assertThrows(IllegalArgumentException.class, () -> DatasetManagementCommand.encode(sqe, 1, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> DatasetManagementCommand.encode(sqe, 1, 257, 0));
    }

    @Test
    void shouldPlaceEachFieldOfDatasetRange() {
        DatasetRange range =
                new DatasetRange().wrap(TestBytes.of("EE 01 02 03 84 05 06 07 88 08 07 06 05 04 03 02 81"), 1);
        assertEquals(0x8403_0201L, range.contextAttributes());
        assertEquals(0x8807_0605L, range.blockCount());
        assertEquals(0x8102_0304_0506_0708L, range.startBlock());

        ByteBuffer buffer = TestBytes.dirty(18);
        new DatasetRange().wrap(buffer, 1).set(0x0102_0304_0506_0708L, 0x8000_0001L);
        TestBytes.assertBytes("ee 00 00 00 00 01 00 00 80 08 07 06 05 04 03 02 01 ee", buffer, 0);
    }

    @Test
    void shouldNotAllocateWhenReadingCommands() {
        Sqe sqe = Sqe.allocate();
        DatasetRange range = new DatasetRange();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        readOften(sqe, range);
        long before = threads.getThreadAllocatedBytes(thread);
        long sum = readOften(sqe, range);
        long allocated = threads.getThreadAllocatedBytes(thread) - before;
        assertTrue(sum > 0);
        assertTrue(allocated < 10_000, "10,000 commands allocated " + allocated + " bytes");
    }

    private static long readOften(Sqe sqe, DatasetRange range) {
        long sum = 0;
        for (int i = 0; i < 10_000; i++) {
            sqe.wrap(sqe.buffer(), 0);
            ReadWriteCommand.encode(sqe, Opcode.Nvm.READ, 1, i, 8);
            sum += ReadWriteCommand.startBlock(sqe) + ReadWriteCommand.blockCount(sqe);
            sum += ReadWriteCommand.forceUnitAccess(sqe) ? 1 : 0;
            sum += DatasetManagementCommand.rangeCount(sqe);
            sum += range.wrap(sqe.buffer(), 0).startBlock() & 1;
            sum += sqe.sgl1().lengthBytes();
        }
        return sum;
    }
}
