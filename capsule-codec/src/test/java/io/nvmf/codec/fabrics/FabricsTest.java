package io.nvmf.codec.fabrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.TestBytes;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FabricsTest {
    private static final UUID HOST_ID = UUID.fromString("01020304-0506-0708-090a-0b0c0d0e0f90");

    @Test
    void shouldPlaceEachFieldOfConnectCommand() {
        ByteBuffer buffer = TestBytes.dirty(64);
        Sqe sqe = new Sqe().wrap(buffer, 0);
        ConnectCommand.encode(sqe, 0x9234, 0xABCD, ConnectCommand.DISABLE_SQ_FLOW_CONTROL, 0x8403_0201L);
        TestBytes.assertBytes("7f 40 00 00 01 00", buffer, 0);
        TestBytes.assertZero(buffer, 5, 42);
        TestBytes.assertBytes("34 92 cd ab 04 00 01 02 03 84 00", buffer, 42);
        TestBytes.assertZero(buffer, 52, 64);
    }

    @Test
    void shouldReadEachFieldOfConnectCommand() {
        ByteBuffer buffer = Bytes.allocate(72);
        buffer.put(48, TestBytes.of("02 81 34 92 CD AB 84 EE 01 02 03 84"), 0, 12);
        Sqe sqe = new Sqe().wrap(buffer, 8);
        assertEquals(0x8102, ConnectCommand.recordFormat(sqe));
        assertEquals(0x9234, ConnectCommand.queueId(sqe));
        assertEquals(0xABCD, ConnectCommand.sqSizeZeroBased(sqe));
        assertEquals(0x84, ConnectCommand.attributes(sqe));
        assertEquals(0x8403_0201L, ConnectCommand.keepAliveTimeoutMs(sqe));
    }

    @Test
    void shouldPlaceEachFieldOfConnectData() {
        ByteBuffer buffer = TestBytes.dirty(1026);
        new ConnectData(HOST_ID, 0xFFEF, "nqn.s", "nqn.h").encode(buffer, 1);
        TestBytes.assertBytes("ee 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 90 ef ff 00", buffer, 0);
        TestBytes.assertZero(buffer, 19, 257);
        TestBytes.assertBytes("6e 71 6e 2e 73 00", buffer, 257);
        TestBytes.assertZero(buffer, 262, 513);
        TestBytes.assertBytes("6e 71 6e 2e 68 00", buffer, 513);
        TestBytes.assertZero(buffer, 518, 1025);
        assertEquals((byte) 0xEE, buffer.get(1025));
        assertEquals(new ConnectData(HOST_ID, 0xFFEF, "nqn.s", "nqn.h"), ConnectData.decode(buffer, 1));
    }

    @Test
    void shouldTellWhichNqnIsNotTerminated() {
        ByteBuffer buffer = Bytes.allocate(1024);
        for (int i = 0; i < 256; i++) {
            buffer.put(ConnectData.HOST_NQN_OFFSET + i, (byte) 'h');
        }
        assertTrue(ConnectData.isTerminated(buffer, 0, ConnectData.SUBSYSTEM_NQN_OFFSET));
        assertFalse(ConnectData.isTerminated(buffer, 0, ConnectData.HOST_NQN_OFFSET));
        assertEquals(256, ConnectData.decode(buffer, 0).hostNqn().length());
        assertEquals("", ConnectData.decode(buffer, 0).subsystemNqn());
        assertEquals(0xFFFF, ConnectData.CONTROLLER_ID_DYNAMIC);
    }

    @Test
    void shouldRefuseNqnThatLeavesNoRoomForTerminator() {
        ConnectData data = new ConnectData(HOST_ID, 1, "s".repeat(256), "h");
        assertThrows(IllegalArgumentException.class, () -> data.encode(Bytes.allocate(1024), 0));
    }

    @Test
    void shouldPlaceEachFieldOfConnectResponse() {
        assertEquals(0xFFEFL, ConnectResponse.success(0xFFEF));
        assertEquals(0x0000_002CL, ConnectResponse.invalidInCommand(ConnectCommand.SQ_SIZE_OFFSET));
        assertEquals(0x0001_0100L, ConnectResponse.invalidInData(ConnectData.SUBSYSTEM_NQN_OFFSET));
        assertTrue(ConnectResponse.isInData(0x0001_0200L));
        assertFalse(ConnectResponse.isInData(0xFFFE_002CL));
        assertEquals(0x200, ConnectResponse.invalidOffset(0x0001_0200L));
        assertEquals(0xABCD, ConnectResponse.controllerId(0x8002_ABCDL));
        assertEquals(0x8002, ConnectResponse.authenticationRequired(0x8002_ABCDL));
    }

    @Test
    void shouldPlaceEachFieldOfPropertyGet() {
        ByteBuffer buffer = TestBytes.dirty(64);
        Sqe sqe = new Sqe().wrap(buffer, 0);
        PropertyCommand.encodeGet(sqe, Property.CAP);
        TestBytes.assertBytes("7f 40 00 00 04 00", buffer, 0);
        TestBytes.assertZero(buffer, 5, 40);
        TestBytes.assertBytes("01 00 00 00 00 00 00 00", buffer, 40);
        TestBytes.assertZero(buffer, 48, 64);
        PropertyCommand.encodeGet(sqe, Property.CSTS);
        TestBytes.assertBytes("00 00 00 00 1c 00 00 00", buffer, 40);
    }

    @Test
    void shouldPlaceEachFieldOfPropertySet() {
        ByteBuffer buffer = TestBytes.dirty(64);
        Sqe sqe = new Sqe().wrap(buffer, 0);
        PropertyCommand.encodeSet(sqe, Property.CC, 0x0046_0001L);
        TestBytes.assertBytes("7f 40 00 00 00 00", buffer, 0);
        TestBytes.assertBytes("00 00 00 00 14 00 00 00 01 00 46 00 00 00 00 00", buffer, 40);
        TestBytes.assertZero(buffer, 56, 64);
    }

    @Test
    void shouldReadEachFieldOfPropertyCommand() {
        ByteBuffer buffer = Bytes.allocate(64);
        buffer.put(40, TestBytes.of("F9 EE EE EE 01 02 03 84 08 07 06 05 04 03 02 81"), 0, 16);
        Sqe sqe = new Sqe().wrap(buffer, 0);
        assertEquals(8, PropertyCommand.sizeBytes(sqe));
        assertEquals(0x8403_0201L, PropertyCommand.propertyOffset(sqe));
        assertEquals(0x8102_0304_0506_0708L, PropertyCommand.value(sqe));
        buffer.put(40, (byte) 0xF8);
        assertEquals(4, PropertyCommand.sizeBytes(sqe));
        buffer.put(40, (byte) 0x02);
        assertEquals(0, PropertyCommand.sizeBytes(sqe));
    }

    @Test
    void shouldFindPropertyByItsOffsetOnly() {
        assertSame(Property.CAP, Property.at(0x00));
        assertSame(Property.VS, Property.at(0x08));
        assertSame(Property.CC, Property.at(0x14));
        assertSame(Property.CSTS, Property.at(0x1C));
        assertSame(Property.NSSR, Property.at(0x20));
        assertSame(Property.CRTO, Property.at(0x68));
        assertNull(Property.at(0x04));
        assertNull(Property.at(0x1_0000_0014L), "an offset is not cut to fewer bits");
        assertEquals(4, Property.CRTO.sizeBytes());
        assertEquals(8, Property.CAP.sizeBytes());
        assertEquals(4, Property.CC.sizeBytes());
    }

    @Test
    void shouldPlaceEachFieldOfCapabilities() {
        assertEquals(0x0000_0020_1E01_03FFL, Capabilities.encode(1023, 30));
        assertEquals(0x8000, Capabilities.maxQueueEntriesZeroBased(0xFFFF_FFFF_FFFF_8000L));
        assertEquals(15_000, Capabilities.readyTimeoutMs(0x0000_0020_1E01_03FFL));
        assertEquals(127_500, Capabilities.readyTimeoutMs(0xFF00_0000L));
        assertEquals(4096, Capabilities.minimumPageBytes(0xFFF0_FFFF_FFFF_FFFFL));
        assertEquals(1L << 27, Capabilities.minimumPageBytes(0x000F_0000_0000_0000L));
    }

    @Test
    void shouldReadEachFieldOfConfiguration() {
        long cc = 0xFF46_0000L | 1 << 14 | 2 << 11 | 5 << 7 | 6 << 4 | 1;
        assertTrue(ControllerConfiguration.isEnabled(cc));
        assertFalse(ControllerConfiguration.isEnabled(cc & ~1));
        assertEquals(6, ControllerConfiguration.commandSet(cc));
        assertEquals(5, ControllerConfiguration.memoryPageSize(cc));
        assertEquals(2, ControllerConfiguration.arbitration(cc));
        assertEquals(ControllerConfiguration.SHUTDOWN_NORMAL, ControllerConfiguration.shutdownNotification(cc));
        assertEquals(6, ControllerConfiguration.submissionEntrySize(cc));
        assertEquals(4, ControllerConfiguration.completionEntrySize(cc));
        assertEquals(0x0046_0000L, ControllerConfiguration.ENTRY_SIZES);
        assertEquals(0x4000L, ControllerConfiguration.NORMAL_SHUTDOWN_BITS);
    }

    @Test
    void shouldReadEachFieldOfStatus() {
        assertTrue(ControllerStatus.isReady(1));
        assertFalse(ControllerStatus.isReady(0xFFFE));
        assertTrue(ControllerStatus.isFatal(2));
        assertFalse(ControllerStatus.isFatal(0xFFFD));
        assertTrue(ControllerStatus.isShutdownComplete(0x08));
        assertFalse(ControllerStatus.isShutdownComplete(0x04), "in progress");
        assertFalse(ControllerStatus.isShutdownComplete(0x0C), "reserved");
        assertEquals(0x08, ControllerStatus.SHUTDOWN_COMPLETE);
    }
}
