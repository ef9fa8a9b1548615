package io.nvmf.target.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.codec.rdma.RejectReason;
import io.nvmf.target.config.TargetLimits;
import io.nvmf.target.transport.rdma.QueueRequest.Refusal;
import io.nvmf.transport.rdma.DeviceLimits;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueueRequestTest {
    /** As a Linux host asks for an I/O queue of 128 entries, in controller 9. */
    private static final byte[] LINUX = {0, 0, 3, 0, (byte) 128, 0, 127, 0, 9, 0};

    private static ByteBuffer padded(int lengthBytes) {
        return ByteBuffer.allocate(lengthBytes).put(0, LINUX, 0, Math.min(LINUX.length, lengthBytes));
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 56, 148})
    void shouldReadARequestHoweverItIsPadded(int lengthBytes) throws Refusal {
        QueueRequest request = QueueRequest.read(padded(lengthBytes), 128, TargetLimits.DEFAULT);
        assertEquals(new QueueRequest(3, 127, 128), request);
        assertEquals(128, request.depth());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 31})
    void shouldRefuseARequestThatIsTooShort(int lengthBytes) {
        Refusal refusal =
                assertThrows(Refusal.class, () -> QueueRequest.read(padded(lengthBytes), 128, TargetLimits.DEFAULT));
        assertEquals(RejectReason.INVALID_PRIVATE_DATA_LENGTH, refusal.reason());
    }

    @Test
    void shouldTakeNoMoreThanTheDeviceHas() throws Refusal {
        QueueRequest request = new QueueRequest(1, 127, 200);
        QueueSize size = QueueSize.of(request, new DeviceLimits(16384, 32767, 16, 64));
        assertEquals(new QueueSize(129, 256, 64, 2 * 128 + 17), size);
        assertEquals(129 + 64 + 2 * 128 + 17, size.completions());
        QueueSize small = QueueSize.of(request, new DeviceLimits(129, 1000, 16, 16));
        assertEquals(113, small.answers());
        assertEquals(129, small.sends());
        assertThrows(Refusal.class, () -> QueueSize.of(request, new DeviceLimits(128, 1000, 16, 16)));
        assertThrows(Refusal.class, () -> QueueSize.of(request, new DeviceLimits(129, 200, 16, 16)));
        assertThrows(Refusal.class, () -> QueueSize.of(request, new DeviceLimits(129, 1000, 16, 0)));
    }
}
