package io.nvmf.codec.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.TestBytes;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PrivateDataTest {
    private static final String REQUEST = "01 80 02 81 03 82 04 83 05 84";

    @Test
    void shouldPlaceEachFieldOfRequest() {
        ByteBuffer buffer = TestBytes.dirty(34);
        new ConnectRequestData(0x8001, 0x8102, 0x8203, 0x8304, 0x8405).encode(buffer, 1);
        TestBytes.assertBytes("ee " + REQUEST + " 00".repeat(22) + " ee", buffer, 0);
    }

    @Test
    void shouldReadEachFieldOfRequest() {
        ByteBuffer padded = TestBytes.of("EE" + REQUEST + "00".repeat(46));
        assertEquals(
                new ConnectRequestData(0x8001, 0x8102, 0x8203, 0x8304, 0x8405), ConnectRequestData.decode(padded, 1));
    }

    @Test
    void shouldReadRequestOfLinuxAdminQueue() {
        ByteBuffer buffer = TestBytes.of("00 00 00 00 20 00 1F 00" + "00".repeat(48));
        assertEquals(new ConnectRequestData(0, 0, 32, 31, 0), ConnectRequestData.decode(buffer, 0));
    }

    @Test
    void shouldPlaceEachFieldOfAccept() {
        ByteBuffer buffer = TestBytes.dirty(34);
        new AcceptData(0x8001, 0x8102).encode(buffer, 1);
        TestBytes.assertBytes("ee 01 80 02 81" + " 00".repeat(28) + " ee", buffer, 0);
        assertEquals(new AcceptData(0x8001, 0x8102), AcceptData.decode(buffer, 1));
    }

    @Test
    void shouldPlaceEachFieldOfReject() {
        ByteBuffer buffer = TestBytes.dirty(6);
        new RejectData(0x8001, 0x8102).encode(buffer, 1);
        TestBytes.assertBytes("ee 01 80 02 81 ee", buffer, 0);
        assertEquals(new RejectData(0x8001, 0x8102), RejectData.decode(buffer, 1));
    }

    @Test
    void shouldRefuseDataThatIsCutShort() {
        assertThrows(IllegalArgumentException.class, () -> ConnectRequestData.decode(Bytes.allocate(32), 1));
        assertThrows(IllegalArgumentException.class, () -> AcceptData.decode(Bytes.allocate(31), 0));
        assertThrows(IllegalArgumentException.class, () -> RejectData.decode(Bytes.allocate(3), 0));
        assertThrows(IllegalArgumentException.class, () -> new AcceptData(0, 1).encode(ByteBuffer.allocate(32), 0));
    }

    @Test
    void shouldNumberReasonsAsSpecified() {
        assertEquals(
                IntStream.rangeClosed(1, 9).boxed().toList(),
                Stream.of(RejectReason.values()).map(RejectReason::code).toList());
        assertEquals(1, RejectReason.INVALID_PRIVATE_DATA_LENGTH.code());
        assertEquals(2, RejectReason.INVALID_RECORD_FORMAT.code());
        assertEquals(3, RejectReason.INVALID_QUEUE_ID.code());
        assertEquals(4, RejectReason.INVALID_HSQSIZE.code());
        assertEquals(5, RejectReason.INVALID_HRQSIZE.code());
        assertEquals(6, RejectReason.NO_RESOURCES.code());
        assertEquals(7, RejectReason.INVALID_IRD.code());
        assertEquals(8, RejectReason.INVALID_ORD.code());
        assertEquals(9, RejectReason.INVALID_CONTROLLER_ID.code());
    }

    @Test
    void shouldDescribeAnyReason() {
        assertEquals("no resources", RejectReason.describe(6));
        assertEquals("unknown reason 0", RejectReason.describe(0));
        assertEquals("unknown reason 65535", RejectReason.describe(0xFFFF));
    }
}
