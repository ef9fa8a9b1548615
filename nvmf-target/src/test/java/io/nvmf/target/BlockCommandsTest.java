package io.nvmf.target;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Cqe;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.Csi;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.Nguid;
import io.nvmf.codec.identify.NvmCommandSetController;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.LogPageId;
import io.nvmf.codec.log.SmartLog;
import io.nvmf.codec.nvm.CopyCommand;
import io.nvmf.codec.nvm.CopyRange;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.DatasetRange;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.target.config.NamespaceConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that look at blocks: Compare, Verify, Copy; and those that make them unreadable. */
class BlockCommandsTest extends TargetTestBase {
    private static final int DNR = Status.DNR;
    private static final int UNREADABLE = Status.UNRECOVERED_READ_ERROR | DNR;
    private static final long BLOCKS = NAMESPACE_BYTES / 512;

    private RawHost admin;
    private RawHost io;

    @BeforeEach
    void connect() throws IOException {
        start();
        admin = open();
        int controllerId = admin.connectAdmin(NQN, 0);
        admin.enable();
        io = open();
        io.initialize(0, 0);
        io.connectIo(controllerId, 1, 127, NQN);
    }

    @AfterEach
    void closeHosts() throws IOException {
        admin.close();
        io.close();
    }

    private static byte[] random(int bytes, long seed) {
        byte[] data = new byte[bytes];
        new Random(seed).nextBytes(data);
        return data;
    }

