package io.nvmf.codec.feature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.TestBytes;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FeatureTest {
    @Test
    void shouldPlaceFieldsOfSet() {
        Sqe sqe = FeaturesCommand.encodeSet(Sqe.allocate(), FeatureId.HOST_IDENTIFIER, 0x8403_0201L);
        TestBytes.assertBytes("09 40", sqe.buffer(), 0);
        TestBytes.assertBytes("81 00 00 00 01 02 03 84 00", sqe.buffer(), 40);
        assertEquals(0x81, FeaturesCommand.featureId(sqe));
        assertEquals(0x8403_0201L, FeaturesCommand.value(sqe));
        assertFalse(FeaturesCommand.save(sqe));
        assertTrue(FeaturesCommand.save(sqe.cdw(10, 0x8000_000FL)));
        TestBytes.assertBytes("0f 00 00 00", FeaturesCommand.save(sqe, false).buffer(), 40);
        TestBytes.assertBytes("0f 00 00 80", FeaturesCommand.save(sqe, true).buffer(), 40);
    }

    @Test
    void shouldPlaceFieldsOfGet() {
        Sqe sqe = FeaturesCommand.encodeGet(
                Sqe.allocate(), FeatureId.KEEP_ALIVE_TIMER, FeaturesCommand.SELECT_CAPABILITIES);
        TestBytes.assertBytes("0a 40", sqe.buffer(), 0);
        TestBytes.assertBytes("0f 03 00 00 00 00 00 00", sqe.buffer(), 40);
        assertEquals(3, FeaturesCommand.select(sqe));
        assertEquals(7, FeaturesCommand.select(sqe.cdw(10, 0xFFFF_FF0FL)));
        assertEquals(1, FeaturesCommand.CAPABILITY_SAVEABLE);
        assertEquals(2, FeaturesCommand.CAPABILITY_NAMESPACE_SPECIFIC);
        assertEquals(4, FeaturesCommand.CAPABILITY_CHANGEABLE);
        assertEquals(0x7F, FeaturesCommand.uuidIndex(sqe.cdw(14, 0xFF)));
    }

    @Test
    void shouldPlaceTheTimestamp() {
        ByteBuffer bytes = Bytes.allocate(Timestamp.BYTES);
        new Timestamp(0x0102_0304_0506L, Timestamp.ORIGIN_HOST).encode(bytes, 0);
        TestBytes.assertBytes("06 05 04 03 02 01 02 00", bytes, 0);
        bytes.put(0, TestBytes.of("01 00 00 00 00 80 FF FF"), 0, 8);
        assertEquals(new Timestamp(0x8000_0000_0001L, 7), Timestamp.decode(bytes, 0));
        assertThrows(IllegalArgumentException.class, () -> Timestamp.decode(bytes, 1));
    }

    @Test
    void shouldTakeTheTemperatureThresholdApart() {
        assertEquals(0x1234, TemperatureThreshold.kelvin(0xFFFF_1234L));
        assertEquals(0xF, TemperatureThreshold.sensor(0x000F_0000L));
        assertEquals(TemperatureThreshold.UNDER, TemperatureThreshold.threshold(0x0010_0000L));
        assertEquals(3, TemperatureThreshold.threshold(0xFFFF_FFFFL));
    }

    @Test
    void shouldWriteTheHostIdentifierAsConnectHasIt() {
        ByteBuffer bytes = Bytes.allocate(HostIdentifier.EXTENDED_BYTES);
        HostIdentifier.encode(bytes, 0, new UUID(0x0102_0304_0506_0708L, 0x090A_0B0C_0D0E_0F10L));
        TestBytes.assertBytes("01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10", bytes, 0);
    }

    @Test
    void shouldRefuseHostBehaviorThatIsNeitherOnNorOff() {
        byte[] data = new byte[HostBehavior.BYTES];
        data[HostBehavior.COMMAND_RETRY_OFFSET] = 1;
        data[5] = 77;
        assertTrue(HostBehavior.isValid(data));
        data[4] = 2;
        assertFalse(HostBehavior.isValid(data));
    }

    @Test
    void shouldCountQueuesFromOne() {
        assertEquals(0x0003_0003L, NumberOfQueues.encode(4));
        assertEquals(0xFFFE_FFFEL, NumberOfQueues.encode(65535));
        assertEquals(0x8001, NumberOfQueues.submissionQueues(0x9000_8000L));
        assertEquals(0x9001, NumberOfQueues.completionQueues(0x9000_8000L));
        assertThrows(IllegalArgumentException.class, () -> NumberOfQueues.encode(0));
        assertThrows(IllegalArgumentException.class, () -> NumberOfQueues.encode(65536));
    }

    @Test
    void shouldRefuseForbiddenQueueCountInEitherHalf() {
        assertTrue(NumberOfQueues.isValid(0xFFFE_FFFEL));
        assertFalse(NumberOfQueues.isValid(0x0000_FFFFL));
        assertFalse(NumberOfQueues.isValid(0xFFFF_0000L));
    }

    @Test
    void shouldEncodeEventsAsSpecified() {
        assertEquals(0x0004_0002L, AsyncEvent.NAMESPACE_ATTRIBUTE_CHANGED.dw0());
        assertEquals(0x0003_0102L, AsyncEvent.FIRMWARE_ACTIVATION_STARTING.dw0());
        assertEquals(0x000C_0302L, AsyncEvent.ANA_CHANGE.dw0());
        assertEquals(0x0070_F002L, AsyncEvent.DISCOVERY_LOG_CHANGE.dw0());
        assertEquals(0x0080_0006L, AsyncEvent.RESERVATION_LOG_AVAILABLE.dw0());
        assertEquals(0x0002_0101L, AsyncEvent.SMART_TEMPERATURE.dw0());
    }

    @Test
    void shouldDecodeEventWithUnknownNumbersAndReservedBits() {
        assertEquals(AsyncEvent.DISCOVERY_LOG_CHANGE, AsyncEvent.decode(0xFF70_F0FAL));
        assertEquals(new AsyncEvent(5, 0xEE, 0xDD), AsyncEvent.decode(0x00DD_EE05L));
    }

    @Test
    void shouldHaveConfigurationBitsWhereEventsAre() {
        assertEquals(0x8000_0000L, AsyncEventConfig.DISCOVERY_LOG_CHANGE);
        assertEquals(0x100, AsyncEventConfig.NAMESPACE_ATTRIBUTE);
        assertEquals(0x200, AsyncEventConfig.FIRMWARE_ACTIVATION);
        assertEquals(0x400, AsyncEventConfig.TELEMETRY);
        assertEquals(0x800, AsyncEventConfig.ANA_CHANGE);
        assertEquals(0x0800_0000L, AsyncEventConfig.ZONE_DESCRIPTOR_CHANGED);
    }
}
