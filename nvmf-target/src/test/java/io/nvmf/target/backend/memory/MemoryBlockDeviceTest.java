package io.nvmf.target.backend.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nvmf.target.backend.BlockDevice;
import io.nvmf.target.backend.BlockDeviceContractTest;
import io.nvmf.target.backend.BlockError;
import io.nvmf.target.backend.LoopClient;
import io.nvmf.target.backend.TestBuffers;
import io.nvmf.target.backend.memory.MemoryBlockDevice.Budget;
import io.nvmf.transport.EventLoops;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MemoryBlockDeviceTest extends BlockDeviceContractTest {
    private static final int CHUNK = MemoryBlockDevice.CHUNK_BYTES;

    MemoryBlockDeviceTest() {
        super(EventLoops.Kind.NIO);
    }

    @Override
    protected BlockDevice openDevice() {
        return new MemoryBlockDevice(SIZE_BYTES);
    }

    @Test
    void shouldAllocateOnlyWhatIsWrittenAndGiveItBack() throws Exception {
        Budget budget = new Budget(10L * CHUNK);
        MemoryBlockDevice device = new MemoryBlockDevice(MemoryBlockDevice.MAX_SIZE_BYTES, budget);
        try (EventLoops loops = EventLoops.open(EventLoops.Kind.NIO, 1, "test");
                LoopClient client = new LoopClient(device, loops.next())) {
            client.write(device.sizeBytes() - 512, new byte[512]);
            client.write(CHUNK - 512, new byte[1024]);
            assertEquals(3L * CHUNK, device.allocatedBytes());
            assertEquals(7L * CHUNK, budget.leftBytes());

            client.deallocate(0, CHUNK + 512);
            assertEquals(2L * CHUNK, device.allocatedBytes());
            client.deallocate(0, device.sizeBytes());
            assertEquals(0, device.allocatedBytes());
            assertEquals(10L * CHUNK, budget.leftBytes());
        }
    }

    @Test
    void shouldAnswerNoSpaceAndKeepWhatItHoldsWhenTheBudgetIsSpent() throws Exception {
        Budget budget = new Budget(2L * CHUNK);
        MemoryBlockDevice device = new MemoryBlockDevice(16L * CHUNK, budget);
        byte[] earlier = TestBuffers.randomBytes(new Random(1), 2 * CHUNK);
        try (EventLoops loops = EventLoops.open(EventLoops.Kind.NIO, 1, "test");
                LoopClient client = new LoopClient(device, loops.next())) {
            client.write(0, earlier);
            assertEquals(BlockError.NO_SPACE, client.write(4L * CHUNK, new byte[512], false));
            assertArrayEquals(earlier, client.read(0, 2 * CHUNK));

            client.deallocate(0, CHUNK);
            client.write(4L * CHUNK, new byte[512]);
        }
        device.close();
        assertEquals(2L * CHUNK, budget.leftBytes());
    }

    @Test
    void shouldRefuseSizesThatAreNotWholeBlocksOrTooLarge() {
        for (long size : new long[] {0, -512, 513, MemoryBlockDevice.MAX_SIZE_BYTES + 512}) {
            assertThrows(IllegalArgumentException.class, () -> new MemoryBlockDevice(size));
        }
    }
}