    /** A command that sends data, in the capsule or when it is asked for. */
    private int send(int opcode, long startBlock, byte[] data, boolean inCapsule) throws IOException {
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), opcode, 1, startBlock, data.length / 512);
        if (inCapsule) {
            sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, data.length);
            return io.execute(sqe, data).status();
        }
        return io.executeWrite(sqe, data, 65536).status();
    }

    private void write(long startBlock, byte[] data) throws IOException {
        assertEquals(0, send(Opcode.Nvm.WRITE, startBlock, data, false));
    }

    private byte[] read(long startBlock, int bytes) throws IOException {
        return io.executeRead(
                ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 1, startBlock, bytes / 512), bytes);
    }

    private int readStatus(long startBlock, int blocks) throws IOException {
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.READ, 1, startBlock, blocks);
        sqe.sgl1().set(SglDescriptor.TRANSPORT_DATA_BLOCK, 0, blocks * 512L);
        return io.execute(sqe).status();
    }

    private int execute(int opcode, long startBlock, int blocks) throws IOException {
        return io.execute(ReadWriteCommand.encode(Sqe.allocate(), opcode, 1, startBlock, blocks))
                .status();
    }

    private ByteBuffer identify(int cns, long nsid) throws IOException {
        byte[] page = admin.executeRead(IdentifyCommand.encode(Sqe.allocate(), cns, nsid, 0, Csi.NVM), 4096);
        return ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN);
    }

    private SmartLog smart() throws IOException {
        byte[] page = admin.executeRead(GetLogPageCommand.encode(Sqe.allocate(), LogPageId.SMART_HEALTH, 512, 0), 512);
        return SmartLog.decode(ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN), 0);
    }

    // ---- Compare and Verify

    @ParameterizedTest
    @CsvSource({"512, true", "8192, true", "512, false", "65536, false", "66048, false", "1048576, false"})
    void shouldCompareEveryByte(int bytes, boolean inCapsule) throws IOException {
        byte[] data = random(bytes, bytes);
        write(100, data);
        assertEquals(0, send(Opcode.Nvm.COMPARE, 100, data, inCapsule));
        for (int at : new int[] {0, bytes / 2, bytes - 1}) {
            byte[] other = data.clone();
            other[at] ^= 1;
            assertEquals(Status.COMPARE_FAILURE | DNR, send(Opcode.Nvm.COMPARE, 100, other, inCapsule), "at " + at);
        }
        assertArrayEquals(data, read(100, bytes));
        SmartLog smart = smart();
        assertEquals(5, smart.get(SmartLog.Field.HOST_READ_COMMANDS), "four compared, one read");
        assertEquals(0, smart.get(SmartLog.Field.MEDIA_ERRORS));
    }

    @Test
    void shouldCompareWhatWasNeverWrittenWithZeros() throws IOException {
        assertEquals(0, send(Opcode.Nvm.COMPARE, 5000, new byte[131072], false));
    }

    @Test
    void shouldRefuseToCompareOutsideTheNamespaceOrTooMuch() throws IOException {
        Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.COMPARE, 1, BLOCKS - 1, 2);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 1024);
        assertEquals(
                Status.LBA_OUT_OF_RANGE | DNR, io.execute(sqe, new byte[1024]).status());
        assertEquals(Status.INVALID_FIELD | DNR, execute(Opcode.Nvm.COMPARE, 0, 2049));
        Sqe tooShort = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.COMPARE, 1, 0, 2);
        tooShort.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 512);
        assertEquals(
                Status.SGL_DATA_LENGTH_INVALID | DNR,
                io.execute(tooShort, new byte[512]).status());
    }

    @Test
    void shouldVerifyAsMuchAsItSays() throws IOException {
        NvmCommandSetController limits = NvmCommandSetController.decode(identify(Cns.COMMAND_SET_CONTROLLER, 0), 0);
        assertEquals(8, limits.get(NvmCommandSetController.Field.VSL), "1 MiB in pages of 4 KiB");
        assertEquals(0, execute(Opcode.Nvm.VERIFY, BLOCKS - 2048, 2048));
        assertEquals(Status.LBA_OUT_OF_RANGE | DNR, execute(Opcode.Nvm.VERIFY, BLOCKS - 1, 2));
        assertEquals(Status.INVALID_FIELD | DNR, execute(Opcode.Nvm.VERIFY, 0, 2049));
    }

    @Test
    void shouldAnswerManyComparesAtOnceThoughFewHaveABufferAtATime() throws IOException {
        byte[] data = random(4096, 9);
        write(0, data);
        for (int i = 0; i < 100; i++) {
            Sqe sqe = ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.COMPARE, 1, 0, 8)
                    .commandId(i);
            sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 4096);
            io.send(io.capsule(sqe, data));
        }
        for (int i = 0; i < 100; i++) {
            assertEquals(0, io.read().completion().status());
        }
    }

    // ---- Write Uncorrectable

    @Test
    void shouldReadNothingThatIsUncorrectableUntilItIsWritten() throws IOException {
        byte[] data = random(8 * 512, 1);
        write(0, data);
        assertEquals(0, execute(Opcode.Nvm.WRITE_UNCORRECTABLE, 2, 3));
        assertEquals(UNREADABLE, readStatus(0, 8));
        assertEquals(UNREADABLE, readStatus(4, 1));
        assertEquals(UNREADABLE, send(Opcode.Nvm.COMPARE, 0, data, true));
        assertEquals(UNREADABLE, execute(Opcode.Nvm.VERIFY, 0, 8));
        assertArrayEquals(Arrays.copyOf(data, 1024), read(0, 1024));
        assertEquals(4, smart().get(SmartLog.Field.MEDIA_ERRORS));
        write(2, new byte[512]);
        assertArrayEquals(new byte[512], read(2, 512));
        assertEquals(UNREADABLE, readStatus(2, 2));
        assertEquals(0, execute(Opcode.Nvm.WRITE_ZEROES, 3, 1));
        assertArrayEquals(new byte[1024], read(2, 1024));
        Sqe deallocate = DatasetManagementCommand.encode(Sqe.allocate(), 1, 1, DatasetManagementCommand.DEALLOCATE);
        deallocate.sgl1().set(SglDescriptor.IN_CAPSULE, 0, 16);
        ByteBuffer range = Bytes.allocate(16);
        new DatasetRange().wrap(range, 0).set(4, 1);
        assertEquals(0, io.execute(deallocate, range.array()).status());
        assertEquals(0, execute(Opcode.Nvm.VERIFY, 0, 8));
        assertEquals(Status.LBA_OUT_OF_RANGE | DNR, execute(Opcode.Nvm.WRITE_UNCORRECTABLE, BLOCKS, 1));
    }

    // ---- a device that throws

    private int onThird(int opcode) throws IOException {
        return io.execute(ReadWriteCommand.encode(Sqe.allocate(), opcode, 3, 0, 1))
                .status();
    }

    private int onThird(Sqe sqe, byte[] data) throws IOException {
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, data.length);
        return io.execute(sqe, data).status();
    }

    private int deallocateOnThird() throws IOException {
        ByteBuffer range = Bytes.allocate(DatasetRange.BYTES);
        new DatasetRange().wrap(range, 0).set(4, 1);
        return onThird(
                DatasetManagementCommand.encode(Sqe.allocate(), 3, 1, DatasetManagementCommand.DEALLOCATE),
                range.array());
    }

    private int writeOnThird() throws IOException {
        return onThird(ReadWriteCommand.encode(Sqe.allocate(), Opcode.Nvm.WRITE, 3, 0, 1), new byte[512]);
    }

    @Test
    void shouldEndOnlyTheCommandOnWhichTheDeviceThrows() throws Exception {
        HeldDevice device = new HeldDevice();
        device.letGo();
        target.administration().addNamespace(NQN, new NamespaceConfig(3, device, 512, new UUID(9, 9), new Nguid(9, 9)));
        device.throwOn(HeldDevice.Call.OPEN);
        assertEquals(Status.NAMESPACE_NOT_READY | DNR, onThird(Opcode.Nvm.FLUSH));
        device.throwOn();
        assertEquals(0, onThird(Opcode.Nvm.FLUSH));
        device.throwOn(HeldDevice.Call.values());
        assertEquals(Status.INTERNAL_ERROR, onThird(Opcode.Nvm.FLUSH));
        assertEquals(
                Status.INTERNAL_ERROR,
                io.execute(Sqe.allocate().clear(Opcode.Nvm.FLUSH).nsid(Sqe.NSID_ALL))
                        .status());
        assertEquals(Status.INTERNAL_ERROR, onThird(Opcode.Nvm.VERIFY));
        assertEquals(Status.INTERNAL_ERROR, onThird(Opcode.Nvm.WRITE_ZEROES));
        assertEquals(Status.INTERNAL_ERROR, writeOnThird());
        assertEquals(Status.INTERNAL_ERROR, deallocateOnThird());
        // To make it readable again, it is flushed.
        device.throwOn(HeldDevice.Call.FLUSH);
        assertEquals(0, onThird(Opcode.Nvm.WRITE_UNCORRECTABLE));
        assertEquals(Status.INTERNAL_ERROR, writeOnThird());
        device.throwOn(HeldDevice.Call.CLOSE);
        assertEquals(0, writeOnThird());
        assertEquals(0, onThird(Opcode.Nvm.VERIFY));
        target.administration().removeNamespace(NQN, 3);
        assertEquals(0, execute(Opcode.Nvm.FLUSH, 0, 1), "the connection lives on");
    }

    // ---- Copy

    private Cqe copy(long target, int format, long... startAndCount) throws IOException {
        int count = startAndCount.length / 2;
        ByteBuffer data = Bytes.allocate(count * CopyRange.BYTES);
        for (int i = 0; i < count; i++) {
            new CopyRange().wrap(data, i * CopyRange.BYTES).set(startAndCount[2 * i], (int) startAndCount[2 * i + 1]);
        }
        Sqe sqe = CopyCommand.encode(Sqe.allocate(), 1, target, count);
        sqe.cdw(12, sqe.cdw(12) | (long) format << 8);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, data.capacity());
        return io.execute(sqe, data.array());
    }

    @Test
    void shouldCopyRangesOneBehindTheOther() throws IOException {
        byte[] data = random(400 * 512, 2);
        write(1000, data);
        assertEquals(0, copy(5000, 0, 1300, 100, 1000, 1, 1001, 299).status());
        byte[] expected = new byte[400 * 512];
        System.arraycopy(data, 300 * 512, expected, 0, 100 * 512);
        System.arraycopy(data, 0, expected, 100 * 512, 300 * 512);
        assertArrayEquals(expected, read(5000, 400 * 512));
        assertArrayEquals(new byte[512], read(5400, 512), "and no more");
        assertArrayEquals(new byte[512], read(4999, 512));
    }

    @Test
    void shouldCopyAsMuchAsItSaysWithoutHoldingUpOthers() throws IOException {
        IdentifyNamespace data = IdentifyNamespace.decode(identify(Cns.NAMESPACE, 1), 0);
        assertEquals(2048, data.get(IdentifyNamespace.Field.MSSRL));
        assertEquals(32768, data.get(IdentifyNamespace.Field.MCL));
        assertEquals(127, data.get(IdentifyNamespace.Field.MSRC));
        assertEquals(
                1, IdentifyController.decode(identify(Cns.CONTROLLER, 0), 0).get(IdentifyController.Field.OCFS));
        byte[] last = random(512, 3);
        write(16 * 2048 - 1, last);
        long[] all = new long[32];
        for (int i = 0; i < 16; i++) {
            all[2 * i] = i * 2048L;
            all[2 * i + 1] = 2048;
        }
        assertEquals(0, copy(40000, 0, all).status());
        assertArrayEquals(last, read(40000 + 16 * 2048 - 1, 512));
    }

    @Test
    void shouldTouchNothingOfACopyThatIsWrong() throws IOException {
        byte[] data = random(512, 4);
        write(0, data);
        int tooLong = Status.COMMAND_SIZE_LIMIT_EXCEEDED | DNR;
        assertEquals(tooLong, copy(5000, 0, 0, 1, 1, 2049).status());
        assertEquals(1, copy(5000, 0, 0, 1, 1, 2049).dw0(), "the second range is wrong");
        long[] tooMuch = new long[34];
        for (int i = 0; i < 17; i++) {
            tooMuch[2 * i + 1] = 2048;
        }
        assertEquals(tooLong, copy(50000, 0, tooMuch).status());
        assertEquals(tooLong, copy(50000, 0, new long[2 * 129]).status());
        assertEquals(
                Status.LBA_OUT_OF_RANGE | DNR, copy(5000, 0, 0, 1, BLOCKS, 1).status());
        assertEquals(Status.LBA_OUT_OF_RANGE | DNR, copy(BLOCKS - 1, 0, 0, 2).status());
        assertEquals(Status.LBA_OUT_OF_RANGE | DNR, copy(-1, 0, 0, 2).status());
        assertEquals(Status.OVERLAPPING_IO_RANGE | DNR, copy(1, 0, 0, 2).status());
        assertEquals(Status.INVALID_FIELD | DNR, copy(5000, 1, 0, 1).status());
        assertEquals(0, execute(Opcode.Nvm.WRITE_UNCORRECTABLE, 7, 1));
        Cqe unreadable = copy(5000, 0, 0, 1, 6, 2);
        assertEquals(UNREADABLE, unreadable.status());
        assertEquals(1, unreadable.dw0());
        assertArrayEquals(new byte[512], read(5000, 512));
    }

    // ---- Dataset Management

    @ParameterizedTest
    @ValueSource(ints = {255, 256})
    void shouldKeepToTheRangesThatItSays(int count) throws IOException {
        NvmCommandSetController limits = NvmCommandSetController.decode(identify(Cns.COMMAND_SET_CONTROLLER, 0), 0);
        assertEquals(255, limits.get(NvmCommandSetController.Field.DMRL));
        assertEquals(0xFFFF_FFFFL, limits.get(NvmCommandSetController.Field.DMRSL));
        assertEquals(255 * 0xFFFF_FFFFL, limits.get(NvmCommandSetController.Field.DMSL));
        Sqe sqe = DatasetManagementCommand.encode(Sqe.allocate(), 1, count, DatasetManagementCommand.DEALLOCATE);
        sqe.sgl1().set(SglDescriptor.IN_CAPSULE, 0, count * 16L);
        int expected = count == 255 ? 0 : Status.COMMAND_SIZE_LIMIT_EXCEEDED | DNR;
        assertEquals(expected, io.execute(sqe, new byte[count * 16]).status());
        assertTrue(execute(Opcode.Nvm.VERIFY, 0, 1) == 0);
    }
}
