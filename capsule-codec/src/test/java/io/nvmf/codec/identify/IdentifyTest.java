package io.nvmf.codec.identify;

import static io.nvmf.codec.identify.IdentifyController.CMIC_ANA;
import static io.nvmf.codec.identify.IdentifyController.CMIC_MULTI_CONTROLLER;
import static io.nvmf.codec.identify.IdentifyController.CMIC_MULTI_PORT;
import static io.nvmf.codec.identify.IdentifyController.CTRATT_HOST_ID_128;
import static io.nvmf.codec.identify.IdentifyController.CTRATT_TRAFFIC_BASED_KEEP_ALIVE;
import static io.nvmf.codec.identify.IdentifyController.LPA_COMMANDS_SUPPORTED_AND_EFFECTS;
import static io.nvmf.codec.identify.IdentifyController.LPA_EXTENDED_DATA;
import static io.nvmf.codec.identify.IdentifyController.LPA_SUPPORTED_LOG_PAGES;
import static io.nvmf.codec.identify.IdentifyController.ONCS_COMPARE;
import static io.nvmf.codec.identify.IdentifyController.ONCS_COPY;
import static io.nvmf.codec.identify.IdentifyController.ONCS_DATASET_MANAGEMENT;
import static io.nvmf.codec.identify.IdentifyController.ONCS_VERIFY;
import static io.nvmf.codec.identify.IdentifyController.ONCS_WRITE_ZEROES;
import static io.nvmf.codec.identify.IdentifyController.SGLS_ANY_ALIGNMENT;
import static io.nvmf.codec.identify.IdentifyController.SGLS_KEYED;
import static io.nvmf.codec.identify.IdentifyController.SGLS_OFFSET;
import static io.nvmf.codec.identify.IdentifyController.SGLS_TRANSPORT;
import static io.nvmf.codec.identify.IdentifyController.VWC_FLUSH_ALL;
import static io.nvmf.codec.identify.IdentifyController.VWC_PRESENT;
import static io.nvmf.codec.identify.IdentifyNamespace.NSFEAT_ATOMICS;
import static io.nvmf.codec.identify.IdentifyNamespace.NSFEAT_DEALLOCATED_ERROR;
import static io.nvmf.codec.identify.IdentifyNamespace.NSFEAT_OPTIMAL_SIZES;
import static io.nvmf.codec.identify.IdentifyNamespace.NSFEAT_THIN;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.TestBytes;
import io.nvmf.codec.identify.IdentifyNamespace.LbaFormat;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class IdentifyTest {
    @Test
    void shouldPlaceEachFieldOfCommand() {
        Sqe sqe = IdentifyCommand.encode(Sqe.allocate(), Cns.COMMAND_SET_CONTROLLER, 0x9234_5678L, 0xABCD, Csi.ZONED);
        TestBytes.assertBytes("06 40 00 00 78 56 34 92", sqe.buffer(), 0);
        TestBytes.assertBytes("06 00 cd ab 00 00 00 02 00 00 00 00", sqe.buffer(), 40);
        TestBytes.assertZero(sqe.buffer(), 52, 64);
    }

    @Test
    void shouldReadEachFieldOfCommand() {
        ByteBuffer buffer = Bytes.allocate(Sqe.BYTES);
        buffer.put(40, TestBytes.of("1C 55 CD AB 34 92 55 81 00 00 00 00 00 00 00 00 FF 55 55 55"), 0, 20);
        Sqe sqe = new Sqe().wrap(buffer, 0);
        assertEquals(0x1C, IdentifyCommand.cns(sqe));
        assertEquals(0xABCD, IdentifyCommand.controllerId(sqe));
        assertEquals(0x9234, IdentifyCommand.specificId(sqe));
        assertEquals(0x81, IdentifyCommand.csi(sqe));
        assertEquals(0x7F, IdentifyCommand.uuidIndex(sqe));
    }

    @Test
    void shouldPlaceTextsOfController() {
        IdentifyController controller = IdentifyController.allocate();
        ByteBuffer buffer = TestBytes.dirty(4096);
        controller.encode(buffer, 0);
        TestBytes.assertBytes("20" + " 20".repeat(67), buffer, 4);

        controller.serialNumber("S1");
        controller.modelNumber("M".repeat(41));
        controller.firmwareRevision("1.0");
        controller.subsystemNqn("nqn");
        controller.maxPower(1, 0x1234);
        controller.encode(buffer, 0);
        TestBytes.assertBytes("53 31" + " 20".repeat(18), buffer, 4);
        TestBytes.assertBytes("4d" + " 4d".repeat(39), buffer, 24);
        TestBytes.assertBytes("31 2e 30 20 20 20 20 20", buffer, 64);
        TestBytes.assertBytes("6e 71 6e 00", buffer, 768);
        TestBytes.assertBytes("34 12", buffer, 2048 + 32);
        TestBytes.assertZero(buffer, 72, 768);
        TestBytes.assertZero(buffer, 771, 2080);
        TestBytes.assertZero(buffer, 2082, 4096);

        IdentifyController decoded = IdentifyController.decode(buffer, 0);
        assertEquals("S1", decoded.serialNumber());
        assertEquals("M".repeat(40), decoded.modelNumber());
        assertEquals("1.0", decoded.firmwareRevision());
        assertEquals("nqn", decoded.subsystemNqn());
        assertEquals(0x1234, decoded.maxPower(1));
    }

    @Test
    void shouldRefuseTooLongNqnAndImpossiblePowerState() {
        IdentifyController controller = IdentifyController.allocate();
        assertThrows(IllegalArgumentException.class, () -> controller.subsystemNqn("n".repeat(256)));
        assertThrows(IllegalArgumentException.class, () -> controller.maxPower(32));
        assertThrows(IllegalArgumentException.class, () -> controller.maxPower(-1, 0));
    }

    @Test
    void shouldDeriveTransferLimits() {
        IdentifyController controller = IdentifyController.allocate();
        assertEquals(0, controller.maxDataTransferBytes(0));
        assertEquals(0, controller.inCapsuleDataBytes());
        controller.set(IdentifyController.Field.MDTS, 5);
        assertEquals(131072, controller.maxDataTransferBytes(0));
        assertEquals(262144, controller.maxDataTransferBytes(1));
        controller.set(IdentifyController.Field.MDTS, 255);
        assertEquals(0, controller.maxDataTransferBytes(15), "more than any number of bytes is no limit");
        controller.set(IdentifyController.Field.IOCCSZ, (64 + 8192) / 16);
        assertEquals(8192, controller.inCapsuleDataBytes());
        controller.set(IdentifyController.Field.IOCCSZ, 3);
        assertEquals(0, controller.inCapsuleDataBytes());
    }

    @Test
    void shouldHaveSpecifiedBits() {
        assertEquals(0xB, CMIC_MULTI_PORT | CMIC_MULTI_CONTROLLER | CMIC_ANA);
        assertEquals(0x41, CTRATT_HOST_ID_128 | CTRATT_TRAFFIC_BASED_KEEP_ALIVE);
        assertEquals(0x04, LPA_EXTENDED_DATA);
        assertEquals(0x22, LPA_COMMANDS_SUPPORTED_AND_EFFECTS | LPA_SUPPORTED_LOG_PAGES);
        assertEquals(0x0D, ONCS_COMPARE | ONCS_DATASET_MANAGEMENT | ONCS_WRITE_ZEROES);
        assertEquals(0x180, ONCS_VERIFY | ONCS_COPY);
        assertEquals(0x7, VWC_PRESENT | VWC_FLUSH_ALL);
        assertEquals(0x30_0001, SGLS_ANY_ALIGNMENT | SGLS_OFFSET | SGLS_TRANSPORT);
        assertEquals(0x4, SGLS_KEYED);
        assertEquals(0x13, NSFEAT_THIN | NSFEAT_ATOMICS | NSFEAT_OPTIMAL_SIZES);
        assertEquals(0x4, NSFEAT_DEALLOCATED_ERROR);
        assertEquals(0x1, IdentifyNamespace.NSATTR_WRITE_PROTECTED);
        assertEquals(0x9, IdentifyNamespace.DLFEAT_READS_ZEROS | IdentifyNamespace.DLFEAT_WRITE_ZEROES_DEALLOCATES);
    }

    @Test
    void shouldPlaceIdentifiersAndFormatsOfNamespace() {
        IdentifyNamespace namespace = IdentifyNamespace.allocate();
        namespace.nguid(Nguid.parse("0102030405060708090a0b0c0d0e0f10"));
        namespace.eui64(0x8182_8384_8586_8788L);
        namespace.lbaFormat(1, new LbaFormat(0x1008, 12, 2));
        namespace.lbaFormat(63, new LbaFormat(0, 9, 0));
        ByteBuffer buffer = TestBytes.dirty(4096);
        namespace.encode(buffer, 0);
        TestBytes.assertZero(buffer, 0, 104);
        TestBytes.assertBytes(
                "01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 81 82 83 84 85 86 87 88 00 00 00 00 08 10 0c 02",
                buffer,
                104);
        TestBytes.assertZero(buffer, 136, 380);
        TestBytes.assertBytes("00 00 09 00", buffer, 380);
        TestBytes.assertZero(buffer, 384, 4096);

        IdentifyNamespace decoded = IdentifyNamespace.decode(buffer, 0);
        assertEquals("0102030405060708090a0b0c0d0e0f10", decoded.nguid().toString());
        assertEquals(0x8182_8384_8586_8788L, decoded.eui64());
        assertEquals(new LbaFormat(0x1008, 12, 2), decoded.lbaFormat(1));
        assertThrows(IllegalArgumentException.class, () -> decoded.lbaFormat(64));
    }

    @Test
    void shouldUseHighFormatBitsOnlyWhenThereAreMoreThanSixteenFormats() {
        IdentifyNamespace namespace = IdentifyNamespace.allocate();
        namespace.lbaFormat(1, new LbaFormat(0, 9, 0));
        namespace.lbaFormat(33, new LbaFormat(0, 12, 0));
        namespace.set(IdentifyNamespace.Field.FLBAS, 0x41);
        namespace.set(IdentifyNamespace.Field.NLBAF, 15);
        assertEquals(9, namespace.currentLbaFormat().blockShift());
        namespace.set(IdentifyNamespace.Field.NLBAF, 16);
        assertEquals(12, namespace.currentLbaFormat().blockShift());
    }

    @Test
    void shouldReadNguidAsPeopleWriteIt() {
        Nguid nguid = Nguid.parse("ef90689c-6c46-d44c-89c1-4067801309A8");
        assertEquals("ef90689c6c46d44c89c14067801309a8", nguid.toString());
        assertEquals(Nguid.NONE, Nguid.parse("0".repeat(32)));
        assertThrows(IllegalArgumentException.class, () -> Nguid.parse("0".repeat(31)));
        assertThrows(IllegalArgumentException.class, () -> Nguid.parse("g".repeat(32)));
    }

    @Test
    void shouldPlaceEachDescriptor() {
        ByteBuffer buffer = TestBytes.dirty(4097);
        new NamespaceDescriptors(
                        0x8182_8384_8586_8788L,
                        new Nguid(0x0102_0304_0506_0708L, 0x090A_0B0C_0D0E_0F10L),
                        UUID.fromString("a1a2a3a4-a5a6-a7a8-a9aa-abacadaeafb0"),
                        Csi.NVM)
                .encode(buffer, 0);
        TestBytes.assertBytes("01 08 00 00 81 82 83 84 85 86 87 88", buffer, 0);
        TestBytes.assertBytes("02 10 00 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10", buffer, 12);
        TestBytes.assertBytes("03 10 00 00 a1 a2 a3 a4 a5 a6 a7 a8 a9 aa ab ac ad ae af b0", buffer, 32);
        TestBytes.assertBytes("04 01 00 00 00", buffer, 52);
        TestBytes.assertZero(buffer, 57, 4096);
        assertEquals((byte) 0xEE, buffer.get(4096));
    }

    @Test
    void shouldWriteOnlyIdentifiersThereAre() {
        ByteBuffer buffer = TestBytes.dirty(4096);
        new NamespaceDescriptors(0, Nguid.NONE, NamespaceDescriptors.NO_UUID, Csi.KEY_VALUE).encode(buffer, 0);
        TestBytes.assertBytes("04 01 00 00 01 00 00 00", buffer, 0);
    }

    @Test
    void shouldSkipUnknownAndMisshapenDescriptors() {
        ByteBuffer buffer = Bytes.allocate(4096);
        String list =
                "09 02 00 00 AA BB" + "01 04 00 00 01 02 03 04" + "04 01 00 00 02" + "00 00 00 00" + "04 01 00 00 01";
        ByteBuffer bytes = TestBytes.of(list);
        buffer.put(0, bytes, 0, bytes.capacity());
        assertEquals(
                new NamespaceDescriptors(0, Nguid.NONE, NamespaceDescriptors.NO_UUID, Csi.ZONED),
                NamespaceDescriptors.decode(buffer, 0),
                "what follows the end of the list does not count");
    }

    @Test
    void shouldEndListAtDescriptorThatRunsBeyondTheData() {
        ByteBuffer buffer = Bytes.allocate(4096);
        int at = 0;
        while (at + 4 + 255 <= 4096 - 8) {
            buffer.put(at, (byte) 0x77).put(at + 1, (byte) 255);
            at += 259;
        }
        buffer.put(at, (byte) 0x77).put(at + 1, (byte) (4096 - at - 4 - 4 - 8));
        buffer.put(4096 - 12, (byte) 1).put(4096 - 11, (byte) 9);
        assertEquals(0, NamespaceDescriptors.decode(buffer, 0).eui64());
        buffer.put(4096 - 12, (byte) 2).put(4096 - 11, (byte) 16);
        assertEquals(Nguid.NONE, NamespaceDescriptors.decode(buffer, 0).nguid());
        buffer.put(4096 - 12, (byte) 1).put(4096 - 11, (byte) 8).put(4096 - 1, (byte) 5);
        assertEquals(5, NamespaceDescriptors.decode(buffer, 0).eui64(), "eight bytes end exactly with the data");
    }

    @Test
    void shouldListNamespacesAfterGivenOne() {
        ByteBuffer buffer = TestBytes.dirty(4097);
        NamespaceList.encode(buffer, 0, new long[] {1, 2, 0xFFFF_FFFDL}, 1);
        TestBytes.assertBytes("02 00 00 00 fd ff ff ff", buffer, 0);
        TestBytes.assertZero(buffer, 8, 4096);
        assertEquals((byte) 0xEE, buffer.get(4096));
        assertArrayEquals(new long[] {2, 0xFFFF_FFFDL}, NamespaceList.decode(buffer, 0));
    }

    @Test
    void shouldCutNamespaceListAtItsLength() {
        ByteBuffer buffer = TestBytes.dirty(4100);
        NamespaceList.encode(buffer, 0, LongStream.rangeClosed(1, 2000).toArray(), 5);
        TestBytes.assertBytes("ee ee ee ee", buffer, 4096);
        assertArrayEquals(LongStream.rangeClosed(6, 1029).toArray(), NamespaceList.decode(buffer, 0));
    }

    @Test
    void shouldListControllersFromGivenOne() {
        ByteBuffer buffer = TestBytes.dirty(4096);
        ControllerList.encode(buffer, 0, new int[] {1, 2, 0xFFEF}, 2);
        TestBytes.assertBytes("02 00 02 00 ef ff", buffer, 0);
        TestBytes.assertZero(buffer, 6, 4096);
        assertArrayEquals(new int[] {2, 0xFFEF}, ControllerList.decode(buffer, 0));
    }

    @Test
    void shouldCutControllerListAtItsLength() {
        ByteBuffer buffer = TestBytes.dirty(4098);
        ControllerList.encode(buffer, 0, IntStream.range(0, 3000).toArray(), 0);
        TestBytes.assertBytes("ff 07 00 00 01 00", buffer, 0);
        TestBytes.assertBytes("fe 07 ee ee", buffer, 4094);
        buffer.putShort(0, (short) -1);
        assertEquals(2047, ControllerList.decode(buffer, 0).length, "a count beyond the data is cut");
    }

    @Test
    void shouldPlaceCombinationsOfCommandSets() {
        ByteBuffer page = Bytes.allocate(CommandSetCombinations.BYTES);
        CommandSetCombinations.combination(page, 0, 1, 1L << Csi.ZONED | 1L << 63);
        TestBytes.assertZero(page, 0, 8);
        TestBytes.assertBytes("04 00 00 00 00 00 00 80 00", page, 8);
        assertEquals(0x8000_0000_0000_0004L, CommandSetCombinations.combination(page, 0, 1));
        assertThrows(
                IllegalArgumentException.class, () -> CommandSetCombinations.combination(Bytes.allocate(4095), 0, 0));
    }
}
